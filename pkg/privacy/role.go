package privacy

import (
	"strings"
	"sync"
)

// A role is a function of a word in names and addresses; the roles of a word form a bit set.
type role uint16

const (
	isTitle        role = 1 << iota // Mr, Dr
	isParticle                      // van, de, bin
	isOrganisation                  // ends the name of something other than a person
	isStop                          // cannot be a surname
	isStreetEnd                     // ends the name of a street
	isStreetStart                   // begins one
	isStreetAlone                   // ends the name of a street that precedes its number
	isBox                           // begins the address of a post office box
	isFlat                          // precedes a flat number
	isMonth                         // a month or its abbreviation
	isArticle                       // an article: a thing follows
	isDeed                          // a verb for what persons do
	isLinking                       // a linking word in city names
	isGreeting                      // a greeting, or a word before one's own name
)

// roleWords are the words of each role, in lower case without a full stop.
var roleWords = []struct {
	role  role
	words string
}{
	{isTitle, `mr mrs ms miss mx dr prof professor sir madam lady lord herr frau fräulein monsieur madame mademoiselle mme mlle señor
		señora señorita sr sra srta signor signora signorina sig senhor senhora dhr mevr mw pan pani herra rouva hr fru ing
		dott avv rev father sister brother captain capt sgt lt col gen judge justice senator president dra`},
	{isParticle, `van von der den de del della di da das do dos du la le el al bin ibn ben abu ter ten zu zum y e af av san st`},
	{isOrganisation, `inc ltd llc llp gmbh ag corp corporation company co plc sa srl spa bv nv oy ab group holdings bank university college
		school hospital clinic institute church street road avenue lane drive court square park airport station hotel
		restaurant river lake mount mountain island beach bridge county city state stadium museum library theatre theater
		center centre foundation association society club team league cup award prize act law party union day week festival
		times post st rd ave ln dr blvd way place plaza tower building house hall partners associates brothers bros sons
		systems solutions technologies services industries capital insurance airlines motors records studios pictures
		entertainment games software labs laboratories press magazine journal news network media international`},
	{isStop, `the a an and or but if in on at to of for from by with as is are was were be been has have had do does did will would
		can could may might must shall should he she it we you they i my your his her its our their this that these those what
		which who whom whose when where why how all any each no not only own same so than too very just now here there please
		thank thanks hello hi hey yes ok okay dear best kind regards sincerely monday tuesday wednesday thursday friday
		saturday sunday january february march april june july august september october november december also then let me see
		note new next last first more most such after before about said says`},
	{isStreetEnd, `tee tn mnt puiestee street st str avenue ave av road rd lane ln drive dr court ct boulevard blvd way place pl square sq terrace ter close
		crescent cres highway hwy parkway pkwy circle cir trail trl alley plaza row mews grove gardens gdns hill rise walk
		loop pike turnpike ridge view crossing point run path pass bypass causeway ranch meadows village islands springs park
		estate estates cove hollow knoll landing manor orchard valley vista creek glen heights junction mill mission mount
		mountain oval parade quay wharf estrada expressway freeway straße strasse gasse weg allee platz ring damm ufer
		chaussee straat laan gracht plein kade steeg gatan vägen gata väg gate vei veien gade vej katu tie utca út útja tér
		körút ulica ulice ul sokak caddesi cd sk улица проспект переулок`},
	{isStreetStart, `rue avenue av boulevard bd bvd place pl allée allee chemin impasse quai route cours passage square via viale piazza
		corso largo vicolo strada calle avenida avda plaza paseo carrera cra camino rua travessa praça alameda estrada
		rodovia ulica ul al os strasse calea bulevardul str улица ул проспект пр переулок пер вулиця jalan jl jln sokak ctra
		rda ronda carrer`},
	{isStreetAlone, `straße strasse weg allee platz gasse straat laan gatan vägen utca út tér katu`},
	{isBox, `uscgc usnv po p.o p post postfach apartado casella psc apo fpo dpo usns uss unit bp`},
	{isFlat, `apt apartment suite ste unit flat floor fl room rm # no nr building bldg bl app appartement piso planta esc int interno wohnung
		etage étage bus bte box`},
	{isDeed, `said says asked asks told tells replied replies shouted whispered wrote lived lives thinks thought loved loves hated hates married died smiled laughed
		cried believes feels felt promised complained thanked joined resigned retired studied graduated spent sagt sagte fragte wohnt dit dijo dice disse`},
	{isLinking, `upon on am an im in of and the sur sous aan u nad pod při pri ob du les en de do da dos`},
	{isGreeting, `hi hello dear hey thanks thank regards cheers sincerely yours best love greetings morning evening afternoon hallo liebe lieber grüße gruß danke bonjour merci
		cordialement hola gracias saludos querido querida ciao grazie olá obrigado hoi groeten`},
	{isArticle, `a an the this that our your using use via der die das den dem ein eine einen le la les un une el los una il lo gli o os uma het een`},
	{isMonth, `january jan february feb march mar april apr may june jun july jul august aug september sep sept october oct november nov december dec
		januar jänner februar feber märz mär mai juni juli oktober okt dezember dez janvier janv février fév févr mars avril avr juin juillet juil août septembre
		octobre novembre décembre déc enero ene febrero marzo abril abr mayo junio julio agosto ago septiembre setiembre octubre noviembre diciembre dic
		gennaio gen febbraio aprile maggio mag giugno giu luglio lug settembre set ottobre ott dicembre janeiro fevereiro fev março maio junho julho setembro
		outubro out novembro dezembro januari februari maart mrt mei augustus maj augusti marca stycznia lutego kwietnia maja czerwca lipca sierpnia września
		października listopada grudnia января янв февраля фев марта апреля апр мая июня июля августа авг сентября сен октября окт ноября ноя декабря дек
		ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta
		elokuuta syyskuuta lokakuuta marraskuuta joulukuuta`},
}

var readRoles = sync.OnceValue(func() map[string]role {
	roles := map[string]role{}
	for _, r := range roleWords {
		for word := range strings.FieldsSeq(r.words) {
			roles[word] |= r.role
		}
	}
	return roles
})

// roleOf returns the roles of a word, in any case.
func roleOf(word string) role {
	var buffer [32]byte
	if len(word) > 20 {
		return 0
	}
	return readRoles()[string(appendLower(buffer[:0], word))]
}

// is reports whether a word has a role.
func is(r role, word string) bool { return roleOf(word)&r != 0 }

package privacy

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A context is the set of meanings of the words beside a number or text, one bit each.
type context uint64

const (
	ofPhone context = 1 << iota
	ofCard
	ofBank // a bank account number
	ofHealth
	ofPassport
	ofLicence
	ofBirth
	ofAddress
	ofPerson // possibly a name of a person
	ofName   // a name of a person
	ofNetwork
	ofOther  // a number not of a person: an order, a version
	ofID     // any number of a person
	ofNumber // any number
	ofAnyID  // any id, possibly not of a person
	ofSSN
	ofITIN
	ofTaxDE
	ofSocialDE
	ofAadhaar
	ofPAN
	ofMyNumber
	ofNINO
	ofNHS
	ofNIR
	ofCodice
	ofSIN
	ofCPF
	ofCNPJ
	ofINN
	ofSNILS
	ofRRN
	ofTFN
	ofMedicare
	ofDNI
	ofCURP
	ofChina
	ofBSN
	ofPESEL
	ofTCKN
	ofNordic
)

// meanings are lower-case words and their contexts.
var meanings = []struct {
	means context
	words string
}{
	{ofPhone, `phone phones telephone tel tél téléphone telefon telefono teléfono telefone telefoon telefonnummer handy handynummer
		mobile mob mobil móvil movil cellulare celular cell cellphone portable portatile call calling text texting sms whatsapp fax dial
		ring hotline contact callback voicemail rufnummer durchwahl numéro gsm тел телефон телефону мобильный komórka komórkowy cep
		电话 手机 電話 携帯 전화 휴대폰 连絡先 puhelin puhelinnumero tlf phonenumber telnr dialed reach answer answering answered desk office`},
	{ofCard, `card cards credit debit visa mastercard amex cc creditcard cardnumber pan kreditkarte kartennummer karte carte bancaire
		tarjeta carta carta cartão kaart карта карты karta kartı 卡号 信用卡 カード 카드 pay payment charge charged`},
	{ofBank, `account accounts acct acc konto kontonummer kontonr compte cuenta conto conta rekening rekeningnummer счет счёт konta hesap
		routing aba sort sortcode blz bankleitzahl clabe bsb bank banking 账号 账户 口座 계좌 deposit payee beneficiary accountnumber`},
	{ofHealth, `mrn medical patient health insurance policy beneficiary mbi npi hcn krankenkasse versichertennummer patienten-id versicherten
		krankenversicherung patiente paciente paziente patiënt medicaid medicare member subscriber chart hospital 病历 病人 患者 환자 пациент медицинская
		seguro assurance assurée vitale tessera sanitaria ohip patientid memberid insured dea`},
	{ofPassport, `passport passports passeport reisepass pass passnummer pasaporte passaporto passaporte paspoort paszport pasaportu pasaport паспорт
		паспорта 护照 旅券 パスポート 여권 passi pas passportnumber travel`},
	{ofLicence, `licence license licences licenses driver driver's drivers driving führerschein führerscheinnummer permis conducir licencia patente rijbewijs dl dln
		habilitação cnh prawo jazdy удостоверение 驾驶证 免許証 운전면허`},
	{ofBirth, `born birth dob d.o.b birthday birthdate birthdays bday geboren geburtstag geburtsdatum geb né née naissance nacido nacida nacimiento nato nata
		nascita nascido nascida nascimento geboortedatum geboorte рождения родился родилась urodzony urodzona urodzenia doğum født född
		syntynyt született narozen 出生 生年月日 生日 생년월일 출생 dateofbirth`},
	{ofAddress, `address addresses live lives living lived reside resides residing residence home mail mailing ship shipped shipping deliver delivery street adresse
		anschrift wohnhaft wohnt dirección domicilio direccion indirizzo residente endereço morada adres адрес 地址 住所 주소 located location moved`},
	{ofPerson, `name names named call called mr mrs ms miss dr prof herr frau monsieur madame señor señora signor vorname nachname nom prénom nombre nome
		apellido apellidos cognome sobrenome naam имя фамилия imię nazwisko isim soyad 姓名 名前 氏名 이름 customer patient employee contact user
		hi hello dear hey regards sincerely cheers thanks by from author am i'm meet met hallo bonjour hola liebe lieber ciao caro cara с
		attn attention signed cc owner manager cardholder holder applicant`},
	{ofName, `name named call calls called surname maiden firstname lastname kid son daughter wife husband mother father brother sister friend colleague boss uncle aunt nephew niece mr mrs ms
		vorname nachname nom prénom nombre apellido cognome sobrenome naam имя фамилия imię nazwisko heiße heisse llamo appelle chiamo chamo`},
	{ofNetwork, `ip ips ipv4 ipv6 address host server client remote gateway dns subnet login logged connection`},
	{ofOther, `order orders invoice ticket tracking version versions v isbn issn sku build release page pages item serial commit case po ref reference
		transaction confirmation booking product model port amount total quantity price usd eur section rfc ean upc asin parcel shipment batch lot flight
		bestellnummer rechnung rechnungsnummer commande facture pedido factura ordine fattura doi pmid issue id= timestamp unix epoch bytes`},
	{ofID, `identity identification national citizen resident tax taxpayer tin ausweis personalausweis ausweisnummer steuer identité identidad
		identità documento dokument document social security insured 身份证 身份 身分証 신분증 citizenship steuernummer`},
	{ofNumber, `number numbers nummer numero numéro número nr номер 号码 番号 번호`},
	{ofAnyID, `id ids identifier`},
	{ofSSN, `ssn ssns social security socialsecuritynumber`},
	{ofITIN, `itin taxpayer individual`},
	{ofTaxDE, `steuer steuer-id steuerid steueridentifikationsnummer identifikationsnummer idnr steuernummer steuerliche idnr. tin`},
	{ofSocialDE, `rentenversicherungsnummer sozialversicherungsnummer versicherungsnummer svnr rvnr sv-nummer`},
	{ofAadhaar, `aadhaar aadhar adhaar uidai uid आधार`},
	{ofPAN, `pan permanent income`},
	{ofMyNumber, `mynumber マイナンバー 個人番号`},
	{ofNINO, `nino ni insurance national`},
	{ofNHS, `nhs health`},
	{ofNIR, `nir sécurité sociale insee sécu securite`},
	{ofCodice, `codice fiscale cf`},
	{ofSIN, `sin social insurance nas`},
	{ofCPF, `cpf cadastro`},
	{ofCNPJ, `cnpj`},
	{ofINN, `инн inn`},
	{ofSNILS, `снилс snils`},
	{ofRRN, `rrn resident 주민등록번호 주민번호 주민등록`},
	{ofTFN, `tfn tax file`},
	{ofMedicare, `medicare`},
	{ofDNI, `dni nie nif documento`},
	{ofCURP, `curp`},
	{ofChina, `身份证 身份证号 公民身份号码 identity resident`},
	{ofBSN, `bsn burgerservicenummer sofinummer`},
	{ofPESEL, `pesel`},
	{ofTCKN, `tckn tc t.c kimlik`},
	{ofNordic, `personnummer fødselsnummer fodselsnummer cpr henkilötunnus hetu`},
}

// A lexicon is an index of meanings by word.
type lexicon struct {
	words   map[string]context
	eastern []string // words of scripts without spaces between words
}

var readLexicon = sync.OnceValue(func() *lexicon {
	l := &lexicon{words: map[string]context{}}
	for _, m := range meanings {
		for word := range strings.FieldsSeq(m.words) {
			if _, known := l.words[word]; !known && word[0] >= 0xE3 && word[0] <= 0xED {
				l.eastern = append(l.eastern, word)
			}
			l.words[word] |= m.means
		}
	}
	return l
})

// nameContext returns the context from the name of a member: its words, joined and separate.
func nameContext(name string) context {
	if len(name) > 64 {
		return 0
	}
	l := readLexicon()
	var c context
	var joined, word []byte
	flush := func() {
		c |= l.words[string(word)]
		word = word[:0]
	}
	for i, r := range name {
		if !unicode.IsLetter(r) && r != '\'' {
			flush()
			continue
		}
		if unicode.IsUpper(r) && i > 0 {
			if before, _ := utf8.DecodeLastRuneInString(name[:i]); !unicode.IsUpper(before) {
				flush()
			}
		}
		r = unicode.ToLower(r)
		word = utf8.AppendRune(word, r)
		joined = utf8.AppendRune(joined, r)
	}
	flush()
	c |= l.words[string(joined)]
	for _, eastern := range l.eastern {
		if strings.Contains(name, eastern) {
			c |= l.words[eastern]
		}
	}
	return c
}

// reach is the number of bytes before a match that are searched for its context.
const reach = 56

// near returns the context from the words before an offset and the name of the member. It stops at
// the beginning of the sentence and at an empty line.
func (f *finder) near(start int) context {
	if f.contextAt == start+1 {
		return f.context
	}
	l := readLexicon()
	c := f.named
	text := f.text
	low := max(0, start-reach)
	for low < start && low > 0 && !utf8.RuneStart(text[low]) {
		low++
	}
	var buffer [reach + 8]byte
	wide := false
	for end := start; end > low; {
		b := text[end-1]
		if !isWord(b) {
			if b == '?' && end < start-1 || b == '!' || b == '\n' && f.byteAt(end-2) == '\n' || b == '.' && f.endsSentence(end, start) {
				break
			}
			end--
			continue
		}
		begin := end
		for begin > low && (isWord(text[begin-1]) || text[begin-1] == '\'' || text[begin-1] == '-' && begin-1 > low && isWord(text[begin-2])) {
			begin--
		}
		if begin > low || low == 0 {
			word := appendLower(buffer[:0], text[begin:end])
			c |= l.words[string(word)]
			if at := strings.IndexByte(text[begin:end], '-'); at > 0 {
				c |= l.words[string(word[min(at, len(word)):][1:])] | l.words[string(word[:min(at, len(word))])]
			}
			wide = wide || text[begin] >= 0xE3
		}
		end = begin
	}
	if wide {
		for _, word := range l.eastern {
			if strings.Contains(text[low:start], word) {
				c |= l.words[word]
			}
		}
	}
	f.contextAt, f.context = start+1, c
	return c
}

// endsSentence reports whether the full stop before end is not an abbreviation's: a space follows
// it, and a word of more than four letters precedes it.
func (f *finder) endsSentence(end, limit int) bool {
	if end >= limit || f.text[end] != ' ' {
		return false
	}
	for back := 2; back <= 6; back++ {
		if !isLower(f.byteAt(end - back)) {
			return false
		}
	}
	return true
}

// after returns the context from the few words after an offset.
func (f *finder) after(end int) context {
	l := readLexicon()
	var c context
	var buffer [64]byte
	text := f.text[end:min(len(f.text), end+32)]
	for len(text) > 0 {
		n := 0
		for n < len(text) && isWord(text[n]) {
			n++
		}
		if n == 0 {
			if text[0] == '.' || text[0] == ',' || text[0] == ';' || text[0] == '\n' || text[0] == ':' {
				break
			}
			text = text[1:]
			continue
		}
		if n < len(text) || end+32 >= len(f.text) {
			c |= l.words[string(appendLower(buffer[:0], text[:n]))]
		}
		text = text[n:]
	}
	return c
}

// appendLower appends a text in lower case.
func appendLower(dst []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		b := text[i]
		if b >= utf8.RuneSelf {
			return append(dst, strings.ToLower(text[i:])...)
		}
		if isUpper(b) {
			b |= 0x20
		}
		dst = append(dst, b)
	}
	return dst
}

package privacy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/privacy/internal/names"
)

// A capitalised is a word of a sequence that may be a name.
type capitalised struct {
	start, end int
	kinds      names.Kinds
	initial    bool // one letter, with a full stop or not
	particle   bool // van, de, bin
	title      bool // Mr, Dr
	shouted    bool // all capitals
}

// maxNames is the maximum number of words of a sequence.
const maxNames = 7

// capital looks at a capital letter, for the name of a person or an address that begins
// with the name of a street. It returns the end of what it has looked at.
func (f *finder) capital(i int) int {
	if i > 0 {
		if before := f.text[i-1]; isWord(before) && f.letterBefore(i) || before == '_' || before == '/' || before == '@' || before == '$' || before == '<' || before == '\\' {
			return f.wordEnd(i)
		}
	}
	var store [maxNames]capitalised
	words := f.sequence(store[:0], i)
	if len(words) == 0 {
		return f.wordEnd(i)
	}
	end := words[len(words)-1].end
	if f.streetFirst(words) {
		return end
	}
	// The names in the sequence, which may be two: "Ask Ada Lovelace" begins with neither.
	for from := 0; from < len(words); {
		from = f.name(words, from)
	}
	return end
}

// letterBefore reports whether a letter or digit ends at i.
func (f *finder) letterBefore(i int) bool {
	r, _ := utf8.DecodeLastRuneInString(f.text[:i])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// wordEnd returns the end of the word around i, which is at least a character long.
func (f *finder) wordEnd(i int) int {
	_, size := utf8.DecodeRuneInString(f.text[i:])
	i += size
	for i < len(f.text) && (isAlnum(f.text[i]) || f.text[i] == '_') {
		if isDigit(f.text[i]) {
			return i // for the detectors of numbers
		}
		i++
	}
	return i
}

// sequence appends the capitalised words from i on, with the particles, initials and titles
// between them.
func (f *finder) sequence(words []capitalised, i int) []capitalised {
	text := f.text
	for len(words) < maxNames {
		w := capitalised{start: i}
		r, _ := utf8.DecodeRuneInString(text[i:])
		small := 0
		end := i
		for end < len(text) {
			b := text[end]
			if b < utf8.RuneSelf {
				if (b|0x20)-'a' < 26 {
					if isLower(b) {
						small++
					}
					end++
					continue
				}
				if (b == '\'' || b == '-') && end > i && end+1 < len(text) && isWord(text[end+1]) && !isDigit(text[end+1]) && (b == '-' || !f.possessive(end)) {
					end++
					continue
				}
				break
			}
			r, size := utf8.DecodeRuneInString(text[end:])
			if r == '’' && !f.possessive(end) {
				if next, _ := utf8.DecodeRuneInString(text[end+size:]); unicode.IsLetter(next) {
					end += size
					continue
				}
			}
			if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) || isIdeograph(r) {
				break
			}
			if unicode.IsLower(r) {
				small++
			}
			end += size
		}
		w.end = end
		length := utf8.RuneCountInString(text[i:end])
		if !unicode.IsUpper(r) {
			w.particle = isParticle(text[i:end])
			if !w.particle {
				break
			}
		}
		if end < len(text) && (isDigit(text[end]) || text[end] == '_' || text[end] == '@') {
			break // an identifier, or the beginning of an address
		}
		switch {
		case w.particle:
		case length == 1:
			w.initial = true
			if f.byteAt(end) == '.' {
				w.end++
			}
		default:
			w.shouted = small == 0
			w.kinds = f.kinds(text[i:end])
			if w.title = isTitle(text[i:end]); w.title && f.byteAt(end) == '.' {
				w.end++
			}
		}
		words = append(words, w)
		next := w.end
		if f.byteAt(next) != ' ' && !(w.initial && next < len(text) && isUpper(text[next])) {
			break
		}
		for next < len(text) && text[next] == ' ' && next-w.end < 2 {
			next++
		}
		if next >= len(text) || !isWord(text[next]) || isDigit(text[next]) {
			break
		}
		i = next
	}
	for len(words) > 0 && words[len(words)-1].particle {
		words = words[:len(words)-1]
	}
	return words
}

// possessive reports whether an apostrophe is that of "Ada's".
func (f *finder) possessive(at int) bool {
	_, size := utf8.DecodeRuneInString(f.text[at:])
	rest := f.text[at+size:]
	return (strings.HasPrefix(rest, "s") || strings.HasPrefix(rest, "S")) && (len(rest) == 1 || !isWord(rest[1]))
}

// kinds returns what a word is; of one with hyphens, what its parts are together.
func (f *finder) kinds(word string) names.Kinds {
	var buffer [64]byte
	if len(word) > 48 {
		return 0
	}
	lower := appendLower(buffer[:0], word)
	k := names.Of(lower)
	if k != 0 {
		return k
	}
	if first, second, ok := strings.Cut(string(lower), "-"); ok {
		a, b := names.Of(first), names.Of(second)
		return (a | b) & (names.First | names.Last | names.Place) &^ ((a & b & names.Word) >> 2)
	}
	if s := string(lower); strings.HasPrefix(s, "mc") || strings.HasPrefix(s, "o'") || strings.HasPrefix(s, "o’") {
		return names.Last
	}
	return 0
}

const particles = " van von der den de del della di da das do dos du la le el al bin ibn ben abu ter ten zu zum y e af av san st "

func isParticle(word string) bool {
	return len(word) <= 5 && strings.Contains(particles, " "+word+" ")
}

const titles = " mr mrs ms miss mx dr prof professor sir madam lady lord herr frau fräulein monsieur madame mademoiselle mme mlle señor señora señorita sr sra srta " +
	"signor signora signorina sig senhor senhora dhr mevr mw pan pani herra rouva hr fru ing dott avv rev father sister brother captain capt sgt lt col gen judge justice senator president dra "

func isTitle(word string) bool {
	var buffer [24]byte
	if len(word) > 14 {
		return false
	}
	return strings.Contains(titles, " "+string(appendLower(buffer[:0], word))+" ")
}

// name looks for a name that begins at one of the words, and returns the word to go on with.
func (f *finder) name(words []capitalised, from int) int {
	titled := false
	start := from
	for start < len(words) && words[start].title {
		titled = true
		start++
	}
	if start == len(words) || words[start].particle && !titled {
		return start + 1
	}
	to := start // the end of the name
	for to < len(words) && !words[to].title && f.belongs(words, start, to) {
		to++
	}
	for to > start && (words[to-1].particle || words[to-1].initial && to-1 == start && len(words) > to) {
		to--
	}
	if to == start {
		return start + 1
	}
	score := f.rateName(words[start:to], titled, words[to:])
	if score > 0 {
		f.add(Person, "", words[start].start, words[to-1].end-f.fullStop(words[to-1]), score)
		return to
	}
	return start + 1
}

// fullStop is 1 if a word is an initial at the end of a sentence, rather than of a name.
func (f *finder) fullStop(w capitalised) int {
	if w.initial && f.text[w.end-1] == '.' && (w.end == len(f.text) || f.byteAt(w.end) == '\n') {
		return 1
	}
	return 0
}

// belongs reports whether a word may go on a name that begins at start.
func (f *finder) belongs(words []capitalised, start, at int) bool {
	w := words[at]
	switch {
	case at == start, w.initial, w.particle:
		return at-start < 6
	case w.shouted != words[start].shouted && !words[start].initial:
		return false
	}
	if w.kinds&(names.First|names.Last) != 0 && (w.kinds&names.Word == 0 || w.kinds&names.Last != 0 && !isStop(f.text[w.start:w.end])) {
		return at-start < 5
	}
	// A word that no list has: a rare surname, after a first name.
	return w.kinds == 0 && at-start < 4 && !isOrganisation(f.text[w.start:w.end])
}

// rateName returns how certain it is that words are the name of a person; 0 if not at all.
// The rest of the sequence follows them.
func (f *finder) rateName(words []capitalised, titled bool, rest []capitalised) float64 {
	if len(rest) > 0 && isOrganisation(f.text[rest[0].start:rest[0].end]) {
		return 0 // Johnson Hospital
	}
	first, last, unknown, common, initials, places := 0, 0, 0, 0, 0, 0
	for _, w := range words {
		switch {
		case w.particle:
			continue
		case w.initial:
			initials++
			continue
		case w.kinds&names.Word != 0:
			common++
		case w.kinds == 0:
			unknown++
		}
		if w.kinds&names.First != 0 {
			first++
		}
		if w.kinds&names.Last != 0 {
			last++
		}
		if w.kinds&names.Place != 0 {
			places++
		}
	}
	head, tail := words[0], words[len(words)-1]
	c := f.near(words[0].start) & ofPerson
	full := len(words) - initials
	switch {
	case titled:
		if full == 0 || common == full && last == 0 {
			return 0
		}
		return 0.9
	case full == 0:
		return 0
	case full == 1 && initials == 0:
		return f.rateSingle(head, c != 0, rest)
	case head.initial: // J. Smith
		if tail.kinds&names.Last != 0 && tail.kinds&names.Word == 0 && f.text[head.end-1] == '.' {
			return 0.75
		}
		return 0
	case isOrganisation(f.text[tail.start:tail.end]):
		return 0
	case head.shouted && len(f.text) > 40 && c == 0 && head.kinds&names.Popular == 0:
		return 0.3 // a heading
	}
	firstName := head.kinds&names.First != 0
	switch {
	case firstName && tail.kinds&names.Last != 0 && head.kinds&names.Word == 0 && tail.kinds&names.Word == 0:
		if places == full && head.kinds&names.Popular == 0 {
			return 0.55
		}
		return 0.9
	case firstName && head.kinds&names.Word == 0 && (tail.kinds&names.Last != 0 || tail.kinds == 0):
		return 0.8
	case firstName && head.kinds&names.Popular != 0 && tail.kinds&names.Last != 0 && tail.kinds&names.Word == 0:
		return 0.75 // Mark Miller
	case firstName && tail.kinds&(names.First|names.Last) != 0 && c != 0:
		return 0.7
	case firstName && initials > 0 && full == 1:
		return 0.6
	case firstName && head.kinds&names.Word == 0 && tail.kinds&names.First != 0:
		return 0.65 // Anna Maria
	case head.kinds&names.Last != 0 && tail.kinds&names.First != 0 && common == 0:
		return 0.6 // Nagy Anna
	case c != 0 && common == 0 && places == 0 && full >= 2:
		return 0.6
	case head.kinds&names.Last != 0 && tail.kinds&names.Last != 0 && common == 0 && places == 0 && unknown == 0:
		return 0.55
	case unknown > 0 && tail.kinds&names.Last != 0 && common == 0 && places == 0:
		return 0.5
	}
	return 0
}

// rateSingle rates a single name.
func (f *finder) rateSingle(w capitalised, introduced bool, rest []capitalised) float64 {
	known := w.kinds&names.First != 0
	begins := f.begins(w.start)
	switch {
	case w.shouted && f.named&ofPerson == 0:
		return 0
	case known && w.kinds&(names.Word|names.Place) == 0 && len(rest) == 0:
		if introduced {
			return 0.8
		}
		if w.kinds&names.Popular != 0 {
			return 0.6
		}
		if w.kinds&names.Last == 0 && !begins {
			return 0.5
		}
		return 0.4
	case known && w.kinds&names.Word == 0 && introduced && len(rest) == 0:
		return 0.55
	}
	return 0
}

// begins reports whether a sentence begins at a place.
func (f *finder) begins(at int) bool {
	text := strings.TrimRight(f.text[max(0, at-4):at], " \t\"'(*_-")
	return text == "" || strings.ContainsAny(text[len(text)-1:], ".!?:\n")
}

const organisations = " inc ltd llc llp gmbh ag corp corporation company co plc sa srl spa bv nv oy ab group holdings bank university college school hospital clinic institute church " +
	"street road avenue lane drive court square park airport station hotel restaurant river lake mount mountain island beach bridge county city state stadium museum " +
	"library theatre theater center centre foundation association society club team league cup award prize act law court party union day week festival times post " +
	"street st rd ave ln dr blvd way place plaza tower building house hall road foundation partners associates brothers bros sons systems solutions technologies services industries " +
	"capital insurance airlines motors records studios pictures entertainment games software labs laboratories press magazine journal news network media international "

// isOrganisation reports whether a word ends the name of something other than a person.
func isOrganisation(word string) bool {
	var buffer [24]byte
	if len(word) > 16 {
		return false
	}
	return strings.Contains(organisations, " "+string(appendLower(buffer[:0], word))+" ")
}

const stops = " the a an and or but if in on at to of for from by with as is are was were be been has have had do does did will would can could may might must shall should " +
	"he she it we you they i my your his her its our their this that these those what which who whom whose when where why how all any each no not only own same so than too very just now here there " +
	"please thank thanks hello hi hey yes ok okay dear best kind regards sincerely monday tuesday wednesday thursday friday saturday sunday january february march april june july august september " +
	"october november december also then let me see note new next last first more most such after before about said says "

// isStop reports whether a word is one that no surname is meant by.
func isStop(word string) bool {
	var buffer [24]byte
	if len(word) > 16 {
		return false
	}
	return strings.Contains(stops, " "+string(appendLower(buffer[:0], word))+" ")
}

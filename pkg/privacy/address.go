package privacy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/privacy/internal/names"
)

// streetSuffixes end street names of one word: Hauptstraße.
const streetSuffixes = "straße strasse str. str gasse weg allee platz ring damm ufer straat laan gracht plein kade gatan vägen gata väg gate vei veien gade vej katu tie kuja utca tér gasse steig stieg steeg dijk hof markt brücke bruecke berg graben"

// hasStreetSuffix reports whether a word ends like a street name.
func hasStreetSuffix(word string) bool {
	if len(word) < 7 {
		return false
	}
	lower := strings.ToLower(word)
	for suffix := range strings.FieldsSeq(streetSuffixes) {
		if strings.HasSuffix(lower, suffix) && len(lower) >= len(suffix)+3 {
			return true
		}
	}
	return false
}

// A walker reads an address word by word.
type walker struct {
	text       string
	at         int // end of the word
	start, end int // the word, without a full stop at its end unless it is short
}

// next reads the next word on the line, after spaces and at most one comma. It returns false if
// anything else follows. lines is the number of line breaks that it may cross.
func (w *walker) next(commas, lines int) bool {
	i := w.at
	for i < len(w.text) {
		switch b := w.text[i]; {
		case b == ' ' || b == '\t':
		case b == ',' && commas > 0, b == '-' && commas > 0 && i > w.at && w.text[i-1] == ' ' && strings.HasPrefix(w.text[i:], "- "):
			commas--
		case b == '\n' && lines > 0:
			lines--
			commas = max(commas, 1)
			for i+1 < len(w.text) && w.text[i+1] == '>' { // quoted mail
				i++
			}
		case b == '\\' && i+1 < len(w.text) && w.text[i+1] == 'n' && lines > 0:
			lines--
			i++
		default:
			goto word
		}
		i++
	}
	return false
word:
	w.start = i
	for i < len(w.text) {
		b := w.text[i]
		if !isWord(b) && !((b == '\'' || b == '-' || b == '.' || b == '/' || b == '&') && i > w.start && i+1 < len(w.text) && isWord(w.text[i+1])) && !(b == '#' && i == w.start) {
			break
		}
		i++
	}
	if i == w.start {
		return false
	}
	if i < len(w.text) && w.text[i] == '.' && i-w.start <= 5 && !isDigit(w.text[i-1]) && i+1 < len(w.text) && (w.text[i+1] == ' ' || w.text[i+1] == ',') {
		i++
	}
	w.end, w.at = i, i
	return true
}

func (w *walker) word() string { return strings.TrimSuffix(w.text[w.start:w.end], ".") }

func kindOf(word string) names.Kinds {
	k, _ := kindsOf(word)
	return k
}

func isCapitalised(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}

// houseNumber looks for an address that begins with a house number. A number after the street name
// was handled with the street.
func (f *finder) houseNumber(t *token) int {
	g := t.groups[0]
	if g.digits == 0 || g.digits > 5 && g.digits != g.plain || g.digits > 6 || g.letters > 2 || !isDigit(t.plain[0]) {
		return 0
	}
	if b := f.byteAt(t.start - 1); b == '.' || b == '-' || b == '$' || b == '/' || b == '#' || b == '+' || b == ':' {
		return 0
	}
	w := walker{text: f.text, at: g.end}
	if t.n > 1 && (t.shape[g.shape] == '-' || t.shape[g.shape] == ' ') && t.groups[1].digits > 0 && t.groups[1].digits <= 5 { // 12-14, 12 345 Main Street
		w.at = t.groups[1].end
	}
	if f.byteAt(w.at) == ',' { // 12, rue de la Paix
		w.at++
	}
	capitals := 0
	street, score := 0, 0.0
	for words := 0; words < 6 && w.next(0, 0); words++ {
		word := w.word()
		capital, roles := isCapitalised(word), roleOf(word)
		switch {
		case words == 0 && roles&isStreetStart != 0:
			street, score = f.streetName(&w), 0.8
		case capitals > 0 && roles&isStreetEnd != 0 && (capital || roles&isStop == 0 && f.numberFollows(w.end)):
			// The longest name wins: 12 Park Lane Road.
			street, score = w.end, 0.85
			capitals++
			continue
		case capital && hasStreetSuffix(word):
			street, score = w.end, 0.8
			capitals++
			continue
		case capital && roles&isStop == 0 || capitals == 0 && isOrdinalWord(word):
			capitals++
			continue
		case roles&isParticle != 0:
			continue
		case capitals > 0 && w.end-w.start <= 4 && isDigit(word[0]) && f.partEnds(w.end):
			// A number on both sides: the building and the house.
			street, score = w.end, max(score, 0.75)
		}
		break
	}
	if street == 0 && capitals > 0 {
		// A street name without a word for street, if a city with a postcode follows.
		if end, places := f.place(g.end, true); places >= 2 && g.digits <= 5 {
			f.add(Address, "", t.start, end, 0.6)
			return end
		}
		return 0
	}
	if street == 0 {
		return 0
	}
	after := walker{text: f.text, at: street}
	if after.next(0, 0) && isDigit(f.text[after.start]) && after.end-after.start <= 4 && f.partEnds(after.end) {
		street = after.end // a second number, the house number
	}
	end, places := f.place(street, false)
	if places > 0 {
		score = 0.9
	} else if f.near(t.start)&ofAddress == 0 {
		score -= 0.2
	}
	f.add(Address, "", t.start, end, score)
	return end
}

func isOrdinalWord(word string) bool {
	return len(word) >= 3 && isDigit(word[0]) && strings.Contains("st nd rd th", strings.ToLower(word[len(word)-2:]))
}

// partEnds reports whether a part of an address ends at an offset: with a comma, a line end or a
// flat number.
func (f *finder) partEnds(at int) bool {
	if b := f.byteAt(at); b == ',' || b == '\n' || b == '.' {
		return true
	}
	return is(isFlat, f.wordAfter(at)) || isCapitalised(f.wordAfter(at))
}

// streetName returns the end of the name after a word such as "rue".
func (f *finder) streetName(w *walker) int {
	end := w.end
	for n := 0; n < 6; n++ {
		before := *w
		if !w.next(0, 0) {
			break
		}
		word := w.word()
		if !isCapitalised(word) && !is(isParticle, word) && !strings.HasPrefix(word, "d'") && !strings.HasPrefix(word, "l'") && word != "des" && word != "aux" && word != "sur" && word != "delle" && word != "dei" && word != "degli" {
			*w = before
			break
		}
		if isCapitalised(word) || strings.IndexByte(word, '\'') > 0 {
			end = w.end
		}
	}
	return end
}

// streetFirst looks for an address whose street precedes its number, at the beginning of a sequence
// of capitalised words.
func (f *finder) streetFirst(words []capitalWord) bool {
	first, last := words[0], words[len(words)-1]
	w := walker{text: f.text, at: last.end}
	switch {
	case f.numberFollows(last.end) && (last.is(isStreetAlone) || hasStreetSuffix(f.text[last.start:last.end])):
	case first.is(isStreetStart):
		w = walker{text: f.text, at: first.start}
		w.next(0, 0)
		w.at = f.streetName(&w)
	case first.is(isBox):
		return f.postBox(words)
	case f.numberFollows(last.end) && is(isStreetStart, f.wordBefore(first.start)): // ul. Marszałkowska 104
		first.start -= len(f.wordBefore(first.start)) + 1
		for f.text[first.start] == ' ' || f.text[first.start] == '.' {
			first.start--
		}
		for first.start > 0 && isWord(f.text[first.start-1]) {
			first.start--
		}
	default:
		return false
	}
	if f.byteAt(w.at) == '.' {
		w.at++
	}
	if !w.next(1, 0) || !isDigit(f.text[w.start]) && w.word() != "n°" && w.word() != "nr" || w.end-w.start > 8 {
		return false
	}
	if !isDigit(f.text[w.start]) && (!w.next(0, 0) || !isDigit(f.text[w.start])) {
		return false
	}
	start := first.start
	for i, word := range words { // words before the street do not belong to it: "In der Hauptstraße"
		if i > 0 && first.is(isStop) && hasStreetSuffix(f.text[word.start:word.end]) {
			start = words[i].start
		}
	}
	end, places := f.place(w.end, false)
	score := 0.7
	if places > 0 {
		score = 0.9
	}
	return f.add(Address, "", start, end, score)
}

// numberFollows reports whether a digit follows a word, possibly after a full stop and a space.
func (f *finder) numberFollows(at int) bool {
	if f.byteAt(at) == '.' {
		at++
	}
	if f.byteAt(at) == ',' {
		at++
	}
	return f.byteAt(at) == ' ' && isDigit(f.byteAt(at+1))
}

// postBox looks for a post office box.
func (f *finder) postBox(words []capitalWord) bool {
	first := words[0]
	text := f.text[first.start:]
	for _, prefix := range []string{"PO Box ", "P.O. Box ", "P. O. Box ", "Post Office Box ", "Postfach ", "Apartado ", "Casella Postale ", "PSC ", "APO ", "FPO ", "DPO ", "USNS ", "USS ", "USCGC ", "USNV ", "Unit ", "BP "} {
		rest, ok := strings.CutPrefix(text, prefix)
		if !ok {
			continue
		}
		short := prefix[1:] == "PO " || prefix[0] == 'U'
		at := len(f.text) - len(rest)
		end := at
		for end < len(f.text) && isDigit(f.text[end]) {
			end++
		}
		if end == at && !short {
			return false
		}
		end, places := f.place(max(end, first.end), false)
		if short && places == 0 {
			return false
		}
		return f.add(Address, "", first.start, end, 0.85)
	}
	return false
}

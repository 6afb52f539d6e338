package privacy

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/privacy/internal/names"
)

// A capitalWord is a word in a sequence that may be a name.
type capitalWord struct {
	start, end int
	kinds      names.Kinds
	roles      role
	initial    bool // one letter, optionally with a full stop
	particle   bool // van, de, bin
	shouted    bool // all capitals
}

func (w capitalWord) is(r role) bool { return w.roles&r != 0 }

// maxNames is the maximum number of words of a sequence.
const maxNames = 7

// capital looks for a name of a person, or an address that begins with its street, at a capital
// letter. It returns the end of the text it has examined.
func (f *finder) capital(i int) int {
	if i > 0 {
		if before := f.text[i-1]; isWord(before) && f.letterBefore(i) || before == '_' || before == '/' || before == '@' || before == '$' || before == '<' || before == '\\' {
			return f.wordEnd(i)
		}
	}
	var store [maxNames]capitalWord
	words := f.sequence(store[:0], i)
	if len(words) == 0 {
		return f.wordEnd(i)
	}
	end := words[len(words)-1].end
	if f.streetFirst(words) {
		return end
	}
	// The sequence may contain several names, and other words: "Ask Ada Lovelace".
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

// wordEnd returns the end of the word around i, at least one character.
func (f *finder) wordEnd(i int) int {
	_, size := utf8.DecodeRuneInString(f.text[i:])
	i += size
	for i < len(f.text) && (isAlnum(f.text[i]) || f.text[i] == '_') {
		if isDigit(f.text[i]) {
			return i // left to the number detectors
		}
		i++
	}
	return i
}

// sequence appends the capitalised words from i on, with the particles, initials and titles between
// them.
func (f *finder) sequence(words []capitalWord, i int) []capitalWord {
	text := f.text
	for len(words) < maxNames {
		w := capitalWord{start: i}
		r, _ := utf8.DecodeRuneInString(text[i:])
		small, humps := 0, 0
		end := i
		for end < len(text) {
			b := text[end]
			if b < utf8.RuneSelf {
				if (b|0x20)-'a' < 26 {
					if isLower(b) {
						small++
					} else if small > 0 && end > i && isLower(text[end-1]) {
						humps++
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
			if end-i > 5 || !is(isParticle, text[i:end]) {
				break
			}
			w.particle = true
		}
		if humps > 0 && !mayHump(text[i:end]) {
			break
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
			if w.kinds, w.roles = kindsOf(text[i:end]); isContraction(text[i:end]) {
				w.kinds, w.roles = names.Word, isStop
			}
			if w.is(isTitle) && f.byteAt(end) == '.' {
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

// mayHump reports whether a name may have an inner capital letter: McDonald, DiCaprio.
func mayHump(word string) bool {
	for _, prefix := range []string{"Mc", "Mac", "De", "Di", "La", "Le", "Du", "Van", "Von", "Fitz", "St"} {
		if rest, ok := strings.CutPrefix(word, prefix); ok && rest != "" && isUpper(rest[0]) {
			return strings.IndexFunc(rest[1:], unicode.IsUpper) < 0
		}
	}
	return strings.IndexByte(word, '-') > 0 || strings.IndexByte(word, '\'') > 0
}

// isContraction reports whether a word is a contraction, such as I'm, Don't, We'll.
func isContraction(word string) bool {
	at := strings.IndexAny(word, "'’")
	if at < 0 {
		return false
	}
	switch strings.TrimLeft(word[at:], "'’") {
	case "m", "ll", "ve", "d", "re", "t":
		return true
	}
	return false
}

// possessive reports whether an apostrophe is a possessive's, as in "Ada's".
func (f *finder) possessive(at int) bool {
	_, size := utf8.DecodeRuneInString(f.text[at:])
	rest := f.text[at+size:]
	return (strings.HasPrefix(rest, "s") || strings.HasPrefix(rest, "S")) && (len(rest) == 1 || !isWord(rest[1]))
}

// kindsOf returns the kinds and roles of a word; a hyphenated word has the kinds and roles of all
// its parts.
func kindsOf(word string) (names.Kinds, role) {
	var buffer [64]byte
	if len(word) > 48 {
		return 0, 0
	}
	lower := appendLower(buffer[:0], word)
	k, r := names.Of(lower), readRoles()[string(lower)]
	if k != 0 {
		return k, r
	}
	if first, second, ok := bytes.Cut(lower, []byte("-")); ok {
		a, b := names.Of(first), names.Of(second)
		return (a | b) & (names.First | names.Last | names.Place), r
	}
	if len(lower) > 3 && (string(lower[:2]) == "mc" || string(lower[:2]) == "o'" || bytes.HasPrefix(lower, []byte("o’"))) {
		return names.Last, r
	}
	return 0, r
}

// name looks for a name that begins at one of the words and returns the next word to examine.
func (f *finder) name(words []capitalWord, from int) int {
	start := from
	titled := from == 0 && is(isTitle, f.wordBefore(words[0].start)) // mr. Smith
	for start < len(words) && words[start].is(isTitle) {
		titled = true
		start++
	}
	if start == len(words) || words[start].particle && !titled {
		return start + 1
	}
	to := start // end of the name
	for to < len(words) && !words[to].is(isTitle) && f.belongs(words, start, to) {
		to++
	}
	for to > start && (words[to-1].particle || words[to-1].initial && f.text[words[to-1].start:words[to-1].end] == "I" || words[to-1].initial && to-1 == start && len(words) > to) {
		to--
	}
	if to == start {
		return start + 1
	}
	score := f.rateName(words[start:to], titled, words[to:])
	if w := words[start]; score < DefaultThreshold && to == start+1 && to == len(words) && w.kinds&(names.First|names.Last) != 0 && !w.is(isStop|isMonth) && !w.shouted {
		f.weak = append(f.weak, w)
	}
	if score > 0 {
		f.add(Person, "", words[start].start, words[to-1].end-f.fullStop(words[to-1]), score)
		return to
	}
	return start + 1
}

// fullStop returns 1 if a word is an initial whose full stop ends a sentence, else 0.
func (f *finder) fullStop(w capitalWord) int {
	if w.initial && f.text[w.end-1] == '.' && (w.end == len(f.text) || f.byteAt(w.end) == '\n') {
		return 1
	}
	return 0
}

// belongs reports whether a word may continue a name that begins at start.
func (f *finder) belongs(words []capitalWord, start, at int) bool {
	w := words[at]
	switch {
	case at == start, w.initial, w.particle:
		return at-start < 6
	case w.shouted != words[start].shouted && !words[start].initial:
		return false
	}
	if w.kinds&(names.First|names.Last) != 0 && (w.kinds&names.Word == 0 || w.kinds&names.Last != 0 && !w.is(isStop)) {
		return at-start < 5
	}
	// An unlisted word: a rare surname, after a first name.
	return w.kinds == 0 && at-start < 4 && !w.is(isOrganisation)
}

// rateName returns the score of words as the name of a person, 0 if they are not one. rest are the
// following words of the sequence.
func (f *finder) rateName(words []capitalWord, titled bool, rest []capitalWord) float64 {
	if len(rest) > 0 && rest[0].is(isOrganisation) {
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
	case tail.is(isOrganisation):
		return 0
	case head.shouted && c == 0 && head.kinds&names.Popular == 0:
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
	case firstName && full >= 3 && last >= full-1:
		return 0.7 // Grace Murray Hopper
	case firstName && head.kinds&names.Popular != 0 && tail.kinds == 0 && tail.end-tail.start > 3 && !tail.initial:
		return 0.6
	case firstName && tail.kinds&(names.First|names.Last) != 0 && c != 0:
		return 0.7
	case firstName && common == 2 && full == 2 && head.kinds&names.Popular != 0 && tail.kinds&names.Last != 0 && f.among(words):
		return 0.5 // Mark Baker
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
	case unknown > 0 && tail.kinds&names.Last != 0 && common == 0 && places == 0 && full <= 3:
		return 0.55
	case unknown > 0 && tail.kinds&names.First != 0 && common == 0 && places == 0 && full == 2:
		return 0.5
	case unknown > 0 && head.kinds&names.Last != 0 && common == 0 && places == 0 && full == 2 && f.among(words):
		return 0.5
	case unknown == full && full == 2 && !head.shouted && f.among(words):
		return 0.5 // names in languages that the lists cover poorly
	}
	return 0
}

// rateSingle rates a single name.
func (f *finder) rateSingle(w capitalWord, introduced bool, rest []capitalWord) float64 {
	switch {
	case len(rest) > 0, w.shouted && f.named&ofPerson == 0:
		return 0
	case (w.kinds&names.First != 0 || w.kinds&(names.Word|names.Place) == 0) && f.greeted(w):
		return 0.7
	case w.kinds&names.First != 0 && !w.is(isStop) && f.announced(w.start):
		return 0.7
	case w.is(isMonth | isStop), w.kinds&names.Word != 0:
		return 0
	}
	known := w.kinds&names.First != 0
	named := f.announced(w.start)
	does := is(isDeed, f.wordAfter(w.end)) || is(isDeed, f.wordBefore(w.start)) || f.owns(w.end)
	switch {
	case known && w.kinds&names.Place == 0 && introduced:
		return 0.8
	case known && w.kinds&names.Popular != 0:
		return 0.6
	case named && w.kinds&names.Place == 0 && w.end-w.start > 2:
		return 0.6
	case does && w.kinds&names.Place == 0 && w.end-w.start > 2:
		return 0.6
	case known && introduced:
		return 0.55
	case known && w.kinds&(names.Last|names.Place) == 0:
		return 0.5
	}
	return 0.4 * float64(w.kinds&names.Last/names.Last)
}

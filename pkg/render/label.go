package render

import (
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/internal/view"
)

// A border is a sequence of words by which a model recognizes one of our lines: the label (also
// in "[END OF CONTEXT FROM PREVIOUS AGENT]") or the lines around the data. Only the letters
// count, in any case and with anything between them: other characters, line breaks, invisible
// characters. Letters may be look-alikes.
type border struct {
	// at has the letters as bits: bit i of at[c] is set if letter i is c.
	at [26]uint64
	// n is the number of letters, and last the index of the first letter of the last word,
	// before which the words are broken up.
	n, last int
}

// looked are the borders to find.
var looked = [...]border{
	newBorder("contextfromprevious", "agent"),
	newBorder("contextfromtheprevious", "agent"),
	newBorder("handedover", "data"),
}

// newBorder returns the border of words in small letters, at most 63 in all.
func newBorder(words, last string) border {
	b := border{n: len(words + last), last: len(words)}
	for i, c := range []byte(words + last) {
		b.at[fold(c)] |= 1 << i
	}
	return b
}

// fold returns the number of a small letter. I and l have the same number, because they look alike.
func fold(c byte) int {
	if c == 'l' {
		c = 'i'
	}
	return int(c - 'a')
}

// A search finds a border in a text, letter by letter.
type search struct {
	// state has bit i set if the text ends with the first i letters.
	state uint64
	// last is the place of the first letter of the last word, once found.
	last int
}

// step reads a letter, as numbered by [fold], at a place of the text, and reports whether the
// border is complete. An optional letter may be skipped.
func (s *search) step(b *border, c, place int, optional bool) bool {
	next := ((s.state | 1) & b.at[c]) << 1
	if next>>(b.last+1)&1 != 0 {
		s.last = place
	}
	complete := next>>b.n&1 != 0
	next &^= 1 << b.n
	if optional {
		next |= s.state
	}
	s.state = next
	return complete
}

// searches are the searches for all [looked] borders.
type searches [len(looked)]search

// step reads letters at a place, and adds the edits for the complete borders.
func (all *searches) step(edits []edit, letters string, place int, optional bool) []edit {
	for i := range len(letters) {
		for k := range all {
			s := &all[k]
			if s.step(&looked[k], fold(letters[i]), place, optional) && (len(edits) == 0 || edits[len(edits)-1].at != s.last) {
				edits = append(edits, edit{s.last, 0, Quoted})
			}
		}
	}
	return edits
}

// join adds the partial matches of others. Of two places where a last word may begin, the later
// one is in both words.
func (all *searches) join(others *searches) {
	for k := range all {
		all[k].state |= others[k].state
		all[k].last = max(all[k].last, others[k].last)
	}
}

// idle reports whether no border has begun.
func (all *searches) idle() bool {
	for k := range all {
		if all[k].state != 0 {
			return false
		}
	}
	return true
}

// labels returns the edits that break up borders. An escape is read both as its character and as its literal
// text.
func labels(text string) (edits []edit) {
	var now searches
	// after has, in element i%len(after), the searches that continue at i, after an escape. None is after
	// last.
	var after [longestEscape + 1]searches
	last := 0
	idle := true // no border has begun
	for i := 0; i < len(text); {
		if idle && !mayBegin(text[i]) { // nearly always
			i++
			continue
		}
		if i <= last {
			behind := &after[i%len(after)]
			now.join(behind)
			*behind = searches{}
		}
		if r, n := escaped(text[i:]); n > 0 {
			decoded := now
			edits = decoded.step(edits, lettersOfRune(r), i, false)
			after[(i+n)%len(after)].join(&decoded)
			last = max(last, i+n)
		}
		letters, optional, n := lettersAt(text, i)
		edits = now.step(edits, letters, i, optional)
		i += n
		idle = last < i && now.idle()
	}
	return edits
}

// mayBegin reports whether c may begin one of the borders, or a look-alike of its first letter.
func mayBegin(c byte) bool {
	switch c {
	case 'c', 'C', 'h', 'H', '(', '\\', '%', '&':
		return true
	}
	return c >= utf8.RuneSelf
}

// lettersAt returns the small letters that the character at text[i] resembles, and its length in bytes. They
// are optional if it may also be a digit, a sign or part of an escape.
func lettersAt(text string, i int) (read string, optional bool, n int) {
	c := text[i]
	switch {
	case 'a' <= c|0x20 && c|0x20 <= 'z':
		k := (c | 0x20) - 'a'
		return alphabet[k : k+1], i > 0 && text[i-1] == '\\', 1
	case c < utf8.RuneSelf:
		return leet(c), true, 1
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	return lettersOfRune(r), false, n
}

const alphabet = "abcdefghijklmnopqrstuvwxyz"

// lettersOfRune returns the small letters that r resembles.
func lettersOfRune(r rune) string {
	plain := string(r)
	if r >= utf8.RuneSelf {
		plain = view.Skeleton(r)
	}
	return strings.Map(func(r rune) rune {
		if r |= 0x20; 'a' <= r && r <= 'z' {
			return r
		}
		return -1
	}, plain)
}

// leet returns the letter that a digit or sign may stand for, "" for others.
func leet(c byte) string {
	const from, to = "013457@$!|(", "oieastasiic"
	if i := strings.IndexByte(from, c); i >= 0 {
		return to[i : i+1]
	}
	return ""
}

package tokens

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// A class is a class of characters for the splitters, one of these bits.
type class uint8

const (
	upper         class = 1 << iota // Lu, Lt
	lower                           // Ll
	uncasedLetter                   // Lm, Lo
	mark                            // M
	number                          // N
	blank                           // white space other than newlines
	newline                         // CR, LF
	other

	letter = upper | lower | uncasedLetter
	symbol = mark | other
	prefix = mark | other | blank // may precede the letters of a word
)

// blocks has the classes of 256 characters each. Blocks with only class other share one array.
type blocks [(unicode.MaxRune + 1) >> 8]*[256]class

var classes = sync.OnceValue(func() *blocks {
	var b blocks
	var plain [256]class
	for i := range plain {
		plain[i] = other
	}
	for i := range b {
		b[i] = &plain
	}
	set := func(r rune, c class) {
		if b[r>>8] == &plain {
			own := plain
			b[r>>8] = &own
		}
		b[r>>8][r&0xFF] = c
	}
	for _, part := range []struct {
		class  class
		tables []*unicode.RangeTable
	}{
		{upper, []*unicode.RangeTable{unicode.Lu, unicode.Lt}},
		{lower, []*unicode.RangeTable{unicode.Ll}},
		{uncasedLetter, []*unicode.RangeTable{unicode.Lm, unicode.Lo}},
		{mark, []*unicode.RangeTable{unicode.M}},
		{number, []*unicode.RangeTable{unicode.N}},
		{blank, []*unicode.RangeTable{unicode.White_Space}},
	} {
		for _, table := range part.tables {
			for _, r := range table.R16 {
				for x := rune(r.Lo); x <= rune(r.Hi); x += rune(r.Stride) {
					set(x, part.class)
				}
			}
			for _, r := range table.R32 {
				for x := rune(r.Lo); x <= rune(r.Hi); x += rune(r.Stride) {
					set(x, part.class)
				}
			}
		}
	}
	for _, r := range unicode16 {
		for x := r.first; x <= r.last; x++ {
			set(x, r.class)
		}
	}
	set('\r', newline)
	set('\n', newline)
	return &b
})

// ascii has the classes of the characters below 0x80.
var ascii = func() (a [0x80]class) {
	for i := range a {
		switch c := byte(i); {
		case 'A' <= c && c <= 'Z':
			a[i] = upper
		case 'a' <= c && c <= 'z':
			a[i] = lower
		case '0' <= c && c <= '9':
			a[i] = number
		case c == '\r' || c == '\n':
			a[i] = newline
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			a[i] = blank
		default:
			a[i] = other
		}
	}
	return a
}()

// classAt returns the class of the character at i < len(s) and its length in bytes.
// A byte that is not UTF-8 is a character of class other.
func classAt(s string, i int) (class, int) {
	if s[i] < 0x80 {
		return ascii[s[i]], 1
	}
	r, w := utf8.DecodeRuneInString(s[i:])
	if w == 1 {
		return other, 1
	}
	return classes()[r>>8][r&0xFF], w
}

// is reports whether the character at i < len(s) is in one of the classes.
func is(s string, i int, of class) bool {
	c, _ := classAt(s, i)
	return c&of != 0
}

// run returns the end of the run of characters of the given classes that starts at i.
func run(s string, i int, of class) int {
	for i < len(s) {
		if s[i] < 0x80 {
			if ascii[s[i]]&of == 0 {
				break
			}
			i++
			continue
		}
		c, w := classAt(s, i)
		if c&of == 0 {
			break
		}
		i += w
	}
	return i
}

package privacy

import (
	"unicode"
	"unicode/utf8"
)

// The kinds of data that a byte may begin.
const (
	nothing = iota
	digit
	upper
	at
	high // a character beyond ASCII
)

// starts maps each byte to the kinds of data it may begin. Most of a text is read only for this
// lookup.
var starts = func() (table [256]uint8) {
	for b := range table {
		switch {
		case b >= '0' && b <= '9':
			table[b] = digit
		case b >= 'A' && b <= 'Z':
			table[b] = upper
		case b == '@':
			table[b] = at
		case b >= utf8.RuneSelf:
			table[b] = high
		}
	}
	return table
}()

// scan runs the detectors at each place where personal data may begin. Each returns the offset to
// continue from, after the place.
func (f *finder) scan() {
	text := f.text
	capitals := false
	for i := 0; i < len(text); {
		switch starts[text[i]] {
		case nothing:
			i++
		case digit:
			i = f.number(i)
		case upper:
			capitals = true
			i = f.capital(i)
		case at:
			i = f.email(i)
		case high:
			i = f.beyond(i)
		}
	}
	if !capitals {
		f.uncapitalised()
	}
}

// beyond examines a non-ASCII character.
func (f *finder) beyond(i int) int {
	r, size := utf8.DecodeRuneInString(f.text[i:])
	switch {
	case unicode.IsUpper(r):
		return f.capital(i)
	case isIdeograph(r), r >= 0xAC00 && r <= 0xD7A3:
		return f.eastern(i)
	}
	return i + size
}

func isIdeograph(r rune) bool { return r >= 0x4E00 && r <= 0x9FFF }

func isDigit(b byte) bool { return b-'0' < 10 }

func isUpper(b byte) bool { return b-'A' < 26 }

func isLower(b byte) bool { return b-'a' < 26 }

func isAlnum(b byte) bool { return isDigit(b) || (b|0x20)-'a' < 26 }

// isWord reports whether a byte is part of a word, counting every non-ASCII byte.
func isWord(b byte) bool { return isAlnum(b) || b >= utf8.RuneSelf }

// byteAt returns the byte at i, 0 outside the text.
func (f *finder) byteAt(i int) byte {
	if i < 0 || i >= len(f.text) {
		return 0
	}
	return f.text[i]
}

// Package gram turns text into the features that the model weighs: words, their neighbours, and the marks
// around them. Training and inference share it, so that both treat text in the same way.
package gram

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// A Token is a word, or one character of a script that is written without spaces.
type Token struct {
	// ID identifies the word by its first letters in lower case, all digits being equal.
	ID uint64
	// Start and End are the token's place in the text, in bytes.
	Start, End int
	// Before is the last character since the previous word that is not a space: '\n' for
	// a new line, startOfText for the start of the text, 0 for none.
	Before byte
	// Caps reports that the word is written in capitals throughout.
	Caps bool
}

const (
	stemLen   = 8 // bytes of an ASCII word that distinguish it
	stemRunes = 6 // the same for the runes of other words

	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte

	// Values of Token.Before for several characters.
	startOfText = '^'
	sentenceEnd = '.'
	quote       = '"'
	symbol      = '~'
)

// Classes of bytes by their effect on a word; the classes of letters come first.
const (
	lower = iota
	upper
	digit
	space
	punctuation
	wide // part of a rune outside ASCII
)

var classes = func() (t [256]uint8) {
	for c := range t {
		switch {
		case 'a' <= c && c <= 'z':
			t[c] = lower
		case 'A' <= c && c <= 'Z':
			t[c] = upper
		case '0' <= c && c <= '9':
			t[c] = digit
		case c == ' ', c == '\t', c == '\r':
			t[c] = space
		case c >= utf8.RuneSelf:
			t[c] = wide
		default:
			t[c] = punctuation
		}
	}
	return t
}()

func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0x9E3779B97F4A7C15
	return h ^ h>>29
}

// next sets t to the first token of text at or after from, and reports whether there is
// one. before is the Before of a token that follows at once.
func next(text string, from int, before byte, t *Token) bool {
	for i := from; i < len(text); {
		switch c := text[i]; classes[c] {
		case lower, upper, digit:
			asciiWord(text, i, before, t)
			return true
		case space:
			i++
		case wide:
			r, n := utf8.DecodeRuneInString(text[i:])
			switch {
			case unspaced(r):
				*t = Token{ID: mix(uint64(r) | 1<<40), Start: i, End: i + n, Before: before}
				return true
			case unicode.IsLetter(r):
				wideWord(text, i, before, t)
				return true
			}
			if mark := markOf(r); mark != 0 {
				before = mark
			}
			i += n
		default:
			before = c
			i++
		}
	}
	return false
}

// markOf returns the mark for a rune between words, 0 for a space.
func markOf(r rune) byte {
	switch r {
	case '。', '！', '？', '؟', '।', '…':
		return sentenceEnd
	case '“', '”', '„', '‘', '’', '「', '」', '«', '»':
		return quote
	}
	if unicode.IsSpace(r) || invisible(r) {
		return 0
	}
	return symbol
}

func asciiWord(text string, start int, before byte, t *Token) {
	word, n, capitals := letters(text, start)
	i := start + n
loop:
	for ; i < len(text); i++ {
		c := text[i]
		switch classes[c] {
		case lower:
			capitals = false
		case upper:
		case digit:
			c = '0'
		case wide:
			if r, _ := utf8.DecodeRuneInString(text[i:]); unicode.IsLetter(r) && !unspaced(r) || invisible(r) {
				wideWord(text, start, before, t)
				return
			}
			break loop
		default:
			if c != '\'' || i+1 == len(text) || classes[text[i+1]] > upper {
				break loop
			}
		}
		if n < stemLen {
			word |= uint64(c|0x20) << (8 * n)
			n++
		}
	}
	*t = Token{mix(word), start, i, before, capitals && n > 2}
}

// letters returns up to eight ASCII letters of text from i on, in lower case, the first
// in the lowest byte, their number, and whether all are capitals.
func letters(text string, i int) (word uint64, n int, capitals bool) {
	var raw uint64
	if i+8 <= len(text) {
		raw = load(text[i:])
	} else {
		for k := range len(text) - i {
			raw |= uint64(text[i+k]) << (8 * k)
		}
	}
	word, n = fold(raw)
	return word, n, raw&(1<<(8*n)-1)&(0x20*eachByte) == 0
}

// load returns the first eight bytes of s, the first in the lowest byte.
func load(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// fold returns the letters at the beginning of raw, in lower case, and their number.
func fold(raw uint64) (word uint64, n int) {
	folded := raw | 0x20*eachByte
	low := folded &^ highBits
	isLetter := (low + (0x80-'a')*eachByte) &^ (low + (0x80-'z'-1)*eachByte) &^ raw & highBits
	n = bits.TrailingZeros64(^isLetter&highBits) / 8
	return folded & (1<<(8*n) - 1), n
}

// wideWord reads a word that has letters outside ASCII.
func wideWord(text string, start int, before byte, t *Token) {
	h := uint64(1 << 41)
	caps, letters := true, 0
	i := start
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unicode.In(r, unicode.L, unicode.M, unicode.Nd) && !invisible(r) && r != '\'' || unspaced(r) {
			break
		}
		i += n
		if invisible(r) {
			continue
		}
		caps = caps && !unicode.IsLower(r)
		if letters++; letters <= stemRunes {
			h = bits.RotateLeft64(h, 7)*0x9E3779B97F4A7C15 + uint64(unicode.ToLower(r))
		}
	}
	*t = Token{mix(h), start, i, before, caps && letters > 2}
}

// unspaced reports whether r belongs to a script that does not separate words by spaces,
// or builds them of syllables: Chinese, Japanese, Korean, Thai, Lao.
func unspaced(r rune) bool {
	return r > 0x3020 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 ||
		r >= 0x0E00 && r <= 0x0EFF || r >= 0x20000 && r <= 0x3FFFF
}

// invisible reports whether r is not displayed, even inside a word.
func invisible(r rune) bool {
	return r == 0xAD || r >= 0x200B && r <= 0x200F || r >= 0x2060 && r <= 0x2064 || r == 0xFEFF
}

package view

import "golang.org/x/text/unicode/norm"

// Skeleton returns the ASCII characters that r, which must not be ASCII, resembles regardless of
// its context: a look-alike letter of another script, a styled, accented or full-width letter, a
// quote or dash, a space. It returns "" for zero-width characters, combining marks, and characters
// that resemble no ASCII character.
func Skeleton(r rune) string {
	switch classify(r) {
	case blank, mark, selector, tag:
		return ""
	case space:
		return " "
	}
	if 0x3041 <= r && r <= 0x30FF || 0x4E00 <= r && r <= 0x9FFF || 0xAC00 <= r && r <= 0xD7A3 {
		return "" // kana, Han, Hangul: frequent letters of texts without Latin ones
	}
	if l, ok := letterOf()[r]; ok {
		return string(rune(l))
	}
	if s := plainSign(r); s != "" {
		return s
	}
	plain := norm.NFKD.PropertiesString(string(r)).Decomposition()
	n := 0
	for n < len(plain) && plain[n] < 0x80 {
		n++
	}
	return string(plain[:n])
}

// Blank reports whether r, which must not be ASCII, has zero width or combines with the preceding
// letter.
func Blank(r rune) bool {
	switch classify(r) {
	case blank, mark, selector, tag:
		return true
	}
	return false
}

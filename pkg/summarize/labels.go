package summarize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Folded text is normalised for comparison: it ignores case, spaces ("7 pm", "7pm"), the form of
// digits ("１", "١", "1,200") and underscores instead of spaces.
type Folded string

// Fold normalises a text for comparison.
func Fold(s string) Folded {
	var b strings.Builder
	var last rune // the last rune written, except for a pending space
	space := false
	runes := []rune(s)
	for i, r := range runes {
		switch {
		case unicode.Is(unicode.Nd, r):
			r = '0' + rune(digitOf(r))
		case r == ',' && isDigitRune(last) && !space && i+1 < len(runes) && unicode.Is(unicode.Nd, runes[i+1]):
			continue
		case r == '_' || unicode.IsSpace(r):
			space = true
			continue
		case r == '’' || r == '‘':
			r = '\''
		default:
			r = unicode.ToLower(r)
		}
		if space && b.Len() > 0 && isWordRune(r) && isWordRune(last) && !(isDigitRune(last) && unicode.IsLetter(r)) && !(isUnbroken(last) && isUnbroken(r)) {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
		last = r
	}
	return Folded(b.String())
}

// Says reports whether the text contains the value, as whole words if the script separates words by
// spaces.
func (text Folded) Says(value Folded) bool {
	if value == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(string(value))
	final, _ := utf8.DecodeLastRuneInString(string(value))
	for from := 0; ; {
		at := strings.Index(string(text[from:]), string(value))
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(string(text[:at]))
		after, _ := utf8.DecodeRuneInString(string(text[at+len(value):]))
		if (at == 0 || mayPart(before, first)) && (at+len(value) == len(text) || mayPart(final, after)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(string(text[at:]))
		from = at + size
	}
}

// mayPart reports whether a word may end between two letters. A number may end before a letter,
// since Fold removes the space between them.
func mayPart(before, after rune) bool {
	if isDigitRune(before) && unicode.IsLetter(after) {
		return true
	}
	return !isWordRune(before) || !isWordRune(after) || isUnbroken(before) || isUnbroken(after)
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func isDigitRune(r rune) bool { return '0' <= r && r <= '9' }

// isUnbroken reports whether the letter's script writes words, or their endings, without spaces.
func isUnbroken(r rune) bool { return isGlyph(r) || unicode.Is(unicode.Hangul, r) }

// digitOf returns the value of a decimal digit: every script encodes its ten digits in sequence.
func digitOf(r rune) int {
	n := 0
	for unicode.Is(unicode.Nd, r-rune(n)-1) && n < 9 {
		n++
	}
	return n
}

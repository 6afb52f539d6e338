package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eaapl/handoff/internal/view"
)

// isHidden reports whether r is invisible, breaks a line or changes the direction of writing.
func isHidden(r rune) bool {
	switch {
	case r < ' ', 0x7F <= r && r < 0xA0, // control characters
		r == 0x2028, r == 0x2029, // breaks
		0xFFF9 <= r && r <= 0xFFFB: // annotations
		return true
	}
	return view.Ignorable(r)
}

// isNeeded reports whether the invisible character at text[i] is needed by its neighbours: a joiner in a
// script or an emoji that uses joiners, a direction mark beside a letter of a right-to-left script, the only
// selector of a sign or a Han character, the tags of a flag.
func isNeeded(text string, i int, r rune, n int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+n:])
	switch {
	case r == 0x200D && isPicture(before) && unicode.In(after, unicode.So, unicode.Sm):
		return true
	case r == 0x200C, r == 0x200D:
		return isIn(before, joined)
	case r == 0x200E, r == 0x200F, r == 0x61C:
		return isIn(before, rightToLeft) || isIn(after, rightToLeft)
	case r == 0xFE0E, r == 0xFE0F:
		return before >= utf8.RuneSelf && unicode.In(before, unicode.So, unicode.Sm) || strings.ContainsRune("‼⁉〰ℹ", before) || after == 0x20E3 // a key
	case 0xE0100 <= r && r <= 0xE01EF:
		return unicode.Is(unicode.Han, before)
	case 0x180B <= r && r <= 0x180F:
		return isIn(before, []*unicode.RangeTable{unicode.Mongolian})
	case 0xE0020 <= r && r <= 0xE007F:
		return inFlag(text, i)
	}
	return false
}

// isPicture reports whether r ends a part of an emoji.
func isPicture(r rune) bool {
	return unicode.Is(unicode.So, r) || r == 0xFE0F || 0x1F3FB <= r && r <= 0x1F3FF
}

// isIn reports whether r is a visible character of a script.
func isIn(r rune, scripts []*unicode.RangeTable) bool {
	return unicode.In(r, scripts...) && !isHidden(r)
}

var (
	// rightToLeft are the scripts written from the right; joined are the scripts in which joiners change the
	// shapes of letters.
	rightToLeft = []*unicode.RangeTable{unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Samaritan, unicode.Mandaic, unicode.Adlam}
	joined      = []*unicode.RangeTable{
		unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Adlam, unicode.Mongolian, unicode.Phags_Pa,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
		unicode.Malayalam, unicode.Sinhala, unicode.Tibetan, unicode.Myanmar, unicode.Khmer, unicode.Balinese, unicode.Javanese,
	}
)

// flags are the tags, as ASCII letters, that turn a black flag into the flag of England, Scotland or Wales.
var flags = []string{"gbeng", "gbsct", "gbwls"}

// inFlag reports whether the tag character at text[i] belongs to one of flags.
func inFlag(text string, i int) bool {
	const black, tag, end = "\U0001F3F4", len("\U000E0041"), "\U000E007F"
	start := i
	for range 6 { // the tags before it
		if strings.HasSuffix(text[:start], black) {
			break
		}
		if start -= tag; start < 0 {
			return false
		}
	}
	if !strings.HasSuffix(text[:start], black) {
		return false
	}
	for _, f := range flags {
		tags := strings.Map(func(c rune) rune { return 0xE0000 + c }, f) + end
		if strings.HasPrefix(text[start:], tags) && i < start+len(tags) {
			return true
		}
	}
	return false
}

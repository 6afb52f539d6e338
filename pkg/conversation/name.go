package conversation

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// LongestName is how many characters a name has at most: see [IsName].
const LongestName = 64

// IsName reports whether OpenAI's Chat API takes a text as the name of who says a message.
func IsName(text string) bool {
	return text != "" && utf8.RuneCountInString(text) <= LongestName && !strings.ContainsAny(text, `<|\/>`) && !strings.ContainsFunc(text, unicode.IsSpace)
}

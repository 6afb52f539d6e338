package conversation

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// LongestName is the maximum length of a name, in characters: see [IsName].
const LongestName = 64

// IsName reports whether OpenAI's Chat API accepts a text as the name of a message's author.
func IsName(text string) bool {
	return text != "" && utf8.RuneCountInString(text) <= LongestName && !strings.ContainsAny(text, `<|\/>`) && !strings.ContainsFunc(text, unicode.IsSpace)
}

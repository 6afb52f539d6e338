package jsonstream

import (
	"github.com/go-json-experiment/json/jsontext"
)

// AppendCompact appends text without the white space between its tokens and
// otherwise as it is. The text must be a JSON value that [Parse] accepts.
func AppendCompact(dst, text []byte) []byte {
	from := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			i = scanString(text, i)
		case isSpace(c):
			dst = append(dst, text[from:i]...)
			i = skipSpace(text, i)
			from = i
		default:
			i++
		}
	}
	return append(dst, text[from:]...)
}

// AppendIndent appends text with two spaces of indentation a level and
// otherwise as it is.
func AppendIndent(dst, text []byte) ([]byte, error) {
	return jsontext.AppendFormat(dst, text,
		jsontext.PreserveRawStrings(true), jsontext.Multiline(true), jsontext.WithIndent("  "))
}

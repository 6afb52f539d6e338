package jsonstream

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendCompact appends text without the white space between its tokens and
// otherwise as it is. The text must be a JSON value that [Parse] accepts.
func AppendCompact(dst, text []byte) []byte {
	from := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			i = stringEnd(text, i)
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

// stringEnd returns the end of the string at i.
func stringEnd(text []byte, i int) int {
	for i++; ; i++ {
		quote := bytes.IndexByte(text[i:], '"')
		if quote < 0 {
			return len(text)
		}
		i += quote
		escapes := 0
		for text[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// AppendIndent appends text with two spaces of indentation a level and
// otherwise as it is.
func AppendIndent(dst, text []byte) ([]byte, error) {
	return jsontext.AppendFormat(dst, text,
		jsontext.PreserveRawStrings(true), jsontext.Multiline(true), jsontext.WithIndent("  "))
}

package jsonstream

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendCompact appends text without the white space between its tokens. The text must be a JSON value that
// [Parse] accepts, or JSON Lines, which keep one value per line, without blank lines or a final line feed.
func AppendCompact(dst, text []byte) []byte {
	from := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			i = scanString(text, i)
		case isSpace(c):
			dst = append(dst, text[from:i]...)
			next := skipSpace(text, i)
			if separates(text, i, next) {
				dst = append(dst, '\n')
			}
			i, from = next, next
		default:
			i++
		}
	}
	return append(dst, text[from:]...)
}

// Line returns text without white space around it: as it is if it is on one line, and otherwise as
// [AppendCompact] does, which keeps JSON Lines on several lines.
func Line(text []byte) []byte {
	text = bytes.Trim(text, " \t\r\n")
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	return AppendCompact(make([]byte, 0, len(text)), text)
}

// separates reports whether the white space from i to next is between two values of JSON Lines. Within a
// value, one of the tokens next to it is a comma, a colon, an opening or a closing bracket.
func separates(text []byte, i, next int) bool {
	if i == 0 || next == len(text) {
		return false
	}
	switch text[i-1] {
	case ',', ':', '[', '{':
		return false
	}
	switch text[next] {
	case ',', ':', ']', '}':
		return false
	}
	return true
}

// AppendIndent appends text with an indentation of two spaces per level. JSON Lines stay compact, one value
// per line, as in [AppendCompact].
func AppendIndent(dst, text []byte) ([]byte, error) {
	indented, err := jsontext.AppendFormat(dst, text,
		jsontext.PreserveRawStrings(true), jsontext.Multiline(true), jsontext.WithIndent("  "))
	if err != nil {
		if _, problem := ParseLines(NewRaw(text), Unlimited()); problem == nil {
			return AppendCompact(dst, text), nil
		}
	}
	return indented, err
}

package openai

import (
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// appendPython appends a value as Python's json.dumps writes it with ensure_ascii=False: the
// separators are ", " and ": ", members keep their order, and strings have only the escapes
// that JSON requires. Numbers keep their text.
func appendPython(dst []byte, v jsonstream.Value) []byte {
	switch v.Kind() {
	case jsonstream.Object:
		return appendPythonObject(dst, v)
	case jsonstream.Array:
		dst = append(dst, '[')
		for i, element := range v.Elements() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendPython(dst, element)
		}
		return append(dst, ']')
	case jsonstream.String:
		return appendPythonString(dst, v.Text())
	default:
		return append(dst, v.Raw()...)
	}
}

// appendPythonObject omits the members with these names.
func appendPythonObject(dst []byte, v jsonstream.Value, omit ...string) []byte {
	dst = append(dst, '{')
	first := len(dst)
	for name, member := range v.Members() {
		if slices.Contains(omit, name) {
			continue
		}
		if len(dst) > first {
			dst = append(dst, ", "...)
		}
		dst = appendPythonString(dst, name)
		dst = append(dst, ": "...)
		dst = appendPython(dst, member)
	}
	return append(dst, '}')
}

func appendPythonString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		}
	}
	return append(append(dst, s[from:]...), '"')
}

package jsonstream

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote returns the characters of a quoted string. Without escapes, they share the document's memory,
// which never changes: copying would be most of the cost of a document.
func unquote(quoted []byte) string {
	inside := quoted[1 : len(quoted)-1]
	first := bytes.IndexByte(inside, '\\')
	if first < 0 {
		return inPlace(inside)
	}
	return inPlace(appendUnescaped(make([]byte, 0, len(inside)), inside, first))
}

// Unquote returns the characters of a quoted string of strict JSON. They are a part of quoted or, if it has
// escapes, are appended to buffer, which is returned too.
func Unquote(quoted, buffer []byte) (text, grown []byte) {
	inside := quoted[1 : len(quoted)-1]
	first := bytes.IndexByte(inside, '\\')
	if first < 0 {
		return inside, buffer
	}
	begin := len(buffer)
	buffer = appendUnescaped(buffer, inside, first)
	return buffer[begin:], buffer
}

// appendUnescaped appends the text of a string, without quotes and with its first backslash at an index,
// to dst. The string is strict JSON, so that its escapes are complete and its surrogates are in pairs.
func appendUnescaped(dst, s []byte, backslash int) []byte {
	for backslash >= 0 {
		dst = append(dst, s[:backslash]...)
		s = s[backslash:]
		switch c := s[1]; c {
		case 'u':
			n := 6
			r := rune(hex4(s, 2))
			if utf16.IsSurrogate(r) {
				r = utf16.DecodeRune(r, rune(hex4(s, 8)))
				n = 12
			}
			dst = utf8.AppendRune(dst, r)
			s = s[n:]
		default:
			dst = append(dst, unescaped[c])
			s = s[2:]
		}
		backslash = bytes.IndexByte(s, '\\')
	}
	return append(dst, s...)
}

// unescaped has the character of each escape of two characters, by the second one.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

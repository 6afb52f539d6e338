package streamschema

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// plain returns the characters of a quoted string: a part of raw, or, if it has escapes,
// those that it appends to buffer, which it returns too.
func plain(raw, buffer []byte) (text, grown []byte) {
	raw = raw[1 : len(raw)-1]
	next := bytes.IndexByte(raw, '\\')
	if next < 0 {
		return raw, buffer
	}
	begin := len(buffer)
	for next >= 0 {
		buffer = append(buffer, raw[:next]...)
		raw = raw[next:]
		size := len(`\n`)
		switch raw[1] {
		case 'b':
			buffer = append(buffer, '\b')
		case 'f':
			buffer = append(buffer, '\f')
		case 'n':
			buffer = append(buffer, '\n')
		case 'r':
			buffer = append(buffer, '\r')
		case 't':
			buffer = append(buffer, '\t')
		case 'u':
			size = len(`\u0000`)
			c := hex4(raw[2:])
			if utf16.IsSurrogate(c) { // the reader has seen to it that a pair follows
				c = utf16.DecodeRune(c, hex4(raw[size+2:]))
				size *= 2
			}
			buffer = utf8.AppendRune(buffer, c)
		default:
			buffer = append(buffer, raw[1])
		}
		raw = raw[size:]
		next = bytes.IndexByte(raw, '\\')
	}
	buffer = append(buffer, raw...)
	return buffer[begin:], buffer
}

func hex4(digits []byte) rune {
	value := rune(0)
	for _, c := range digits[:4] {
		switch {
		case c <= '9':
			c -= '0'
		default:
			c = c | 0x20 - 'a' + 10
		}
		value = value<<4 | rune(c)
	}
	return value
}

package secrets

import (
	"strconv"
	"strings"
)

// HideJSON is [Hide] for a piece of JSON, which may begin and end anywhere. It also finds credentials that
// contain escapes. The length does not change.
func HideJSON(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return Hide(text)
	}
	read := make([]byte, 0, len(text))
	from := make([]int, 0, len(text)+1) // the offset in text of each byte of read
	for i := 0; i < len(text); {
		c, n := unescape(text[i:])
		read, from = append(read, c), append(from, i)
		i += n
	}
	from = append(from, len(text))
	hidden := []byte(text)
	shown := Hide(string(read))
	for i := range read {
		if shown[i] == read[i] {
			continue
		}
		for at := from[i]; at < from[i+1]; at++ {
			hidden[at] = '*'
		}
	}
	return string(hidden)
}

// unescape returns the byte at the beginning of a text and the length of its encoding. It decodes only
// escapes of ASCII characters.
func unescape(text string) (c byte, length int) {
	if text[0] != '\\' || len(text) == 1 {
		return text[0], 1
	}
	switch text[1] {
	case '"', '\\', '/':
		return text[1], 2
	case 'n':
		return '\n', 2
	case 'r', 't', 'b', 'f':
		return '\t', 2
	case 'u':
		if len(text) >= len(`\u0041`) {
			if r, err := strconv.ParseUint(text[2:6], 16, 7); err == nil {
				return byte(r), 6
			}
		}
	}
	return '\\', 1
}

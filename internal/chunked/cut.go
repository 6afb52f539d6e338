package chunked

import "github.com/go-json-experiment/json/jsontext"

// longestCharacter is the maximum length of one character in a JSON string: an escaped surrogate
// pair.
const longestCharacter = len(`\ud83d\ude00`)

// cut returns the length of the longest prefix of inner, a strict JSON string without its quotes,
// that has at most n bytes and does not split a character.
func cut(inner []byte, n int) int {
	at := 0
	for at < len(inner) {
		width := 1
		switch b := inner[at]; {
		case b == '\\' && inner[at+1] == 'u':
			width = len(`\u0000`)
			if isHighSurrogate(inner[at+2 : at+4]) {
				width = longestCharacter
			}
		case b == '\\':
			width = len(`\n`)
		case b >= 0xF0:
			width = 4
		case b >= 0xE0:
			width = 3
		case b >= 0xC0:
			width = 2
		}
		if at+width > n {
			break
		}
		at += width
	}
	return at
}

// isHighSurrogate reports whether digits begin an escape from \ud800 to \udbff.
func isHighSurrogate(digits []byte) bool {
	return digits[0]|0x20 == 'd' && (digits[1] == '8' || digits[1] == '9' || digits[1]|0x20 == 'a' || digits[1]|0x20 == 'b')
}

// quote returns text as a JSON string.
func quote(text string) []byte {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		panic("a name of strict JSON is not UTF-8") // the parser has checked it
	}
	return quoted
}

package chunked

import "github.com/go-json-experiment/json/jsontext"

// longestCharacter is how long one character of a string may be as it is written: a surrogate
// pair in escapes.
const longestCharacter = len(`\ud83d\ude00`)

// cut returns how many bytes of a string of strict JSON, without its quotes, are at most n and
// end with a character.
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

// isHighSurrogate reports whether these are the first digits of \ud800 to \udbff.
func isHighSurrogate(digits []byte) bool {
	return digits[0]|0x20 == 'd' && (digits[1] == '8' || digits[1] == '9' || digits[1]|0x20 == 'a' || digits[1]|0x20 == 'b')
}

// quote returns a text as a JSON string.
func quote(text string) []byte {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		panic("a name of strict JSON is not UTF-8") // the parser has checked it
	}
	return quoted
}

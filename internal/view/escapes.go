package view

import (
	"html"
	"strings"
	"unicode/utf8"
)

// unescape writes text with the escapes that begin with mark decoded. decode returns the decoded
// text of the escape at the start of its argument and the escape's length, 0 if there is none.
func unescape(b *builder, mark string, decode func(string) (string, int)) {
	for i := 0; ; {
		k := strings.IndexAny(b.text[i:], mark)
		if k < 0 {
			b.keep(i, len(b.text))
			return
		}
		b.keep(i, i+k)
		i += k
		s, n := decode(b.text[i:])
		if n == 0 {
			b.keep(i, i+1)
			n = 1
		} else {
			b.put(s, i, i+n)
		}
		i += n
	}
}

func unpercent(b *builder)   { unescape(b, "%=", decodePercent) }
func unentity(b *builder)    { unescape(b, "&", decodeEntity) }
func unbackslash(b *builder) { unescape(b, `\`, decodeBackslash) }

// decodePercent decodes %69 and, in quoted-printable text, =69 and = at a line's end.
func decodePercent(s string) (string, int) {
	if s[0] == '=' && !isQuotedPrintable(s) {
		switch {
		case strings.HasPrefix(s, "=\r\n"):
			return "", 3
		case strings.HasPrefix(s, "=\n"):
			return "", 2
		}
		return "", 0
	}
	v, ok := hexValue(s, 1, 2)
	if !ok {
		return "", 0
	}
	return string([]byte{byte(v)}), 3
}

// isQuotedPrintable reports whether s begins with an escape that is specific to quoted-printable
// text: it has capital digits and encodes a letter or a character that must be escaped, or follows
// another escape.
func isQuotedPrintable(s string) bool {
	if len(s) < 3 || s[0] != '=' {
		return false
	}
	v, ok := hexValue(s, 1, 2)
	if !ok || s[1] > 'F' || s[2] > 'F' || v < ' ' && v != '\n' && v != '\r' {
		return false
	}
	return v == '=' || v == ' ' || v >= 0x80 || isLetter(byte(v))
}

// decodeEntity decodes &#105; and &#x69;, also without the semicolon, and &lt;.
func decodeEntity(s string) (string, int) {
	n := entityLen(s)
	if n == 0 {
		return "", 0
	}
	t := html.UnescapeString(s[:n])
	if t == s[:n] {
		return "", 0
	}
	return t, n
}

// entityLen returns the length of an apparent character reference at the start of s, and 0 if there
// is none.
func entityLen(s string) int {
	const longest = 32 // length of the longest name with & and ;
	i, numeric := 1, false
	if len(s) > 3 && s[1] == '#' {
		i, numeric = 2, true
		if s[2]|0x20 == 'x' {
			i = 3
		}
	}
	digits := i
	for i < len(s) && i <= longest && isAlnum(s[i]) && (!numeric || isDigit(s[i]) || digits == 3 && isHex(s[i])) {
		i++
	}
	switch {
	case i == digits:
		return 0
	case i < len(s) && s[i] == ';':
		return i + 1
	case numeric:
		return i
	}
	return 0
}

// decodeBackslash decodes \x69, \u0069 and pairs of them, \u{69}, \U00000069, \151, and
// the white space escapes.
func decodeBackslash(s string) (string, int) {
	if len(s) < 2 {
		return "", 0
	}
	switch s[1] {
	case 'n', 'r':
		return "\n", 2
	case 't':
		return "\t", 2
	case 'x':
		if v, ok := hexValue(s, 2, 2); ok {
			return string([]byte{byte(v)}), 4
		}
	case 'u':
		return decodeUnicode(s)
	case 'U':
		if v, ok := hexValue(s, 2, 8); ok && v <= utf8.MaxRune {
			return string(v), 10
		}
	case '0', '1', '2', '3':
		if len(s) >= 4 && s[2]-'0' < 8 && s[3]-'0' < 8 {
			return string([]byte{(s[1]-'0')<<6 | (s[2]-'0')<<3 | (s[3] - '0')}), 4
		}
	}
	return "", 0
}

func decodeUnicode(s string) (string, int) {
	if len(s) > 2 && s[2] == '{' {
		end := strings.IndexByte(s[:min(len(s), len(`\u{000000}`))], '}')
		if v, ok := hexValue(s, 3, end-3); ok && v <= utf8.MaxRune {
			return string(v), end + 1
		}
		return "", 0
	}
	v, ok := hexValue(s, 2, 4)
	if !ok {
		return "", 0
	}
	if v>>10 == 0xD800>>10 && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if low, ok := hexValue(s, 8, 4); ok && low>>10 == 0xDC00>>10 {
			return string(0x10000 + (v&0x3FF)<<10 + low&0x3FF), 12
		}
	}
	return string(v), 6
}

// hexValue returns the value of the n hexadecimal digits at s[i:].
func hexValue(s string, i, n int) (v rune, ok bool) {
	if n <= 0 || i+n > len(s) {
		return 0, false
	}
	for _, c := range []byte(s[i : i+n]) {
		switch {
		case !isHex(c):
			return 0, false
		case isDigit(c):
			v = v<<4 | rune(c-'0')
		default:
			v = v<<4 | rune(c|0x20-'a'+10)
		}
	}
	return v, true
}

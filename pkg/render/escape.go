package render

import (
	"strconv"
	"strings"
)

// longestEscape is the maximum length in bytes of an escape.
const longestEscape = 12

// escaped reads an escape at the start of s, as in texts within texts, for one character: of JSON, of HTML (a
// named one counts as a space) or of URLs. It returns 0 bytes if there is none.
func escaped(s string) (r rune, n int) {
	number := func(digits string, base, n int) (rune, int) {
		v, err := strconv.ParseUint(digits, base, 20)
		if err != nil {
			return 0, 0
		}
		return rune(v), n
	}
	switch {
	case len(s) >= len(`\u0000`) && s[0] == '\\' && s[1]|0x20 == 'u':
		return number(s[2:6], 16, 6)
	case len(s) >= len(`\x00`) && s[0] == '\\' && s[1]|0x20 == 'x':
		return number(s[2:4], 16, 4)
	case len(s) >= len(`%00`) && s[0] == '%':
		return number(s[1:3], 16, 3)
	case s[0] == '&':
		end := strings.IndexByte(s[:min(len(s), longestEscape)], ';')
		switch {
		case end < 3:
			return 0, 0
		case s[1] != '#':
			if strings.Trim(strings.ToLower(s[1:end]), alphabet) != "" {
				return 0, 0
			}
			return ' ', end + 1
		case s[2]|0x20 == 'x':
			return number(s[3:end], 16, end+1)
		}
		return number(s[2:end], 10, end+1)
	}
	return 0, 0
}

// unescaped reads an escape at the start of a text for one character: of HTML, also without a semicolon where
// browsers need none, of JSON or of URLs. It returns 0 bytes if there is none.
func unescaped(text string) (r rune, n int) {
	switch text[0] {
	case '\\', '%':
		return escaped(text)
	case '&':
	default:
		return 0, 0
	}
	rest := text[1:]
	for range 3 { // escaped again
		rest = strings.TrimPrefix(rest, "amp;")
	}
	if strings.HasPrefix(rest, "#") {
		return reference(text, len(text)-len(rest)+1)
	}
	for _, e := range entities {
		if len(rest) < len(e.name) || !strings.EqualFold(rest[:len(e.name)], e.name) {
			continue
		}
		end := len(text) - len(rest) + len(e.name)
		switch {
		case strings.HasPrefix(text[end:], ";"):
			return e.r, end + 1
		case e.open:
			return e.r, end
		}
	}
	return 0, 0
}

// reference reads the number of a character of HTML, whose digits begin at text[i].
func reference(text string, i int) (r rune, n int) {
	base, digits := 10, "0123456789"
	if i < len(text) && text[i]|0x20 == 'x' {
		base, digits = 16, "0123456789abcdefABCDEF"
		i++
	}
	end := i
	for end < len(text) && end-i < 8 && strings.IndexByte(digits, text[end]) >= 0 {
		end++
	}
	v, err := strconv.ParseUint(text[i:end], base, 21)
	if err != nil {
		return 0, 0
	}
	if strings.HasPrefix(text[end:], ";") {
		end++
	}
	return rune(v), end
}

// entities are the HTML names of the characters of marks and of invisible characters. Browsers read an open
// one without its semicolon.
var entities = []struct {
	name string
	r    rune
	open bool
}{
	{"lt", '<', true}, {"gt", '>', true}, {"quot", '"', true}, {"nbsp", ' ', true}, {"shy", 0xAD, true},
	{"lsqb", '[', false}, {"lbrack", '[', false}, {"rsqb", ']', false}, {"rbrack", ']', false},
	{"verticalline", '|', false}, {"verbar", '|', false}, {"vert", '|', false}, {"sol", '/', false},
	{"colon", ':', false}, {"num", '#', false}, {"lowbar", '_', false}, {"underbar", '_', false}, {"newline", '\n', false}, {"tab", '\t', false},
	{"zwnj", 0x200C, false}, {"zwj", 0x200D, false}, {"lrm", 0x200E, false}, {"rlm", 0x200F, false}, {"zerowidthspace", 0x200B, false}, {"nobreak", 0x2060, false},
}

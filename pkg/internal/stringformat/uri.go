package stringformat

import (
	"strings"
	"unicode/utf8"
)

// identifiers checks URIs (RFC 3986) or, if international, IRIs (RFC 3987).
type identifiers struct{ international bool }

var (
	uris = identifiers{}
	iris = identifiers{international: true}
)

func (i identifiers) isAbsolute(text string) bool {
	hasScheme, ok := i.parse(text)
	return ok && hasScheme
}

func (i identifiers) isReference(text string) bool {
	_, ok := i.parse(text)
	return ok
}

// parse parses a reference: scheme ":" "//" authority path "?" query "#" fragment, all optional
// except the path.
func (i identifiers) parse(text string) (hasScheme, ok bool) {
	text, fragment, _ := strings.Cut(text, "#")
	text, query, _ := strings.Cut(text, "?")
	if !i.consists(fragment, ":@/?", false) || !i.consists(query, ":@/?", true) {
		return false, false
	}
	if colon := strings.IndexAny(text, ":/"); colon >= 0 && text[colon] == ':' {
		if !isScheme(text[:colon]) {
			return false, false
		}
		hasScheme, text = true, text[colon+1:]
	}
	if rest, hasAuthority := strings.CutPrefix(text, "//"); hasAuthority {
		slash := strings.IndexByte(rest, '/')
		if slash < 0 {
			slash = len(rest)
		}
		if !i.isAuthority(rest[:slash]) {
			return false, false
		}
		text = rest[slash:]
	}
	return hasScheme, i.consists(text, ":@/", false)
}

func isScheme(text string) bool {
	for i := range len(text) {
		if c := text[i]; !isLetter(c) && (i == 0 || !isDigit(c) && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return text != ""
}

func (i identifiers) isAuthority(text string) bool {
	user, host, hasUser := strings.Cut(text, "@")
	if !hasUser {
		user, host = "", text
	}
	if !i.consists(user, ":", false) {
		return false
	}
	if literal, ok := strings.CutPrefix(host, "["); ok {
		literal, port, ok := strings.Cut(literal, "]")
		return ok && (port == "" || port[0] == ':' && isDigits(port[1:])) && (isIPv6(literal) || isIPvFuture(literal))
	}
	name, port, _ := strings.Cut(host, ":")
	return i.consists(name, "", false) && isDigits(port)
}

// isIPvFuture reports whether an address is an IPvFuture: v1.x.
func isIPvFuture(text string) bool {
	version, address, ok := strings.Cut(text, ".")
	if !ok || len(version) < 2 || version[0]|0x20 != 'v' || address == "" {
		return false
	}
	for i := range len(version) - 1 {
		if !isHex(version[i+1]) {
			return false
		}
	}
	return !strings.Contains(address, "%") && uris.consists(address, ":", false)
}

// consists reports whether a text consists of unreserved characters, sub-delimiters, characters in
// others, and percent-encoded bytes. private allows private characters, for queries.
func (i identifiers) consists(text, others string, private bool) bool {
	for at := 0; at < len(text); at++ {
		c := text[at]
		switch {
		case isLetter(c) || isDigit(c) || strings.IndexByte("-._~!$&'()*+,;=", c) >= 0 || strings.IndexByte(others, c) >= 0:
		case c == '%':
			if len(text)-at < 3 || !isHex(text[at+1]) || !isHex(text[at+2]) {
				return false
			}
			at += 2
		case c >= utf8.RuneSelf && i.international:
			r, size := utf8.DecodeRuneInString(text[at:])
			if !isInternational(r) && !(private && isPrivate(r)) {
				return false
			}
			at += size - 1
		default:
			return false
		}
	}
	return true
}

// isInternational reports whether RFC 3987 allows a non-ASCII character in all parts.
func isInternational(r rune) bool {
	switch {
	case r < 0x10000:
		return 0xa0 <= r && r <= 0xd7ff || 0xf900 <= r && r <= 0xfdcf || 0xfdf0 <= r && r <= 0xffef
	case 0xe0000 <= r && r < 0xe1000 || r >= 0xf0000:
		return false
	}
	return r&0xffff <= 0xfffd
}

// isPrivate reports whether RFC 3987 allows a character only in queries.
func isPrivate(r rune) bool {
	return 0xe000 <= r && r <= 0xf8ff || r >= 0xf0000 && r&0xffff <= 0xfffd
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isHex(c byte) bool    { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

package summarize

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// alphabet maps an ASCII letter to its lower case, a digit to itself, a character that can be inside
// a word to the condition for that, and bytes of non-ASCII characters to runes.
var alphabet = func() (a [256]byte) {
	for c := range a {
		switch {
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'z':
			a[c] = byte(c)
		case c >= 'A' && c <= 'Z':
			a[c] = byte(c | 0x20)
		case c >= utf8.RuneSelf:
			a[c] = runes
		}
	}
	for _, c := range "._-@" {
		a[c] = joins
	}
	for _, c := range ":/," {
		a[c] = joinsDigits
	}
	return a
}()

const (
	joins       byte = iota + 1 // joins letters and digits
	joinsDigits                 // joins only digits
	runes
)

// appendSums appends the sums of the words of a unit: its runs of letters and digits, with the
// characters that join them. Runs of one letter are left out.
func appendSums(dst []uint32, text string) []uint32 {
	for i := 0; i < len(text); {
		h, start := uint64(hashSeed), i
		letters, marks := 0, 0
	word:
		for i < len(text) {
			c := alphabet[text[i]]
			switch {
			case c >= '0':
				h = (h ^ uint64(c)) * hashPrime
				if c > '9' {
					letters++
				}
				i++
			case c == runes:
				r, size := letterAt(text[i:])
				if r == 0 {
					break word
				}
				h = hashLetter(h, r)
				letters += 2
				i += size
			case i > start && c != 0 && joinsAt(text, i):
				h = (h ^ uint64(text[i])) * hashPrime
				marks++
				i++
			default:
				break word
			}
		}
		switch {
		case letters == 1 && i-start == 1:
		case marks > 0 && letters == 0:
			dst = append(dst, fold(hashNumber(text[start:i])))
		case marks > 0 && text[start]|0x20 == 'v' && text[start+1]-'0' < 10 && letters == 1:
			dst = append(dst, fold(hashNumber(text[start+1:i])))
		case i > start:
			dst = append(dst, fold(h))
		}
		if i < len(text) && text[i] < utf8.RuneSelf {
			i++
		} else if i < len(text) {
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
		}
	}
	return dst
}

// fold reduces a hash to a sum.
func fold(h uint64) uint32 { return uint32(h * 0x9E3779B97F4A7C15 >> 32) }

// letterAt returns the lower case of the non-ASCII letter at the beginning of a text, and its size,
// or 0 if there is none.
func letterAt(text string) (rune, int) {
	r, size := utf8.DecodeRuneInString(text)
	if !unicode.IsLetter(r) || isBreak(r) {
		return 0, size
	}
	return unicode.ToLower(r), size
}

// joinsAt reports whether the character at i > 0 joins the letters or digits around it.
func joinsAt(text string, i int) bool {
	if i+1 == len(text) {
		return false
	}
	next := alphabet[text[i+1]]
	if alphabet[text[i]] == joins {
		if next == runes {
			r, _ := letterAt(text[i+1:])
			return r != 0
		}
		return next >= '0'
	}
	if !isDigit(text[i-1]) || !isDigit(text[i+1]) {
		return false
	}
	if text[i] != ',' {
		return true
	}
	n := 1
	for n < 4 && i+1+n < len(text) && isDigit(text[i+1+n]) {
		n++
	}
	return n < 4 // otherwise it is in a list of numbers
}

func isDigit(c byte) bool { return c-'0' < 10 }

// hashNumber returns the hash of digits with marks between them. Amounts have the same hash with any
// punctuation: "1,250.00", "1.250,00" and "1250".
func hashNumber(text string) uint64 {
	var buffer [maxToken]byte
	digits := buffer[:0]
	if whole, decimals, ok := parseAmount(text); ok {
		for i := range len(whole) {
			if isDigit(whole[i]) {
				digits = append(digits, whole[i])
			}
		}
		if decimals != "" {
			digits = append(append(digits, '.'), decimals...)
		}
		// "2.0" may be a version.
		if len(decimals) == 2 || len(whole) > 1 && decimals != "" {
			digits = bytes.TrimSuffix(bytes.TrimRight(digits, "0"), []byte{'.'})
		}
	} else {
		digits = append(digits, text...)
	}
	h := uint64(hashSeed)
	for _, c := range digits {
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}

// parseAmount splits a number at its decimal mark. A comma or full stop is one if it is the only one
// of its kind and not followed by three digits, like a thousands separator. ok is false for
// versions, dates and addresses.
func parseAmount(text string) (whole, decimals string, ok bool) {
	at := strings.LastIndexAny(text, ".,")
	if at < 0 {
		return "", "", false
	}
	mark, other := text[at], '.'^','^text[at]
	whole, decimals = text[:at], text[at+1:]
	if strings.IndexByte(whole, mark) >= 0 || len(decimals) == 3 && text[0] != '0' && strings.IndexByte(whole, other) < 0 {
		return text, "", isGrouped(text, mark)
	}
	return whole, decimals, isDigits(decimals) && isGrouped(whole, other)
}

// isGrouped reports whether a number has a mark before every group of three digits.
func isGrouped(text string, mark byte) bool {
	head, rest, _ := strings.Cut(text, string(mark))
	for rest != "" {
		if len(rest) < 3 || !isDigits(rest[:3]) || len(rest) > 3 && rest[3] != mark {
			return false
		}
		rest = rest[min(4, len(rest)):]
	}
	return isDigits(head) && (len(head) <= 3 || len(head) == len(text))
}

func isDigits(text string) bool {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return false
		}
	}
	return true
}

package redact

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/eaapl/handoff/pkg/privacy"
)

// A stream generates pseudorandom numbers from a key.
type stream func() uint64

// below returns a number in [0, n).
func (s stream) below(n int) int { return int(s() % uint64(n)) }

// maxTries is the maximum number of draws for digits with a valid check digit.
const maxTries = 200_000

// imitate returns another value of the same form: the same separators, as many digits, valid check
// digits and, for addresses that can be reached, one reserved for documentation (RFC 2606, RFC
// 2544, RFC 3849).
func imitate(p piece, s stream) string {
	switch p.class {
	case privacy.Email:
		return s.word(8) + fmt.Sprint(s.below(100000)) + "@example.com"
	case privacy.IP:
		if p.kind == "ipv6" {
			return fmt.Sprintf("2001:db8:%x:%x:%x:%x:%x:%x", s.below(65535)+1, s.below(65535)+1, s.below(65535)+1, s.below(65535)+1, s.below(65535)+1, s.below(65535)+1)
		}
		return fmt.Sprintf("198.%d.%d.%d", 18+s.below(2), s.below(256), s.below(256))
	case privacy.MAC:
		return s.scramble(p.value, "0123456789abcdef")
	case privacy.BirthDate:
		return s.date(p.value)
	case privacy.Person, privacy.Address:
		return s.words(p.value)
	case privacy.IBAN, privacy.Card, privacy.NationalID, privacy.Phone:
		for range maxTries {
			if other := s.digits(p); privacy.Valid(p.class, p.kind, other) {
				return other
			}
		}
	}
	return s.scramble(p.value, "")
}

// digits replaces the digits of a number but keeps the digits that identify its kind.
func (s stream) digits(p piece) string {
	kept := 0 // number of characters kept
	switch p.class {
	case privacy.IBAN:
		return privacy.SealIBAN(p.value[:4] + s.scramble(p.value[4:], ""))
	case privacy.Card:
		kept = 4
	case privacy.Phone:
		if p.value[0] == '+' {
			kept = 4
		}
	}
	kept = min(kept, len(p.value))
	other := p.value[:kept] + s.scramble(p.value[kept:], "")
	if p.kind == "cn-resident-id" { // few random numbers have a valid date in the middle
		other = other[:6] + fmt.Sprintf("%d%02d%02d", 1940+s.below(65), 1+s.below(12), 1+s.below(28)) + other[14:17] + p.value[17:]
	}
	return other
}

// scramble replaces digits by digits and letters by letters of the same case. A 0 stays, and no
// other digit becomes 0. With an alphabet, all letters and digits are drawn from it.
func (s stream) scramble(value, alphabet string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case alphabet != "" && (unicode.IsDigit(r) || unicode.IsLetter(r)):
			other := rune(alphabet[s.below(len(alphabet))])
			if unicode.IsUpper(r) {
				return unicode.ToUpper(other)
			}
			return other
		case r == '0':
			return r
		case r >= '1' && r <= '9':
			return '1' + rune(s.below(9))
		case r >= 'a' && r <= 'z':
			return 'a' + rune(s.below(26))
		case r >= 'A' && r <= 'Z':
			return 'A' + rune(s.below(26))
		case r >= 0x4E00 && r <= 0x9FFF:
			return []rune("甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥")[s.below(22)]
		case r >= 0xAC00 && r <= 0xD7A3:
			return []rune("가나다라마바사아자차카타파하거너더러머버서어")[s.below(22)]
		case unicode.IsUpper(r):
			return 'A' + rune(s.below(26))
		case unicode.IsLetter(r):
			return 'a' + rune(s.below(26))
		}
		return r
	}, value)
}

// word returns a pronounceable word of n letters.
func (s stream) word(n int) string {
	b := make([]byte, n)
	for i := range b {
		if letters := "bdfgklmnprstvz"; i%2 == 0 {
			b[i] = letters[s.below(len(letters))]
		} else {
			b[i] = "aeiou"[s.below(5)]
		}
	}
	return string(b)
}

// words replaces each word by one of another length, and each number by another.
func (s stream) words(value string) string {
	var b strings.Builder
	runes := []rune(value)
	for i := 0; i < len(runes); {
		j := i
		for j < len(runes) && unicode.IsLetter(runes[j]) && runes[j] < 0x3000 {
			j++
		}
		switch n := j - i; {
		case n == 0:
			b.WriteString(s.scramble(string(runes[i]), ""))
			j++
		case n == 1:
			b.WriteString(s.scramble(string(runes[i:j]), ""))
		default:
			word := s.word(4 + s.below(4))
			switch {
			case unicode.IsUpper(runes[i]) && unicode.IsUpper(runes[j-1]):
				word = strings.ToUpper(word)
			case unicode.IsUpper(runes[i]):
				word = strings.ToUpper(word[:1]) + word[1:]
			}
			b.WriteString(word)
		}
		i = j
	}
	return b.String()
}

// date replaces the numbers of a date so that the result is a date in the same form, whichever
// number is the month. Names of months stay.
func (s stream) date(value string) string {
	var b strings.Builder
	for i := 0; i < len(value); {
		j := i
		for j < len(value) && value[j] >= '0' && value[j] <= '9' {
			j++
		}
		switch j - i {
		case 0:
			b.WriteByte(value[i])
			j++
		case 1:
			fmt.Fprint(&b, 1+s.below(9))
		case 2:
			fmt.Fprintf(&b, "%02d", 1+s.below(12))
		case 4:
			fmt.Fprint(&b, 1940+s.below(65))
		case 8:
			if value[i:i+2] == "19" || value[i:i+2] == "20" {
				fmt.Fprintf(&b, "%d%02d%02d", 1940+s.below(65), 1+s.below(12), 1+s.below(12))
			} else {
				fmt.Fprintf(&b, "%02d%02d%d", 1+s.below(12), 1+s.below(12), 1940+s.below(65))
			}
		default:
			b.WriteString(s.scramble(value[i:j], ""))
		}
		i = j
	}
	return b.String()
}

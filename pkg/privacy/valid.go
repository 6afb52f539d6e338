package privacy

import (
	"strings"

	"github.com/eaapl/handoff/pkg/privacy/internal/phone"
)

// Valid reports whether a value satisfies the check digits, ranges and lengths of a class and kind.
// It returns true for classes without any.
func Valid(class Class, kind, value string) bool {
	plain := alnum(value)
	switch class {
	case Card:
		return len(plain) >= 12 && cardScheme(plain) == kind && luhn(plain)
	case IBAN:
		return len(plain) == ibanLength(string(plain[:2])) && mod97(append(append([]byte{}, plain[4:]...), plain[:4]...)) == 1
	case Phone:
		if digits, ok := strings.CutPrefix(value, "+"); ok && kind != "" {
			region, ok := phone.International(string(alnum(digits)))
			return ok && region == kind
		}
		return true
	case NationalID:
		for i := range ids {
			if ids[i].kind == kind {
				return ids[i].valid(plain)
			}
		}
	}
	return true
}

// SealIBAN returns an IBAN with correct check digits for its other characters.
func SealIBAN(iban string) string {
	plain := alnum(iban)
	if len(plain) < 5 {
		return iban
	}
	check := 98 - mod97(append(append([]byte{}, plain[4:]...), plain[0], plain[1], '0', '0'))
	return iban[:2] + string([]byte{byte('0' + check/10), byte('0' + check%10)}) + iban[4:]
}

// alnum returns the letters, as capitals, and the digits of a text.
func alnum(text string) []byte {
	plain := make([]byte, 0, len(text))
	for _, b := range []byte(text) {
		if isAlnum(b) {
			if isLower(b) {
				b -= 'a' - 'A'
			}
			plain = append(plain, b)
		}
	}
	return plain
}

package privacy

import (
	"strings"

	"github.com/eaapl/handoff/pkg/privacy/internal/phone"
)

// Valid reports whether a value can be of a class and kind by its check digits, ranges and
// lengths. It is true for classes that have none.
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

// SealIBAN returns an IBAN with the check digits that its other characters need.
func SealIBAN(iban string) string {
	plain := alnum(iban)
	if len(plain) < 5 {
		return iban
	}
	check := 98 - mod97(append(append([]byte{}, plain[4:]...), plain[0], plain[1], '0', '0'))
	return iban[:2] + string([]byte{byte('0' + check/10), byte('0' + check%10)}) + iban[4:]
}

// alnum returns the letters, as capitals, and digits of a text.
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

package jsonstream

import "bytes"

const (
	// MaxDigits and MaxExponent bound the numbers that are safe to compute with: beyond them, exact
	// arithmetic takes seconds and megabytes, and libraries fail.
	MaxDigits   = 1000
	MaxExponent = 1000
)

// SafeNumber reports whether the JSON number text has at most [MaxDigits]
// characters before its exponent and an exponent within ±[MaxExponent].
func SafeNumber(text []byte) bool {
	e := bytes.IndexByte(text, 'e')
	if e < 0 {
		e = bytes.IndexByte(text, 'E')
	}
	if e < 0 {
		return len(text) <= MaxDigits
	}
	exponent := bytes.TrimLeft(text[e+1:], "+-")
	exponent = bytes.TrimLeft(exponent, "0")
	if e > MaxDigits || len(exponent) > 4 {
		return false
	}
	n := 0
	for _, c := range exponent {
		n = n*10 + int(c-'0')
	}
	return n <= MaxExponent
}

// CheckNumbers returns a [*NumberError] for the first number in v that [SafeNumber]
// rejects.
func CheckNumbers(v Value) error {
	for n := range v.All() {
		if n.Kind() == Number && !SafeNumber(n.Raw()) {
			return numberError(n, "", ErrUnsafe)
		}
	}
	return nil
}

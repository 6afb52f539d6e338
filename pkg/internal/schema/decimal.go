package schema

import (
	"bytes"
	"cmp"
	"math/big"
	"math/bits"
)

// A decimal is the value of a JSON number's text: 0.DIGITS times ten to the power of
// point. The digits neither begin nor end with a zero, and zero has none, so that equal
// numbers have equal digits. They are in two parts, as the text has them.
type decimal struct {
	negative        bool
	whole, fraction []byte
	point           int
}

// maxExponent keeps the arithmetic on exponents in range. Numbers beyond it are not
// safe, and nothing is said about them.
const maxExponent = 1 << 20

func parseDecimal(text []byte) decimal {
	var d decimal
	if text[0] == '-' {
		d.negative = true
		text = text[1:]
	}
	i := 0
	for i < len(text) && text[i]-'0' <= 9 {
		i++
	}
	d.whole = text[:i]
	d.point = i
	if i < len(text) && text[i] == '.' {
		begin := i + 1
		for i = begin; i < len(text) && text[i]-'0' <= 9; {
			i++
		}
		d.fraction = text[begin:i]
	}
	if i < len(text) {
		d.point += exponent(text[i+1:])
	}
	d.trim()
	return d
}

func exponent(text []byte) int {
	value, sign := 0, 1
	for _, c := range text {
		switch {
		case c == '-':
			sign = -1
		case c != '+':
			value = min(value*10+int(c-'0'), maxExponent)
		}
	}
	return sign * value
}

// trim drops the zeros at both ends of the digits.
func (d *decimal) trim() {
	for len(d.fraction) > 0 && d.fraction[len(d.fraction)-1] == '0' {
		d.fraction = d.fraction[:len(d.fraction)-1]
	}
	if len(d.whole) > 0 && d.whole[0] == '0' { // the only digit there
		d.whole = nil
		d.point--
		for len(d.fraction) > 0 && d.fraction[0] == '0' {
			d.fraction = d.fraction[1:]
			d.point--
		}
	}
	if len(d.fraction) > 0 {
		return
	}
	d.whole = bytes.TrimRight(d.whole, "0")
	if len(d.whole) == 0 {
		*d = decimal{}
	}
}

func (d *decimal) len() int { return len(d.whole) + len(d.fraction) }

func (d *decimal) digit(i int) byte {
	if i < len(d.whole) {
		return d.whole[i]
	}
	return d.fraction[i-len(d.whole)]
}

// compare returns -1, 0 or 1 for less, equal and greater.
func (d *decimal) compare(other *decimal) int {
	if d.sign() != other.sign() {
		return cmp.Compare(d.sign(), other.sign())
	}
	size := cmp.Compare(d.point, other.point)
	for i := 0; size == 0 && i < min(d.len(), other.len()); i++ {
		size = cmp.Compare(d.digit(i), other.digit(i))
	}
	if size == 0 {
		size = cmp.Compare(d.len(), other.len())
	}
	return size * d.sign()
}

func (d *decimal) sign() int {
	switch {
	case d.len() == 0:
		return 0
	case d.negative:
		return -1
	default:
		return 1
	}
}

func (d *decimal) isInteger() bool { return d.point >= d.len() }

// isInteger reports whether a number's text is that of an integer, as 1.0 and 1e2 are.
func isInteger(text []byte) bool {
	for _, c := range text {
		if c < '-' || c == '.' || c > '9' {
			d := parseDecimal(text)
			return d.isInteger()
		}
	}
	return true
}

// isMultipleOf reports whether d divided by unit, which is not zero, is an integer. Both
// are digits, read as an integer, times a power of ten, shift apart. The digits of d do
// not end in a zero, so they have no power of ten as a factor.
func (d *decimal) isMultipleOf(unit *decimal) bool {
	if d.len() == 0 {
		return true
	}
	shift := (d.point - d.len()) - (unit.point - unit.len())
	if shift < 0 {
		return false
	}
	// A power of ten helps to divide by the twos and fives of the unit's digits only,
	// of which there are at most four a digit.
	shift = min(shift, 4*unit.len())
	n, ok := d.uint64()
	m, fits := unit.uint64()
	if !ok || !fits {
		return d.isBigMultipleOf(unit, shift)
	}
	rest := n % m
	for ; shift > 0 && rest != 0; shift-- {
		high, low := bits.Mul64(rest, 10)
		rest = bits.Rem64(high, low, m)
	}
	return rest == 0
}

func (d *decimal) isBigMultipleOf(unit *decimal, shift int) bool {
	n := d.bigInt()
	n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(shift)), nil))
	return n.Rem(n, unit.bigInt()).Sign() == 0
}

func (d *decimal) bigInt() *big.Int {
	n, _ := new(big.Int).SetString(string(d.whole)+string(d.fraction), 10)
	return n
}

// uint64 returns the digits as an integer, if it fits.
func (d *decimal) uint64() (uint64, bool) {
	if d.len() > 19 { // ten to the power of 19 fits
		return 0, false
	}
	n := uint64(0)
	for _, c := range d.whole {
		n = n*10 + uint64(c-'0')
	}
	for _, c := range d.fraction {
		n = n*10 + uint64(c-'0')
	}
	return n, true
}

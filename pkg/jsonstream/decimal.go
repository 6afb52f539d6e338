package jsonstream

import (
	"bytes"
	"cmp"
	"math/big"
	"math/bits"
	"strconv"
)

// SameNumber reports whether two JSON numbers have the same decimal value: 1.0 and 1 do, 9007199254740993
// and 9007199254740992 do not. Numbers with exponents beyond ±2^60 are the same only if their texts are
// equal.
func SameNumber(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, y := ParseDecimal(a), ParseDecimal(b)
	return !x.beyond && !y.beyond && x.Compare(&y) == 0
}

// AppendNormal appends a normal form of a JSON number. Two numbers have equal normal forms exactly if
// [SameNumber] reports true.
func AppendNormal(dst, number []byte) []byte {
	d := ParseDecimal(number)
	if d.beyond {
		return append(dst, number...)
	}
	if d.negative {
		dst = append(dst, '-')
	}
	dst = append(append(append(dst, '.'), d.whole...), d.fraction...)
	return strconv.AppendInt(append(dst, 'e'), d.point, 10)
}

// A Decimal is the value of a JSON number: 0.DIGITS times ten to the power of point. It refers to the
// number's bytes. The digits neither begin nor end with a zero, and zero has no digits, so equal numbers
// have equal digits. They are in two parts, as in the text.
type Decimal struct {
	negative        bool
	beyond          bool // the exponent is beyond ±maxExponent, and is replaced by that
	whole, fraction []byte
	point           int64
}

// maxExponent is small enough that adding the number of digits to an exponent does not overflow.
const maxExponent = 1 << 60

// ParseDecimal reads a JSON number.
func ParseDecimal(text []byte) Decimal {
	var d Decimal
	if text[0] == '-' {
		d.negative = true
		text = text[1:]
	}
	i := 0
	for i < len(text) && text[i]-'0' <= 9 {
		i++
	}
	d.whole = text[:i]
	d.point = int64(i)
	if i < len(text) && text[i] == '.' {
		begin := i + 1
		for i = begin; i < len(text) && text[i]-'0' <= 9; {
			i++
		}
		d.fraction = text[begin:i]
	}
	if i < len(text) {
		n, err := strconv.ParseInt(string(bytes.TrimPrefix(text[i+1:], []byte("+"))), 10, 64)
		d.beyond = err != nil || n < -maxExponent || n > maxExponent
		d.point += min(max(n, -maxExponent), maxExponent)
	}
	d.trim()
	return d
}

// trim drops the zeros at both ends of the digits.
func (d *Decimal) trim() {
	for len(d.fraction) > 0 && d.fraction[len(d.fraction)-1] == '0' {
		d.fraction = d.fraction[:len(d.fraction)-1]
	}
	if len(d.whole) > 0 && d.whole[0] == '0' { // the only digit of whole
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
		*d = Decimal{}
	}
}

func (d *Decimal) len() int { return len(d.whole) + len(d.fraction) }

func (d *Decimal) digit(i int) byte {
	if i < len(d.whole) {
		return d.whole[i]
	}
	return d.fraction[i-len(d.whole)]
}

// Compare returns -1 if d is less than other, 0 if they are equal and 1 if d is greater.
func (d *Decimal) Compare(other *Decimal) int {
	if d.Sign() != other.Sign() {
		return cmp.Compare(d.Sign(), other.Sign())
	}
	size := cmp.Compare(d.point, other.point)
	for i := 0; size == 0 && i < min(d.len(), other.len()); i++ {
		size = cmp.Compare(d.digit(i), other.digit(i))
	}
	if size == 0 {
		size = cmp.Compare(d.len(), other.len())
	}
	return size * d.Sign()
}

// Sign returns -1 if d is negative, 0 if it is zero and 1 if it is positive.
func (d *Decimal) Sign() int {
	switch {
	case d.len() == 0:
		return 0
	case d.negative:
		return -1
	default:
		return 1
	}
}

// IsInteger reports whether d has no fraction.
func (d *Decimal) IsInteger() bool { return d.point >= int64(d.len()) }

// Count returns d if it is an integer from 0 to 999,999,999.
func (d *Decimal) Count() (n int, ok bool) {
	if d.negative || !d.IsInteger() || d.point > 9 {
		return 0, false
	}
	for i := range int(d.point) {
		n *= 10
		if i < d.len() {
			n += int(d.digit(i) - '0')
		}
	}
	return n, true
}

// IsInteger reports whether the value of a JSON number is an integer, as 1.0 and 1e2 are.
func IsInteger(text []byte) bool {
	for _, c := range text {
		if c < '-' || c == '.' || c > '9' {
			d := ParseDecimal(text)
			return d.IsInteger()
		}
	}
	return true
}

// IsMultipleOf reports whether d divided by unit, which is not zero, is an integer. Both numbers are their
// digits, read as an integer, times a power of ten; shift is the difference of the powers. The digits of d
// do not end in a zero, so ten does not divide them.
func (d *Decimal) IsMultipleOf(unit *Decimal) bool {
	if d.len() == 0 {
		return true
	}
	shift := (d.point - int64(d.len())) - (unit.point - int64(unit.len()))
	if shift < 0 {
		return false
	}
	// A power of ten only cancels factors two and five of the unit's digits, at most four per digit.
	shift = min(shift, int64(4*unit.len()))
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

func (d *Decimal) isBigMultipleOf(unit *Decimal, shift int64) bool {
	n := d.bigInt()
	n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), nil))
	return n.Rem(n, unit.bigInt()).Sign() == 0
}

func (d *Decimal) bigInt() *big.Int {
	n, _ := new(big.Int).SetString(string(d.whole)+string(d.fraction), 10)
	return n
}

// uint64 returns the digits as an integer, if it fits.
func (d *Decimal) uint64() (uint64, bool) {
	if d.len() > 19 { // 19 digits fit
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

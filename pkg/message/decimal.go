package message

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Decimal is an exact decimal number, such as an amount of money. The zero value is 0.
// It is immutable and safe for concurrent use.
type Decimal struct {
	digits *big.Int // nil is 0; never changed
	scale  int      // number of digits after the point; not negative
}

// NewDecimal returns n divided by ten to the power of places, which must not be negative: NewDecimal(125,
// 2) is 1.25.
func NewDecimal(n int64, places int) Decimal { return Decimal{big.NewInt(n), places} }

// Decimal returns the exact value. It fails for a number beyond the bounds of
// [jsonstream.SafeNumber].
func (n Number) Decimal() (Decimal, error) {
	if !jsonstream.SafeNumber([]byte(n)) {
		return Decimal{}, fmt.Errorf("%.20s…: more than %d digits, or an exponent beyond ±%d",
			string(n), jsonstream.MaxDigits, jsonstream.MaxExponent)
	}
	mantissa, exponent := string(n), "0"
	if e := strings.IndexAny(mantissa, "eE"); e >= 0 {
		mantissa, exponent = mantissa[:e], mantissa[e+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, ok := new(big.Int).SetString(whole+fraction, 10)
	shift, err := strconv.Atoi(exponent)
	if !ok || err != nil {
		return Decimal{}, fmt.Errorf("%.40q is not a number", string(n))
	}
	if shift > len(fraction) {
		return Decimal{digits.Mul(digits, powerOf10(shift-len(fraction))), 0}, nil
	}
	return Decimal{digits, len(fraction) - shift}, nil
}

// Add returns d + e.
func (d Decimal) Add(e Decimal) Decimal {
	a, b, scale := aligned(d, e)
	return Decimal{new(big.Int).Add(a, b), scale}
}

// Sub returns d - e.
func (d Decimal) Sub(e Decimal) Decimal {
	a, b, scale := aligned(d, e)
	return Decimal{new(big.Int).Sub(a, b), scale}
}

// Mul returns d × e.
func (d Decimal) Mul(e Decimal) Decimal {
	return Decimal{new(big.Int).Mul(d.int(), e.int()), d.scale + e.scale}
}

// Quo returns d / e rounded to a number of places after the point, halves away from
// zero. It panics if e is 0.
func (d Decimal) Quo(e Decimal, places int) Decimal {
	dividend := new(big.Int).Mul(d.int(), powerOf10(e.scale+places))
	divisor := new(big.Int).Mul(e.int(), powerOf10(d.scale))
	quotient, rest := new(big.Int).QuoRem(dividend, divisor, new(big.Int))
	if rest.Lsh(rest, 1).CmpAbs(divisor) >= 0 {
		quotient.Add(quotient, big.NewInt(int64(dividend.Sign()*divisor.Sign())))
	}
	return Decimal{quotient, places}
}

// Round returns d rounded to a number of places after the point, halves away from zero.
func (d Decimal) Round(places int) Decimal { return d.Quo(NewDecimal(1, 0), places) }

// Neg returns -d.
func (d Decimal) Neg() Decimal { return Decimal{new(big.Int).Neg(d.int()), d.scale} }

// Abs returns d without its sign.
func (d Decimal) Abs() Decimal { return Decimal{new(big.Int).Abs(d.int()), d.scale} }

// Sign returns -1 if d is negative, 0 if it is zero and 1 if it is positive.
func (d Decimal) Sign() int { return d.int().Sign() }

// Cmp returns -1 if d is less than e, 0 if they are equal and 1 if d is greater.
func (d Decimal) Cmp(e Decimal) int {
	a, b, _ := aligned(d, e)
	return a.Cmp(b)
}

// Equal reports whether d and e are the same number.
func (d Decimal) Equal(e Decimal) bool { return d.Cmp(e) == 0 }

// Float64 returns the nearest double, infinite if d is out of range.
func (d Decimal) Float64() float64 {
	f, _ := strconv.ParseFloat(d.String(), 64)
	return f
}

// String returns all digits of d, without an exponent and without trailing zeros in the fraction.
func (d Decimal) String() string {
	text := d.int().String()
	if d.scale == 0 {
		return text
	}
	digits, negative := strings.CutPrefix(text, "-")
	if missing := d.scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - d.scale
	text = digits[:point]
	if fraction := strings.TrimRight(digits[point:], "0"); fraction != "" {
		text += "." + fraction
	}
	if negative {
		return "-" + text
	}
	return text
}

func (d Decimal) int() *big.Int {
	if d.digits == nil {
		return new(big.Int)
	}
	return d.digits
}

// aligned returns the digits of two numbers scaled to the same number of digits after the point.
func aligned(d, e Decimal) (a, b *big.Int, scale int) {
	a, b = d.int(), e.int()
	switch {
	case d.scale < e.scale:
		a = new(big.Int).Mul(a, powerOf10(e.scale-d.scale))
	case d.scale > e.scale:
		b = new(big.Int).Mul(b, powerOf10(d.scale-e.scale))
	}
	return a, b, max(d.scale, e.scale)
}

func powerOf10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

package jsonstream

import (
	"bytes"
	"math"
	"strconv"
)

// number writes a number as ECMAScript does (RFC 8785, section 3.2.2.3).
func (c *canonicalizer) number(i int32) error {
	n := &c.doc.nodes[i]
	text := c.text[n.start:n.end]
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsInf(f, 0) {
		return numberError(Value{c.doc, i}, "", ErrNumberRange)
	}
	const maxLength = len("-0.0000012345678901234567")
	canonical := appendFloat(make([]byte, 0, maxLength), f)
	if bytes.Equal(canonical, text) {
		c.copy(n.start, n.end)
		return nil
	}
	if c.Exact && !SameNumber(text, canonical) {
		return numberError(Value{c.doc, i}, string(canonical), ErrInexact)
	}
	c.flush()
	c.out = append(c.out, canonical...)
	return nil
}

func numberError(v Value, canonical string, err error) *NumberError {
	const maxShown = 40
	text := string(v.Raw())
	if len(text) > maxShown {
		text = text[:maxShown] + "…"
	}
	return &NumberError{Position: v.Position(), Pointer: v.Pointer(), Text: text, Canonical: canonical, Err: err}
}

// appendFloat writes f as ECMAScript's Number::toString does: the shortest digits that parse as f, with an
// exponent from 1e21 on and below 1e-6.
func appendFloat(dst []byte, f float64) []byte {
	abs := math.Abs(f)
	switch {
	case f == 0:
		return append(dst, '0') // also -0
	case abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' { // e-07
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}

package view

import "math/bits"

// The functions here work on eight bytes in a number, the first lowest. Those that say
// which bytes are of a kind set the highest bit of each.

// eight returns the first eight bytes of s, which has them.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// upToEight returns the first bytes of s, which has fewer than eight, and spaces.
func upToEight(s string) uint64 {
	x := uint64(spaces)
	for i := len(s) - 1; i >= 0; i-- {
		x = x<<8 | uint64(s[i])
	}
	return x
}

// within says which bytes are from first to last. Adding carries a byte into its highest
// bit where it is large enough; those of bytes beyond ASCII are taken away before.
func within(x uint64, first, last byte) uint64 {
	low := x & lowBits
	return (low + uint64(0x80-first)*each) &^ (low + uint64(0x7F-last)*each) &^ x & highBits
}

func letters(x uint64) uint64 { return within(x|0x20*each, 'a', 'z') }

func digits(x uint64) uint64 { return within(x, '0', '9') }

// spacesAndQuotes finds ' ' and '"', which differ in one bit: without it and with those
// of a space inverted they are 0, and nothing is carried out of them.
func spacesAndQuotes(x uint64) uint64 {
	x = x&^(0x02*each) ^ spaces
	return ^(x | (x&lowBits + lowBits)) & highBits
}

// gather collects the highest bits of the bytes in the lowest byte: the factor moves each
// to a place of its own in the highest one.
func gather(x uint64) uint64 { return x >> 7 * 0x0102040810204080 >> 56 }

func trailing(x uint64) int { return bits.TrailingZeros64(x) }

package view

import "math/bits"

// The functions here work on eight bytes in a number, the first lowest.

const (
	each     = 0x0101010101010101 // times a byte: eight of it
	highBits = 0x80 * each
	lowBits  = 0x7F * each
	spaces   = ' ' * each
)

// eight returns the first eight bytes of s, which has them.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// upToEight returns the first bytes of s, up to eight, and spaces.
func upToEight(s string) uint64 {
	if len(s) >= 8 {
		return eight(s)
	}
	x := uint64(spaces)
	for i := len(s) - 1; i >= 0; i-- {
		x = x<<8 | uint64(s[i])
	}
	return x
}

// within sets the highest bits of the bytes that are from first to last. Adding carries a
// byte into its highest bit where it is large enough; those of bytes beyond ASCII are taken
// away before.
func within(x uint64, first, last byte) uint64 {
	low := x & lowBits
	return (low + uint64(0x80-first)*each) &^ (low + uint64(0x7F-last)*each) &^ x & highBits
}

func trailing(x uint64) int { return bits.TrailingZeros64(x) }

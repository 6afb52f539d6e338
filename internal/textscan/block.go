package textscan

import "math/bits"

// BlockLen is the number of bytes in a [Block].
const BlockLen = 64

// A Block classifies the bytes of a part of a text, one bit per byte, the first byte lowest.
type Block struct {
	Letters, Digits uint64 // ASCII only
	Marks, Joints   uint64 // bytes of the [Classes]
}

// Words returns the letters and digits.
func (b Block) Words() uint64 { return b.Letters | b.Digits }

// Starts returns the first letter or digit of each word. inWord is 1 if the byte before the block
// is a letter or digit, and 0 otherwise.
func (b Block) Starts(inWord uint64) uint64 {
	words := b.Words()
	return words &^ (words<<1 | inWord)
}

// Classes are the bytes that [ReadBlock] reports as marks and as joints.
type Classes struct {
	of           [256]uint8
	gaps, points uint64 // all bits, or none if a group of frequent bytes is not requested: see NewClasses
}

const (
	isMark = 1 << iota
	isJoint
)

// NewClasses returns classes with the bytes of the two strings; letters and digits are ignored.
// Reading is fastest without spaces, quotation marks ("), commas, full stops and colons.
func NewClasses(marks, joints string) *Classes {
	var c Classes
	for i := range len(marks) {
		c.of[marks[i]] |= isMark
	}
	for i := range len(joints) {
		c.of[joints[i]] |= isJoint
	}
	if c.of[' ']|c.of['"'] == 0 {
		c.gaps = ^uint64(0)
	}
	if c.of[',']|c.of['.']|c.of[':'] == 0 {
		c.points = ^uint64(0)
	}
	return &c
}

// ReadBlock reads the block at text[at]. Positions beyond the text have no bits.
func ReadBlock(text string, at int, classes *Classes) Block {
	var b Block
	var gaps uint64
	switch {
	case at+BlockLen <= len(text):
		s := text[at : at+BlockLen]
		b.Letters, b.Digits, gaps = planes(eight(s), eight(s[8:]), eight(s[16:]), eight(s[24:]),
			eight(s[32:]), eight(s[40:]), eight(s[48:]), eight(s[56:]), classes.points)
		gaps &= classes.gaps
	case at < len(text):
		var x [BlockLen / 8]uint64
		for i := range x {
			x[i] = UpToEight(text[min(at+8*i, len(text)):])
		}
		b.Letters, b.Digits, gaps = planes(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], classes.points)
		gaps &= classes.gaps
		gaps |= ^uint64(0) << (len(text) - at)
	default:
		return b
	}
	for rest := ^(b.Letters | b.Digits | gaps); rest != 0; rest &= rest - 1 {
		bit := rest & -rest
		m := uint64(classes.of[text[at+bits.TrailingZeros64(bit)]])
		b.Marks |= bit & -(m & isMark)
		b.Joints |= bit & -(m >> 1)
	}
	return b
}

// eight returns the first eight bytes of s as a little-endian number. s must have eight bytes.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// UpToEight returns the first bytes of s, up to eight and padded with spaces, as a little-endian
// number.
func UpToEight(s string) uint64 {
	if len(s) >= 8 {
		return eight(s)
	}
	const spaces = 0x2020202020202020
	x := uint64(spaces)
	for i := len(s) - 1; i >= 0; i-- {
		x = x<<8 | uint64(s[i])
	}
	return x
}

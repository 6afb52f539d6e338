package jsonstream

import (
	"bytes"
	"cmp"
)

// compareMembers compares the names of two members by their UTF-16 code units.
func (c *canonicalizer) compareMembers(a, b int32) int { return compareUTF16(c.name(a), c.name(b)) }

// name returns the characters of a member's name.
func (c *canonicalizer) name(i int32) []byte {
	n := &c.doc.nodes[i]
	quoted := c.text[n.nameStart:n.nameEnd]
	if !c.plainNames && bytes.IndexByte(quoted, '\\') >= 0 {
		return []byte(unquote(quoted))
	}
	return quoted[1 : len(quoted)-1]
}

// compareUTF16 compares valid UTF-8 texts by their UTF-16 code units.
func compareUTF16(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(inOrderUTF16(a[i]), inOrderUTF16(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}

// inOrderUTF16 maps a byte of UTF-8 so that comparing bytes compares UTF-16 code units. The two orders
// differ only for characters beyond the basic plane, which begin with 0xF0 to 0xF4: their surrogates sort
// before U+E000 to U+FFFF, which begin with 0xEE and 0xEF.
func inOrderUTF16(b byte) byte {
	switch {
	case b >= 0xF0:
		return b - 2
	case b >= 0xEE:
		return b + 5
	default:
		return b
	}
}

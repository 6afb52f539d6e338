package jsonstream

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// A member is a member of an object that is being written.
type member struct {
	key  uint64 // the beginning of its name, see sortKeyOf
	node int32
}

// sortKey returns the sort key of a member's name.
func (c *canonicalizer) sortKey(i int32) uint64 {
	const bytesOfKey, tops = 8, 0x8080808080808080
	n := &c.doc.nodes[i]
	start, size := n.nameStart+1, n.nameEnd-n.nameStart-2
	if !c.plainNames || int(start)+bytesOfKey > len(c.text) {
		return sortKeyOf(c.name(i))
	}
	key := binary.BigEndian.Uint64(c.text[start:])
	if size < bytesOfKey { // a shift by all 64 bits gives 0
		unused := 8 * (bytesOfKey - size)
		key = key >> unused << unused
	}
	if key&tops != 0 {
		return sortKeyOf(c.name(i))
	}
	return key
}

// sortKeyOf returns the first bytes of a name as a number of the same order, padded with
// zeros: if the keys of two names differ, the names are in the order of their keys.
func sortKeyOf(name []byte) uint64 {
	var key [8]byte
	for i := range copy(key[:], name) {
		key[i] = inOrderUTF16(key[i])
	}
	return binary.BigEndian.Uint64(key[:])
}

// sort sorts members by their names. Most objects have few: an insertion sort of these
// mostly compares keys.
func (c *canonicalizer) sort(list []member) {
	const few = 32
	if len(list) > few {
		slices.SortFunc(list, c.compareMembers)
		return
	}
	for i := 1; i < len(list); i++ {
		m, at := list[i], i
		for at > 0 && (m.key < list[at-1].key || m.key == list[at-1].key && c.compareMembers(m, list[at-1]) < 0) {
			list[at] = list[at-1]
			at--
		}
		list[at] = m
	}
}

// compareMembers compares the names of two members by their UTF-16 code units.
func (c *canonicalizer) compareMembers(a, b member) int {
	if a.key != b.key {
		return cmp.Compare(a.key, b.key)
	}
	return compareUTF16(c.name(a.node), c.name(b.node))
}

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

// inOrderUTF16 maps a byte of UTF-8 so that texts compare as their UTF-16 code units
// do. Only characters beyond the basic plane, which begin with 0xF0 to 0xF4, compare
// otherwise as bytes: their surrogates sort before U+E000 to U+FFFF, which begin with
// 0xEE and 0xEF.
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

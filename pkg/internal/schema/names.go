package schema

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// A nameTable finds the entry of a member's name: a hash table with open addressing, at
// most half full.
type nameTable struct {
	entries []entry
	slots   []uint32 // one more than the index of an entry; 0 is free
	shift   uint8
	// hasBackslash reports whether a name has one: then what is written with an escape can
	// look like it.
	hasBackslash bool
}

func (t *nameTable) add(e entry) {
	t.entries = append(t.entries, e)
	t.hasBackslash = t.hasBackslash || bytes.IndexByte(e.quoted, '\\') >= 0
}

// index makes the table of the entries.
func (t *nameTable) index() {
	if len(t.entries) == 0 {
		return
	}
	width := bits.Len(uint(2*len(t.entries) - 1))
	t.slots = make([]uint32, 1<<width)
	t.shift = uint8(64 - width)
	for i, e := range t.entries {
		at := t.home(e.quoted)
		for t.slots[at] != 0 {
			at = (at + 1) % len(t.slots)
		}
		t.slots[at] = uint32(i + 1)
	}
}

// home is where the search for a name begins. It goes by up to eight bytes at each end,
// which is all there is of a short name, and the length.
func (t *nameTable) home(quoted []byte) int {
	var head, tail uint64
	switch n := len(quoted); {
	case n >= 8:
		head, tail = binary.LittleEndian.Uint64(quoted), binary.LittleEndian.Uint64(quoted[n-8:])
	case n >= 4:
		head, tail = uint64(binary.LittleEndian.Uint32(quoted)), uint64(binary.LittleEndian.Uint32(quoted[n-4:]))
	default:
		head = uint64(quoted[1])
	}
	hash := (head ^ bits.RotateLeft64(tail, 29) + uint64(len(quoted))) * 0x9E3779B97F4A7C15
	return int(hash >> t.shift)
}

// find returns the entry of a quoted name without escapes, nil if there is none.
func (t *nameTable) find(quoted []byte) *entry {
	if len(t.slots) == 0 {
		return nil
	}
	for at := t.home(quoted); ; at++ {
		slot := t.slots[at&(len(t.slots)-1)]
		if slot == 0 {
			return nil
		}
		if e := &t.entries[slot-1]; string(e.quoted) == string(quoted) {
			return e
		}
	}
}

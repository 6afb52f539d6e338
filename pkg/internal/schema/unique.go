package schema

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/eaapl/handoff/pkg/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A kept value has to be unique among those of its slot in its array.
type kept struct {
	text []byte // the characters of a string, the normal form of a number
	slot uint8
	kind jsonstream.Kind
}

// elementSlot is the slot of an array's elements themselves; those of uniqueKeys follow.
const elementSlot, maxSlots = 0, 64

// keep keeps a scalar in the slots of the link.
func (r *Run) keep(l *link, kind jsonstream.Kind, raw []byte) {
	var text []byte
	switch kind {
	case jsonstream.String:
		text, r.arena = jsonstream.Unquote(raw, r.arena)
	case jsonstream.Number:
		before := len(r.arena)
		r.arena = jsonstream.AppendNormal(r.arena, raw)
		text = r.arena[before:]
	}
	if l.keep {
		r.kept = append(r.kept, kept{text, elementSlot, kind})
	}
	if kind == jsonstream.String {
		for _, slot := range l.slots {
			r.kept = append(r.kept, kept{text, slot, kind})
		}
	}
}

// findRepeated looks for what is there twice in the array, and forgets what it kept.
func (r *Run) findRepeated(f *frame) {
	list := r.kept[f.kept:]
	if len(list) <= 8 {
		f.repeated = repeatedInFew(list)
	} else {
		f.repeated = r.repeatedInMany(list)
	}
	clear(list)
	r.kept = r.kept[:f.kept]
	if len(r.kept) == 0 {
		r.arena = r.arena[:0]
	}
}

// repeatedInFew returns the slots in which two are the same, as bits.
func repeatedInFew(list []kept) uint64 {
	repeated := uint64(0)
	for i := range list {
		for j := range i {
			if list[i].equals(&list[j]) {
				repeated |= 1 << list[i].slot
			}
		}
	}
	return repeated
}

// repeatedInMany is repeatedInFew with a hash table, at most half full, of one more than
// the indices. Its seed makes it useless to write a document of texts with one hash.
func (r *Run) repeatedInMany(list []kept) uint64 {
	size := 1 << bits.Len(uint(2*len(list)-1))
	r.table = slices.Grow(r.table[:0], size)[:size]
	clear(r.table)
	repeated := uint64(0)
	for i := range list {
		k := &list[i]
		hash := maphash.Bytes(r.program.seed, k.text) + uint64(k.slot)<<8 + uint64(k.kind)
		at := int(hash) & (size - 1)
		for r.table[at] != 0 && !k.equals(&list[r.table[at]-1]) {
			at = (at + 1) & (size - 1)
		}
		if r.table[at] != 0 {
			repeated |= 1 << k.slot
		}
		r.table[at] = uint32(i + 1)
	}
	return repeated
}

func (k *kept) equals(other *kept) bool {
	return k.slot == other.slot && k.kind == other.kind && bytes.Equal(k.text, other.text)
}

// firstRepeated returns the first element that equals an earlier one, and that one.
func firstRepeated(array jsonstream.Value) (earlier, again jsonstream.Value) {
	seed := maphash.MakeSeed()
	seen := map[uint64][]jsonstream.Value{}
	for _, element := range array.Elements() {
		hash := equal.Relation{}.Hash(seed, element)
		for _, earlier := range seen[hash] {
			if equal.Values(earlier, element) {
				return earlier, element
			}
		}
		seen[hash] = append(seen[hash], element)
	}
	return jsonstream.Value{}, jsonstream.Value{}
}

// repeatedKeys calls report for every element's member that is the text of that of an
// earlier element, until it returns false.
func repeatedKeys(array jsonstream.Value, name string, report func(earlier, key jsonstream.Value) bool) {
	first := map[string]jsonstream.Value{}
	for _, element := range array.Elements() {
		key := element.Get(name)
		if key.Kind() != jsonstream.String {
			continue
		}
		earlier, again := first[key.Text()]
		if !again {
			first[key.Text()] = element
		} else if !report(earlier, key) {
			return
		}
	}
}

package streamschema

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A kept value has to be unique among those of its slot in its array.
type kept struct {
	text []byte // the characters of a string, the key of a number
	slot uint8
	kind jsonstream.Kind
}

// elementSlot is the slot of an array's elements themselves; those of uniqueKeys follow.
const elementSlot, mostSlots = 0, 64

// keep keeps a scalar in the slots of the link.
func (r *Run) keep(l *link, kind jsonstream.Kind, raw []byte) {
	var text []byte
	switch kind {
	case jsonstream.String:
		text, r.arena = plain(raw, r.arena)
	case jsonstream.Number:
		before := len(r.arena)
		d := parseDecimal(raw)
		r.arena = d.appendKey(r.arena)
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
	f.repeated = 0
	if len(list) <= 8 {
		for i := range list {
			for j := range i {
				if list[i].slot == list[j].slot && list[i].kind == list[j].kind && bytes.Equal(list[i].text, list[j].text) {
					f.repeated |= 1 << list[i].slot
				}
			}
		}
	} else {
		slices.SortFunc(list, compareKept)
		for i := 1; i < len(list); i++ {
			if compareKept(list[i-1], list[i]) == 0 {
				f.repeated |= 1 << list[i].slot
			}
		}
	}
	clear(list)
	r.kept = r.kept[:f.kept]
	if len(r.kept) == 0 {
		r.arena = r.arena[:0]
	}
}

func compareKept(a, b kept) int {
	if c := cmp.Compare(a.slot, b.slot); c != 0 {
		return c
	}
	if c := cmp.Compare(a.kind, b.kind); c != 0 {
		return c
	}
	return bytes.Compare(a.text, b.text)
}

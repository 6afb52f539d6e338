package audit

import "fmt"

// accept notes accepted copies.
func (v *verification) accept(keys []uint64) {
	for _, key := range keys {
		if v.copies.add(key) && len(v.again) <= maxPassages {
			v.again[key] = true
		}
	}
}

// acceptedTwice reports copies of messages that were accepted twice without a rollback or a person's decision
// in between. It reads the records again if there may be any.
func (v *verification) acceptedTwice(i Inspector) error {
	if len(v.again) == 0 {
		return nil
	}
	if len(v.again) > maxPassages {
		return v.row(-1, "more than %d messages were accepted again after they were given back: too many to check", maxPassages)
	}
	// accepted is the acceptance by copy, and givenBack the last rollback of all copies by handoff.
	accepted, givenBack := map[uint64]int64{}, map[uint64]int64{}
	return i.Rows(0, v.Size, func(r *Row) error {
		key := v.way.keyOf(r)
		switch {
		case r.Tombstone:
			return nil
		case r.Event == RolledBack && r.Receiver == "":
			givenBack[v.way.key(r.HandoffID)] = r.Sequence
			return nil
		case r.Event == RolledBack:
			delete(accepted, key)
			return nil
		case r.Event != Accepted || !v.again[key]:
			return nil
		}
		earlier, found := accepted[key]
		accepted[key] = r.Sequence
		if back, ok := givenBack[v.way.key(r.HandoffID)]; !found || ok && back > earlier {
			return nil
		}
		if d, _ := ParseDetails(r.RawDetails); d.By != "" { // changed details are already reported
			return nil
		}
		return v.found(Problem{AcceptedTwice, r.Sequence, r.Sequence, fmt.Sprintf("record %d accepts a message that record %d had accepted, without a rollback in between", r.Sequence, earlier)})
	})
}

// A filter is a set of keys in little memory (a Bloom filter in blocks of a cache line). With 16 bits a key,
// one key in a thousand is wrongly reported to be in the set.
type filter struct{ blocks [][8]uint64 }

// maxBlocks limits a filter to 256 MB, enough for a hundred million records.
const maxBlocks = 1 << 22

// newFilter returns a filter sized for the number of records of a log.
func newFilter(last int64) *filter {
	const keys = 32 // per block
	return &filter{make([][8]uint64, min(max(last, 0)/keys+1, maxBlocks))}
}

// add adds a key, and reports whether it may have been added before.
func (f *filter) add(key uint64) (before bool) {
	block := &f.blocks[key%uint64(len(f.blocks))]
	bits := key * 0x9e3779b97f4a7c15 // independent of the bits that select the block
	before = true
	for range 6 {
		word, bit := &block[bits>>61], uint64(1)<<(bits>>55&63)
		before = before && *word&bit != 0
		*word |= bit
		bits <<= 9
	}
	return before
}

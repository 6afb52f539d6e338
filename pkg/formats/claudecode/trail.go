package claudecode

import (
	"hash/maphash"
	"iter"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A trail finds the lines of the conversation, the oldest first. Where no line has a uuid, as the
// command prints them, it is all lines of a user or an assistant.
//
// Texts are known by hashes of 64 bits, with a seed of their own for each session, so that an entry
// takes few bytes: that two of a million are alike has a chance of one in 20 million.
type trail struct {
	seed    maphash.Seed
	entries [][]Entry[uint64]
	plain   []int
}

func newTrail() format.Trail { return &trail{seed: maphash.MakeSeed()} }

// lines is what [trail.Read] reads.
type lines struct {
	entries []Entry[uint64]
	plain   []int
}

func (t *trail) Read(all iter.Seq2[int, jsonstream.Value]) any {
	var read lines
	of := func(text string) uint64 {
		if text == "" {
			return 0
		}
		return maphash.String(t.seed, text) | 1
	}
	for i, line := range all {
		if e, ok := entryOf(line, of); ok {
			e.Order = i
			read.entries = append(read.entries, e)
		} else if fit(line) == format.Typical {
			read.plain = append(read.plain, i)
		}
	}
	read.entries = append(make([]Entry[uint64], 0, len(read.entries)), read.entries...)
	return read
}

func (t *trail) Add(read any) {
	more := read.(lines)
	t.entries, t.plain = append(t.entries, more.entries), append(t.plain, more.plain...)
}

func (t *trail) Turns() []int {
	tree := NewTree(t.entries...)
	if len(tree.nodes) == 0 {
		return t.plain
	}
	nodes, _ := tree.Conversation()
	turns := make([]int, 0, len(nodes))
	for _, n := range nodes {
		if e := tree.Entry(n); e.Speaks() {
			turns = append(turns, e.Order)
		}
	}
	return turns
}

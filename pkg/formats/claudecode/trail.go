package claudecode

import (
	"hash/maphash"
	"iter"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A trail finds the lines of the conversation, oldest first. If no line has a uuid, as in the
// output of the claude command, these are all lines of a user or an assistant.
//
// Texts are represented by 64-bit hashes, with a random seed per session, so that an entry takes
// few bytes. The probability of a collision among a million texts is one in 20 million.
type trail struct {
	seed    maphash.Seed
	entries [][]Entry[uint64]
	plain   []int
}

func newTrail() format.Trail { return &trail{seed: maphash.MakeSeed()} }

// lines is the result of [trail.Read].
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

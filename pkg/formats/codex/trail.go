package codex

import (
	"iter"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A trail finds the lines that have an item, after the last compaction. What that replaces them by
// is no line.
type trail struct{ turns []int }

func newTrail() format.Trail { return &trail{} }

// lines is what [trail.Read] reads.
type lines struct {
	compacted bool
	turns     []int // after the last compaction among them
}

func (t *trail) Read(all iter.Seq2[int, jsonstream.Value]) any {
	var read lines
	for i, line := range all {
		read.add(i, fit(line), line.Get("type").Text())
	}
	return read
}

// add adds the line after them.
func (l *lines) add(index int, line format.Fit, kind string) {
	switch {
	case line == format.Typical, line == format.Possible:
		l.turns = append(l.turns, index)
	case line == format.Beside && kind == "compacted":
		l.compacted, l.turns = true, l.turns[:0]
	}
}

func (t *trail) Add(read any) {
	more := read.(lines)
	if more.compacted {
		t.turns = t.turns[:0]
	}
	t.turns = append(t.turns, more.turns...)
}

func (t *trail) Turns() []int { return t.turns }

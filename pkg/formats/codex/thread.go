package codex

import (
	"iter"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A trail finds the lines with an item after the last compaction. The items that replace the
// compacted ones are not lines.
type trail struct{ turns []int }

func newTrail() format.Trail { return &trail{} }

// lines is the result of [trail.Read].
type lines struct {
	compacted bool
	turns     []int // after the last compaction in the part
}

func (t *trail) Read(all iter.Seq2[int, jsonstream.Value]) any {
	var read lines
	for i, line := range all {
		read.add(i, fit(line), line.Get("type").Text())
	}
	return read
}

// add adds the next line.
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

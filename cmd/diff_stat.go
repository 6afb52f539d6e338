package cmd

import (
	"strings"

	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/diff"
)

// editCounts are how many edits there are of each kind. Those in a string count only
// if it is all that is counted.
type editCounts struct{ added, removed, changed, moved int }

func countEdits(e *diff.Edit) editCounts {
	if e.Inside != nil {
		e = e.Inside
	}
	var c editCounts
	c.add(e)
	return c
}

func (c *editCounts) add(e *diff.Edit) {
	for leaf := range e.Leaves() {
		switch {
		case leaf.Kind == diff.Added:
			c.added++
		case leaf.Kind == diff.Removed:
			c.removed++
		case leaf.Kind == diff.Changed:
			c.changed++
		case leaf.Kind == diff.Moved:
			c.moved++
		}
	}
}

func (c editCounts) total() int { return c.added + c.removed + c.changed + c.moved }

func (c editCounts) String() string {
	var p phrases
	for _, s := range []share{{c.added, "added", nil}, {c.removed, "removed", nil}, {c.changed, "changed", nil}, {c.moved, "moved", nil}} {
		p.count("", s)
	}
	return strings.Join(p, ", ")
}

// statistics prints a line for each member, with as many signs as it has edits, or
// their share if they are many, and a line for all.
func (t *diffText) statistics(groups []*diff.Edit) {
	var all editCounts
	list := make([]editCounts, len(groups))
	names, most := 0, 0
	for i, g := range groups {
		list[i] = countEdits(g)
		all.add(g)
		names, most = max(names, term.Width(t.memberName(g))), max(most, list[i].total())
	}
	room := t.columns - names - statColumns
	for i, g := range groups {
		figures, signs := "", ""
		for _, s := range []struct {
			n     int
			sign  string
			paint func(...any) string
		}{{list[i].added, "+", t.Green}, {list[i].removed, "−", t.Red}, {list[i].changed, "~", t.Yellow}, {list[i].moved, "↔", t.Cyan}} {
			if s.n == 0 {
				figures += term.Spaces(1 + statFigure)
				continue
			}
			figures += " " + s.paint(term.Right(s.sign+term.Short(int64(s.n)), statFigure))
			if most > room {
				s.n = max(1, s.n*(room-3)/most)
			}
			signs += s.paint(strings.Repeat(s.sign, s.n))
		}
		t.line(term.Left(t.memberName(g), names), figures, "  ", signs)
	}
	t.line(term.Plural(len(groups), "member"), ": ", all.String())
}

// The columns of a figure with its sign, and of all but the bar and the name.
const (
	statFigure  = 1 + countColumns
	statColumns = 4*(1+statFigure) + 2
)

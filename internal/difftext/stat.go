package difftext

import (
	"strings"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/diff"
)

// countEdits counts the edits of a member. Edits inside a string count only if the member is that string.
func countEdits(e *diff.Edit) diff.Counts {
	if e.Inside != nil {
		return e.Inside.Counts()
	}
	return e.Counts()
}

func totalOf(c diff.Counts) int { return c.Added + c.Removed + c.Changed + c.Moved }

func countsText(c diff.Counts) string {
	var phrases []string
	for _, s := range []struct {
		n      int
		became string
	}{{c.Added, "added"}, {c.Removed, "removed"}, {c.Changed, "changed"}, {c.Moved, "moved"}} {
		if s.n > 0 {
			phrases = append(phrases, term.Grouped(int64(s.n))+" "+s.became)
		}
	}
	return strings.Join(phrases, ", ")
}

// statistics prints a line for each member, with a sign for each edit, and a line for the total. If there
// are many edits, a sign stands for several of them.
func (t *printer) statistics(e *diff.Edit) {
	groups := topLevel(e)
	list := make([]diff.Counts, len(groups))
	names, largest := 0, 0
	for i, g := range groups {
		list[i] = countEdits(g)
		names, largest = max(names, term.Width(t.memberName(g))), max(largest, totalOf(list[i]))
	}
	room := t.columns - names - statColumns
	for i, g := range groups {
		figures, signs := "", ""
		for _, s := range []struct {
			n     int
			sign  string
			paint func(...any) string
		}{{list[i].Added, "+", t.Green}, {list[i].Removed, "−", t.Red}, {list[i].Changed, "~", t.Yellow}, {list[i].Moved, "↔", t.Cyan}} {
			if s.n == 0 {
				figures += term.Spaces(1 + statFigure)
				continue
			}
			figures += " " + s.paint(term.Right(s.sign+term.Short(int64(s.n)), statFigure))
			if largest > room {
				s.n = max(1, s.n*(room-3)/largest)
			}
			signs += s.paint(strings.Repeat(s.sign, s.n))
		}
		t.line(term.Left(t.memberName(g), names), figures, "  ", signs)
	}
	t.line(term.Plural(len(groups), "member"), ": ", countsText(e.Counts()))
}

// The widths of a figure, of five characters and its sign, and of a line without the bar and the name.
const (
	statFigure  = 6
	statColumns = 4*(1+statFigure) + 2
)

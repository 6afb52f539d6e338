package chain

import (
	"io"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
)

// maxTasks is how many tasks are shown in full, whether they have findings or not.
const maxTasks = 20

// A textReport draws the tree of each task, and what its agents spent.
type textReport struct {
	report.Bare
	w        io.Writer
	all      bool // every task in full
	screen   bool // lines are to fit the width
	unread   int
	findings term.Allowance
	term.Picture
}

func newTextReport(w io.Writer, columns int, colors term.Palette, all bool) *textReport {
	return &textReport{w: w, all: all, Picture: term.NewPicture(columns, colors)}
}

// Unreadable only counts: stderr has the error.
func (t *textReport) Unreadable(string, error) error {
	t.unread++
	return nil
}

func (t *textReport) Tasks(tasks []*chain.Task) error {
	fold := !t.all && len(tasks) > maxTasks
	var sum chain.Task
	inFull := false
	for _, task := range tasks {
		sum.Messages += task.Messages
		sum.Errors += task.Errors
		sum.Warnings += task.Warnings
		view := newTaskView(task)
		folded := fold && !view.found
		if inFull || !folded && task != tasks[0] {
			t.Line()
		}
		inFull = !folded
		t.header(view)
		if inFull {
			if err := t.tree(view); err != nil {
				return err
			}
			t.waterfall(task)
		}
		if err := t.spill(maxSpill); err != nil {
			return err
		}
	}
	if len(tasks) > 0 {
		t.Line()
	}
	t.Line(t.summary(len(tasks), sum))
	return t.spill(0)
}

// maxSpill is how many bytes are drawn before they are written.
const maxSpill = 64 << 10

// spill writes what has been drawn, if it is longer than that.
func (t *textReport) spill(maxLength int) error {
	if t.Text.Len() <= maxLength {
		return nil
	}
	_, err := t.Text.WriteTo(t.w)
	return err
}

// summary says how the run went, in one line.
func (t *textReport) summary(tasks int, sum chain.Task) string {
	text := term.Plural(tasks, "task") + ", " + term.Plural(sum.Messages, "handoff") + ": "
	errors, warnings := term.Plural(sum.Errors, "error"), term.Plural(sum.Warnings, "warning")
	if sum.Errors > 0 {
		errors = t.Red(errors)
	}
	if sum.Warnings > 0 {
		warnings = t.Yellow(warnings)
	}
	text += errors + ", " + warnings
	if t.unread > 0 {
		text += "; " + t.Red(term.Plural(t.unread, "document")+" could not be read")
	}
	return text + t.findings.Summary()
}

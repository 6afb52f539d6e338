package chain

import (
	"io"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
)

// maxTasks is the maximum number of tasks to show in full.
const maxTasks = 20

// A textReport draws the tree of each task and the spending of its agents.
type textReport struct {
	report.Bare
	w        io.Writer
	all      bool // show every task in full
	screen   bool // fit lines to the width
	unread   int
	findings term.Allowance
	term.Picture
}

func newTextReport(w io.Writer, columns int, colors term.Palette, all bool) *textReport {
	return &textReport{w: w, all: all, Picture: term.NewPicture(columns, colors)}
}

// Unreadable only counts: the error is on stderr.
func (t *textReport) Unreadable(report.Unread) error {
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

// maxSpill is the number of bytes to buffer before writing.
const maxSpill = 64 << 10

// spill writes the buffer if it is longer than maxLength.
func (t *textReport) spill(maxLength int) error {
	if t.Text.Len() <= maxLength {
		return nil
	}
	_, err := t.Text.WriteTo(t.w)
	return err
}

// summary returns a line about the run.
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

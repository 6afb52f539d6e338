package chain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/remedy"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Run checks a set of messages once.
type Run struct {
	limits   jsonstream.Limits
	checker  *chain.Checker
	out      *report.Set
	tasks    []reporter
	only     []string // the tasks to report on, nil for all
	Progress *term.Progress

	unread int  // documents and sources without a message
	broken bool // there is an error
}

// An outcome is the message of a document, or the reason why there is none.
type outcome struct {
	message *chain.Message
	report.Unread
}

// Add adds a message.
func (r *Run) Add(m *chain.Message) { r.checker.Add(m) }

// AddUnread adds an unreadable message whose IDs are known.
func (r *Run) AddUnread(taskID, handoffID string, err error) {
	r.unread++
	r.checker.AddUnread(taskID, handoffID)
	r.Progress.Fail(err)
}

// Only limits the report to one task.
func (r *Run) Only(taskID string) { r.only = []string{taskID} }

// read reads every document of the sources.
func (r *Run) read(list []input.Source) error {
	work := func(batch []input.Document) []outcome {
		outcomes := make([]outcome, 0, len(batch))
		for _, d := range batch {
			m, err := r.message(d)
			outcomes = append(outcomes, outcome{m, report.Unread{Source: d.Source.Name, Index: d.Index, Err: err}})
		}
		return outcomes
	}
	return input.Process(list, r.limits, r.Progress, work, func(outcomes []outcome) error {
		for _, o := range outcomes {
			r.Progress.Message()
			if o.Err == nil {
				r.checker.Add(o.message)
				continue
			}
			r.unread++
			if !r.Progress.Fail(o.Err) {
				continue
			}
			if err := r.out.Unreadable(o.Unread); err != nil {
				return err
			}
		}
		return nil
	}, r.out.Flush)
}

// message reads one document. It may run concurrently.
func (r *Run) message(d input.Document) (*chain.Message, error) {
	doc, err := d.Parse(r.limits)
	if err != nil {
		return nil, err
	}
	m, err := chain.Read(doc, chain.Place{Source: d.Source.Name, Index: d.Index, Line: d.Raw.Start.Line})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Origin(), err)
	}
	return m, nil
}

// report checks the messages and writes the report.
func (r *Run) report() error {
	tasks, ids := r.checker.Tasks(), r.only
	for _, id := range ids {
		if !slices.ContainsFunc(tasks, func(t *chain.Task) bool { return strings.EqualFold(t.ID, id) }) {
			return fmt.Errorf("--task %s: no message belongs to this task", term.Visible(id))
		}
	}
	if ids != nil {
		tasks = slices.DeleteFunc(tasks, func(t *chain.Task) bool {
			return !slices.ContainsFunc(ids, func(id string) bool { return strings.EqualFold(t.ID, id) })
		})
	}
	for _, t := range tasks {
		for twig := range tasktree.Twigs(t) {
			for i := range twig.Findings {
				f := &twig.Findings[i]
				f.Message += remedy.OfFinding(*f)
			}
		}
	}
	r.broken = slices.ContainsFunc(tasks, func(t *chain.Task) bool { return t.Errors > 0 })
	for _, w := range r.tasks {
		if err := w.Tasks(tasks); err != nil {
			return err
		}
	}
	return nil
}

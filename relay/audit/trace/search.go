package trace

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
)

// A Question is a search for a value in the messages of a task (EAAPL-MAG006, section 6.2's failure
// investigation).
type Question struct {
	Pointer string // JSON Pointer (RFC 6901)
	// Value is the wanted value: JSON, or plain text; text that is valid JSON matches both. nil matches any
	// value.
	Value *string
}

// A Change is a handoff whose message differs from an earlier one in the value at a pointer.
type Change struct {
	Handoff *Handoff
	Before  *Handoff             // the earlier handoff: the parent, or the previous handoff; nil if there is none
	Old     *jsonstream.Document // the message of Before; nil if there is none
	New     *jsonstream.Document
	// Edit is the difference from Old to New at the pointer; nil if there is none, or if one of them has no
	// value there.
	Edit *diff.Edit
}

// A NotCarriedError reports that no handoff of a task carried a value.
type NotCarriedError struct {
	Task string
	Question
}

func (e *NotCarriedError) Error() string {
	what := "any value"
	if e.Value != nil {
		what = finding.Quote(*e.Value)
	}
	return fmt.Sprintf("no accepted handoff of task %s has %s at %s", finding.Quote(e.Task), what, finding.Quote(e.Pointer))
}

// Search calls each with the first accepted handoff that carried the value, and then with each later one that
// changed the value at the pointer. If none carried it, the error is a [*NotCarriedError].
func (t *Task) Search(r audit.Reader, q Question, each func(Change) error) error {
	place, err := jsonstream.ParsePattern(q.Pointer)
	if err != nil {
		return err
	}
	wanted := q.wanted()
	found := false
	var last *Handoff
	for _, h := range t.accepted() {
		c := Change{Handoff: h, Before: last}
		if parent := t.byNode[h.Parent]; parent != nil {
			c.Before = parent
		}
		last = h
		if c.New, err = h.Document(r); err != nil {
			return err
		}
		if c.New == nil {
			continue
		}
		value := c.New.Root().At(q.Pointer)
		if !found && !wanted(value) {
			continue
		}
		if c.Before != nil {
			if c.Old, err = c.Before.Document(r); err != nil {
				return err
			}
		}
		if found && c.Old != nil && equal.Values(c.Old.Root().At(q.Pointer), value) {
			continue
		}
		found = true
		if value.Exists() && c.Old != nil && c.Old.Root().At(q.Pointer).Exists() {
			c.Edit = diff.Compare(c.Old, c.New, diff.Options{Only: []jsonstream.Pattern{place}})
		}
		if err := each(c); err != nil {
			return err
		}
	}
	if !found {
		return &NotCarriedError{t.ID, q}
	}
	return nil
}

// wanted returns a function that reports whether a value matches.
func (q Question) wanted() func(jsonstream.Value) bool {
	if q.Value == nil {
		return jsonstream.Value.Exists
	}
	asJSON, err := jsonstream.Parse(jsonstream.NewRaw([]byte(*q.Value)), jsonstream.Limits{})
	return func(v jsonstream.Value) bool {
		if v.Kind() == jsonstream.String && v.Text() == *q.Value {
			return true
		}
		return err == nil && v.Exists() && equal.Values(v, asJSON.Root())
	}
}

// accepted returns the accepted handoffs, in order of acceptance.
func (t *Task) accepted() []*Handoff {
	list := slices.DeleteFunc(slices.Clone(t.Handoffs), func(h *Handoff) bool { return h.Accepted == nil })
	slices.SortFunc(list, func(a, b *Handoff) int { return cmp.Compare(a.Accepted.Sequence, b.Accepted.Sequence) })
	return list
}

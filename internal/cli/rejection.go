package cli

import (
	"errors"
	"fmt"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/validate"
)

// A Rejection is an error that is a negative answer, rather than a failure to answer.
type Rejection struct{ Err error }

// Reject returns err as a [Rejection].
func Reject(err error) error { return Rejection{err} }

func (r Rejection) Error() string { return r.Err.Error() }

func (r Rejection) Unwrap() error { return r.Err }

// RejectInvalid rejects an invalid message. done names the omitted action, and remedy the remedy.
func RejectInvalid(d input.Document, r validate.Result, done, remedy string) error {
	first := r.Findings[0]
	more := ""
	if n := len(r.Findings) - 1; n > 0 {
		more = fmt.Sprintf(" (and %s)", term.Counted(n, "more finding"))
	}
	return Reject(fmt.Errorf("%s:%d:%d: not %s, because the message is invalid: %s%s; %s",
		d.Source.Name, first.Line, first.Column, done, first.PlacedMessage(), more, remedy))
}

// InDocument adds the place of a document to an error in it or in its carried content.
func InDocument(d input.Document, err error) error {
	if e := (*history.CarrierError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%s:%d:%d: %w", d.Source.Name, e.Line, e.Column, err)
	}
	return fmt.Errorf("%s: %w", d.Origin(), err)
}

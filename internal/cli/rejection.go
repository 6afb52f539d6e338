package cli

import (
	"errors"
	"fmt"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/validate"
)

// A Rejection is an error by which the answer is no, rather than that there is
// none.
type Rejection struct{ Err error }

// Reject returns err as a [Rejection].
func Reject(err error) error { return Rejection{err} }

func (r Rejection) Error() string { return r.Err.Error() }

func (r Rejection) Unwrap() error { return r.Err }

// RejectInvalid rejects a message because it is invalid: what was not done with it, and the remedy.
func RejectInvalid(d input.Document, r validate.Result, done, remedy string) error {
	first := r.Findings[0]
	more := ""
	if n := len(r.Findings) - 1; n > 0 {
		more = fmt.Sprintf(" (and %s)", term.Counted(n, "more finding"))
	}
	return Reject(fmt.Errorf("%s:%d:%d: not %s, because the message is invalid: %s%s; %s",
		d.Source.Name, first.Line, first.Column, done, first.PlacedMessage(), more, remedy))
}

// InDocument puts the place of a document before an error of it, or of what it carries.
func InDocument(d input.Document, err error) error {
	if e := (*history.CarrierError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%s:%d:%d: %w", d.Source.Name, e.Line, e.Column, err)
	}
	return fmt.Errorf("%s: %w", d.Origin(), err)
}

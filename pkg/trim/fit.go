package trim

import (
	"context"
	"errors"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Fit is like [Message], but keeps more turns than Options.Last if needed to keep turns together. more is
// the number of additional turns.
func Fit(ctx context.Context, doc *jsonstream.Document, limits jsonstream.Limits, o Options) (r Result, more int, err error) {
	r, err = Message(ctx, doc, limits, o)
	if over := (*OverError)(nil); errors.As(err, &over) && over.Unit == "turns" {
		more = over.Over
		o.Last += more
		r, err = Message(ctx, doc, limits, o)
	}
	return r, more, err
}

// Share returns a fraction of a context window in tokens, at least one.
func Share(window int, part float64) int { return max(int(float64(window)*part+1e-9), 1) }

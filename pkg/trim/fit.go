package trim

import (
	"context"
	"errors"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Fit is [Message], but keeps more turns than Options.Last says where turns that belong together
// would else be torn apart: more is how many.
func Fit(ctx context.Context, doc *jsonstream.Document, limits jsonstream.Limits, o Options) (r Result, more int, err error) {
	r, err = Message(ctx, doc, limits, o)
	if over := (*OverError)(nil); errors.As(err, &over) && over.Unit == "turns" {
		more = over.Over
		o.Last += more
		r, err = Message(ctx, doc, limits, o)
	}
	return r, more, err
}

// Share returns how many tokens a part of a context window has, at least one.
func Share(window int, part float64) int { return max(int(float64(window)*part+1e-9), 1) }

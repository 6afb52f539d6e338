package create

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/build"
)

// A builder turns states into messages.
type builder struct {
	*buildFlags
	trims     bool        // the messages
	malformed atomic.Bool // a state does not match its schema
}

// build appends the message for one state.
func (b *builder) build(ctx context.Context, dst []byte, d input.Document, publish func(any)) ([]byte, error) {
	state, err := d.Parse(b.Limits)
	if err != nil {
		return nil, err
	}
	m, err := build.Checked(ctx, state, b.Options)
	if list := (build.Problems)(nil); errors.As(err, &list) {
		return nil, b.placed(d, list)
	}
	if err != nil {
		return nil, err
	}
	if !b.trims {
		return b.Layout.Append(dst, m.Raw())
	}
	text, record, err := b.fitting.Trim(ctx, d, m.Document(), b.Limits)
	if err != nil {
		return nil, err
	}
	publish(record)
	return b.Layout.Append(dst, text.Text)
}

// buildRemedies are the flags that solve problems.
var buildRemedies = map[string]string{
	build.OptionFrom:           ", or name it with --from ID@VERSION",
	build.OptionTo:             ", or name it with --to TYPE",
	build.OptionAllowExhausted: ", or permit it with --allow-exhausted",
}

// placed returns the problems of a state as errors with their places. A problem that a flag can solve (an
// unknown sender or receiver) is not a rejection.
func (b *builder) placed(d input.Document, list build.Problems) error {
	errs := make([]error, len(list))
	for i, p := range list {
		place := d.Source.Name
		if p.Input == build.Parent {
			place = b.parent
		}
		if p.Input != "" {
			place = fmt.Sprintf("%s:%d:%d", place, p.Position.Line, p.Position.Column)
		}
		errs[i] = fmt.Errorf("%s: %s%s", place, p.Text, buildRemedies[p.Option])
		if p.Option != build.OptionFrom && p.Option != build.OptionTo {
			errs[i] = cli.Reject(errs[i])
		}
		if p.Input == build.State && p.Rule != "" {
			b.malformed.Store(true)
		}
	}
	return errors.Join(errs...)
}

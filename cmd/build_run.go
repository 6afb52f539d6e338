package cmd

import (
	"context"
	"sync/atomic"

	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/pkg/build"
	"github.com/eaapl/handoff/pkg/validate"
)

// A builder turns states into messages.
type builder struct {
	*buildFlags
	schema    *validate.Schema
	validator *validate.Validator
	trims     bool        // the messages
	malformed atomic.Bool // a state was not as its schema has it
}

// build appends the message for one state.
func (b *builder) build(ctx context.Context, dst []byte, d input.Document, publish func(any)) ([]byte, error) {
	state, err := d.Parse(b.Limits)
	if err != nil {
		return nil, err
	}
	if findings := b.schema.Check(state.Root()); len(findings) > 0 {
		return nil, b.problems(d, state, findings, nil)
	}
	m, err := build.Message(state, b.Options)
	if err != nil {
		return nil, b.problems(d, state, nil, err)
	}
	r, err := b.validator.Validate(ctx, m)
	if err != nil {
		return nil, err
	}
	if !r.Valid {
		return nil, b.problems(d, state, nil, rejection(r.Findings))
	}
	if !b.trims {
		return b.Layout.Append(dst, m.Raw())
	}
	text, record, err := b.fitting.trim(ctx, d, m.Document(), b.Limits)
	if err != nil {
		return nil, err
	}
	publish(record)
	return b.Layout.Append(dst, text.Text)
}

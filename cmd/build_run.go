package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/pkg/build"
	"github.com/eaapl/handoff/pkg/validate"
)

// A builder turns states into messages.
type builder struct {
	*buildFlags
	schema    *validate.Schema
	validator *validate.Validator
	trims     bool // the messages
}

// build appends the message for one state.
func (b *builder) build(ctx context.Context, dst []byte, d input.Document, publish func(any)) ([]byte, error) {
	state, err := d.Parse(b.Limits)
	if err != nil {
		return nil, err
	}
	if findings := b.schema.Check(state.Root()); len(findings) > 0 {
		var problems []error
		for _, f := range findings {
			problems = append(problems, cli.Reject(fmt.Errorf("%s:%d:%d: %s", d.Source.Name, f.Line, f.Column, f.PlacedMessage())))
		}
		return nil, errors.Join(problems...)
	}
	m, err := build.Message(state, b.Options)
	if err != nil {
		return nil, cli.Reject(b.placed(d, err))
	}
	r, err := b.validator.Validate(ctx, m)
	if err != nil {
		return nil, err
	}
	if !r.Valid {
		var problems []error
		for _, f := range r.Findings {
			problems = append(problems, cli.Reject(fmt.Errorf("%s: the message would be rejected: %s: %s", d.Source.Name, f.Reason, f.PlacedMessage())))
		}
		return nil, errors.Join(problems...)
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

// placed puts before an error the place in the state or the parent that it is
// about.
func (b *builder) placed(d input.Document, err error) error {
	name := d.Source.Name
	var at *build.InputError
	if exhausted := (*build.ExhaustedError)(nil); errors.As(err, &exhausted) {
		return fmt.Errorf("%s: %w, or hand over all the same with --allow-exhausted", name, err)
	}
	if !errors.As(err, &at) {
		return fmt.Errorf("%s: %w", name, err)
	}
	if at.Input == "parent" {
		name = b.parent
	}
	return fmt.Errorf("%s:%d:%d: %s", name, at.Position.Line, at.Position.Column, strings.TrimPrefix(at.Error(), at.Input+": "))
}

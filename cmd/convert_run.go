package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/remedy"
	"github.com/eaapl/handoff/pkg/convert"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

// convertError says whose error it is.
func convertError(d input.Document, err error) error {
	if errors.As(err, new(*convert.MadeUpError)) {
		err = cli.Reject(err)
	}
	return fmt.Errorf("%s: %w", d.Origin(), err)
}

// structure returns the members that are missing or of a wrong type in a message's own
// format, each at its place: those that its schema finds, and the faults that a conversion
// found besides.
func (f *convertFlags) structure(ctx context.Context, d input.Document, doc *jsonstream.Document, converted error) error {
	from := f.FormatFlag.From
	if from == "" {
		from, _ = formats.Detect(doc.Root())
	}
	broken, err := validate.Structure(ctx, message.Of(doc), from, f.Limits)
	if err != nil {
		return err
	}
	var all []error
	reported := map[string]bool{}
	for _, f := range broken {
		end := remedy.Lenient
		if f.Rule == validate.Fixture {
			end = ""
		}
		reported[f.Pointer] = true
		all = append(all, cli.Reject(fmt.Errorf("%s:%d:%d: %s%s [%s]", d.Source.Name, f.Line, f.Column, f.PlacedMessage(), end, f.Rule)))
		if end == "" {
			return errors.Join(all...)
		}
	}
	var faults convert.SourceErrors
	errors.As(converted, &faults)
	for _, fault := range faults {
		parent := fault.Pointer[:max(strings.LastIndexByte(fault.Pointer, '/'), 0)]
		if at := closest(doc.Root(), fault.Pointer).Position(); !reported[fault.Pointer] && !reported[parent] {
			all = append(all, cli.Reject(fmt.Errorf("%s:%d:%d: %s: %s%s", d.Source.Name, at.Line, at.Column, fault.Pointer, fault.Message, remedy.Lenient)))
		}
	}
	return errors.Join(all...)
}

// closest returns the value at a JSON Pointer, or the innermost one on the path to it.
func closest(v jsonstream.Value, pointer string) jsonstream.Value {
	tokens, _ := jsonstream.SplitPointer(pointer)
	for _, token := range tokens {
		next := v.At(jsonstream.AppendPointer("", token))
		if !next.Exists() {
			break
		}
		v = next
	}
	return v
}

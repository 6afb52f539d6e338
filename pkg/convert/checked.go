package convert

import (
	"context"
	"errors"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

// Checked is like [Convert], but for a source that may be invalid by the schema of its own format, which
// Convert checks only as far as necessary. A source with missing members or members of a wrong type
// ([validate.Structure]) is not converted, unless options are lenient. A source that carries the message that
// it was made from is not checked. [SourceErrors] then include the errors of the schema and of the
// conversion, each with its place in the text. Checked also returns the other errors of Convert, and that of
// ctx. limits bound encoded values in the source.
func Checked(ctx context.Context, doc *jsonstream.Document, to format.Format, options Options, limits jsonstream.Limits) (Result, error) {
	r, err := Convert(doc, to, options)
	var faults SourceErrors
	isBroken := errors.As(err, &faults)
	if !isBroken && (options.Lenient || r.Report.Restored) {
		return r, err
	}
	broken, structureErr := validate.Structure(ctx, message.Of(doc), r.Report.From, limits)
	if structureErr != nil {
		return Result{}, structureErr
	}
	all := SourceErrors(broken)
	reported := map[string]bool{}
	for _, f := range broken {
		if f.Rule == validate.Fixture {
			return Result{}, all
		}
		reported[f.Pointer] = true
	}
	for _, f := range faults {
		holder := f.Pointer[:max(strings.LastIndexByte(f.Pointer, '/'), 0)]
		if !reported[f.Pointer] && !reported[holder] {
			all = append(all, f.At(f.Pointer, doc.Root().Around(f.Pointer).Position()))
		}
	}
	if len(all) > 0 {
		return Result{}, all
	}
	return r, err
}

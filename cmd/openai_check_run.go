package cmd

import (
	"cmp"
	"io"
	"slices"

	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// openaiCheck is one run of openai check.
type openaiCheck struct {
	limits   jsonstream.Limits
	options  openai.CheckOptions
	off      []string
	strict   bool
	out      *report.Set[report.Printer]
	findings *report.Limiter[*report.Record]
	stderr   io.Writer
	progress *term.Progress

	unread int  // documents and sources that are not checked
	broken bool // there is an error
}

// all checks every document of the sources.
func (r *openaiCheck) all(list []input.Source) error {
	work := func(batch []input.Document) []result {
		results := make([]result, 0, len(batch))
		for _, d := range batch {
			checked, err := r.check(d)
			results = append(results, result{checked, err})
		}
		return results
	}
	err := input.Process(list, r.limits, r.progress, work, func(results []result) error {
		for _, one := range results {
			r.progress.Message()
			if err := r.consume(one); err != nil {
				return err
			}
		}
		return nil
	}, r.out.Flush)
	return cmp.Or(err, r.findings.Flush())
}

// check is the work on one document: it runs on any core. The error says that the
// document could not be read.
func (r *openaiCheck) check(d input.Document) (report.Record, error) {
	checked := report.Record{Source: d.Source.Name, Index: d.Index, Origin: d.Origin(), Result: validate.Result{Valid: true}}
	doc, err := (*jsonstream.Document)(nil), d.Err
	if err == nil {
		doc, err = jsonstream.Parse(d.Raw, r.limits)
	}
	if err != nil {
		return checked, input.InFile(term.Visible(d.Source.Name), err)
	}
	var details []string
	checked.Findings = []validate.Finding{} // an array in JSON, also without any
	for _, p := range openai.Check(doc, r.options) {
		if slices.Contains(r.off, p.Rule) {
			continue
		}
		finding := validate.Finding{
			Layer: openaiLayer, Keyword: p.Rule, Severity: validate.Error,
			Pointer: p.Pointer, Message: p.Message,
			Line: p.Position.Line, Column: p.Position.Column, Offset: p.Position.Offset,
		}
		if p.Warning && !r.strict {
			finding.Severity = validate.Warning
		} else {
			checked.Valid = false
			details = append(details, finding.PlacedMessage())
		}
		checked.Findings = append(checked.Findings, finding)
	}
	checked.Details = validate.Details(details)
	return checked, nil
}

func (r *openaiCheck) consume(one result) error {
	if one.err != nil {
		r.unread++
		if !r.progress.Fail(one.err) {
			return nil
		}
		return cmp.Or(r.findings.Flush(), r.out.Unreadable(one.Source, one.err))
	}
	r.broken = r.broken || !one.Valid
	return r.findings.Report(&one.Record)
}

// newOpenAIReporter returns the reporter of a format, for documents that no
// receiver refuses with a reason of the specification.
func newOpenAIReporter(format string, w io.Writer, colors term.Palette) (report.Printer, error) {
	each, err := report.NewPrinter(format, w, colors)
	if text, ok := each.(report.TextReporter); ok {
		return unreasoned{text}, err
	}
	return each, err
}

// unreasoned is the text report of documents that are invalid without a reason.
type unreasoned struct{ report.TextReporter }

func (t unreasoned) Report(r report.Record) error {
	if !r.Valid {
		r.Reason = "invalid"
	}
	return t.TextReporter.Report(r)
}

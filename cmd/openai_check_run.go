package cmd

import (
	"cmp"
	"io"
	"slices"

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
	out      *reports[reporter]
	findings *limiter[*report]
	stderr   io.Writer
	progress *progress

	unread int  // documents and sources that are not checked
	broken bool // there is an error
}

// all checks every document of the sources.
func (r *openaiCheck) all(list []source) error {
	work := func(batch []document) []result {
		results := make([]result, 0, len(batch))
		for _, d := range batch {
			checked, err := r.check(d)
			results = append(results, result{checked, err})
		}
		return results
	}
	err := process(list, r.limits, r.progress, work, func(results []result) error {
		for _, one := range results {
			r.progress.message()
			if err := r.consume(one); err != nil {
				return err
			}
		}
		return nil
	}, r.out.flush)
	return cmp.Or(err, r.findings.flush())
}

// check is the work on one document: it runs on any core. The error says that the
// document could not be read.
func (r *openaiCheck) check(d document) (report, error) {
	checked := report{Source: d.source.name, Index: d.index, origin: d.origin(), Result: validate.Result{Valid: true}}
	doc, err := (*jsonstream.Document)(nil), d.err
	if err == nil {
		doc, err = jsonstream.Parse(d.raw, r.limits)
	}
	if err != nil {
		return checked, inFile(visible(d.source.name), err)
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
		if !r.progress.fail(one.err) {
			return nil
		}
		return cmp.Or(r.findings.flush(), r.out.unreadable(one.Source, one.err))
	}
	r.broken = r.broken || !one.Valid
	return r.findings.report(&one.report)
}

// newOpenAIReporter returns the reporter of a format, for documents that no
// receiver refuses with a reason of the specification.
func newOpenAIReporter(format string, w *output, colors palette) (reporter, error) {
	each, err := newReporter(format, w, colors)
	if text, ok := each.(textReporter); ok {
		return unreasoned{text}, err
	}
	return each, err
}

// unreasoned is the text report of documents that are invalid without a reason.
type unreasoned struct{ textReporter }

func (t unreasoned) Report(r report) error {
	if !r.Valid {
		r.Reason = "invalid"
	}
	return t.textReporter.Report(r)
}

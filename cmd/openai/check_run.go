package openai

import (
	"cmp"
	"io"
	"slices"

	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
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
	findings *report.Limiter
	stderr   io.Writer
	progress *term.Progress

	unread int  // documents and sources that are not checked
	broken bool // there is an error
}

// all checks every document of the sources.
func (r *openaiCheck) all(list []input.Source) error {
	work := func(batch []input.Document) []report.Record {
		records := make([]report.Record, 0, len(batch))
		for _, d := range batch {
			records = append(records, r.check(d))
		}
		return records
	}
	err := input.Process(list, r.limits, r.progress, work, func(records []report.Record) error {
		for i := range records {
			r.progress.Message()
			if err := r.consume(&records[i]); err != nil {
				return err
			}
		}
		return nil
	}, r.out.Flush)
	return cmp.Or(err, r.findings.Flush())
}

// check is the work on one document: it runs on any core.
func (r *openaiCheck) check(d input.Document) report.Record {
	checked := report.Record{Source: d.Source.Name, Index: d.Index, Origin: d.Origin(), Result: validate.Result{Valid: true}}
	doc, err := (*jsonstream.Document)(nil), d.Err
	if err == nil {
		doc, err = jsonstream.Parse(d.Raw, r.limits)
	}
	if err != nil {
		checked.Err = input.InFile(term.Visible(d.Source.Name), err)
		return checked
	}
	var details []finding.Finding
	checked.Findings = []finding.Finding{} // an array in JSON, also without any
	for _, f := range openai.Check(doc, r.options) {
		if slices.Contains(r.off, f.Rule) {
			continue
		}
		if r.strict {
			f.Severity = finding.Error
		}
		if f.Severity == finding.Error {
			checked.Valid = false
			details = append(details, f)
		}
		f.Reason = "" // no receiver rejects it with a reason of the specification
		checked.Findings = append(checked.Findings, f)
	}
	checked.Details = finding.Details(details)
	return checked
}

func (r *openaiCheck) consume(one *report.Record) error {
	if one.Err != nil {
		r.unread++
		if !r.progress.Fail(one.Err) {
			return nil
		}
		return cmp.Or(r.findings.Flush(), r.out.Unreadable(one.Source, one.Err))
	}
	r.broken = r.broken || !one.Valid
	return r.findings.Report(one)
}

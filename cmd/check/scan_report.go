package check

import (
	"fmt"
	"io"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/redact"
	"github.com/eaapl/handoff/pkg/safety"
)

// writeSafetyRules prints rules: a line for each, or all that is known of them.
func writeSafetyRules(w io.Writer, format string, rules []safety.Rule, colors term.Palette) error {
	for _, r := range rules {
		if format == "json" {
			if err := report.WriteJSON(w, r); err != nil {
				return err
			}
			continue
		}
		_, err := fmt.Fprintf(w, "%s %s %.2f  %s\n", term.Left(r.ID, 32), colors.Dim(term.Left(string(r.Category), 20)), r.Weight, r.Summary)
		if err != nil {
			return err
		}
	}
	return nil
}

// scanFinding is one finding and where it is.
type scanFinding struct {
	safety.Finding
	Pointer string       `json:"pointer"`          // to the string, or the member whose name it is, after what holds it encoded
	InName  bool         `json:"inName,omitzero"`  // the finding is in the member's name
	Field   safety.Field `json:"field"`            // who speaks there
	Flagged bool         `json:"flagged"`          // whether the text is, by what is not allowed
	Allowed string       `json:"allowed,omitzero"` // the entry of the allow list that covers it
	Line    int          `json:"line"`             // of what was found, 1-based; of the string that holds it encoded
	Column  int          `json:"column"`           // 1-based, in characters
	// Also are the other rules that found something in the same sentence.
	Also []string `json:"also,omitzero"`
	// Evidence is what the score is made of; only with --evidence.
	Evidence *safety.Evidence `json:"evidence,omitzero"`
}

// scanFindings are what scan says of one document beyond its record, in the place of each
// of the record's findings.
type scanFindings []scanFinding

func (scanFindings) Outcome(r *report.Record) string {
	if r.Valid {
		return "clean"
	}
	return "flagged"
}

func (s scanFindings) JSON(r *report.Record) any {
	return struct {
		Source   string       `json:"source"` // the file as named by the user
		Index    int          `json:"index"`  // 0-based, within the source
		Flagged  bool         `json:"flagged"`
		Score    float64      `json:"score"` // of the worst text, 0 to 1
		Findings scanFindings `json:"findings"`
		report.Excess
	}{r.Source, r.Index, !r.Valid, r.Score, s[:len(r.Findings)], r.Excess}
}

// Text is a line, and below it what counts.
func (s scanFindings) Text(r *report.Record, p *report.Page) {
	verdict := p.Colors.Green("clean")
	if !r.Valid {
		verdict = p.Colors.Red(fmt.Sprintf("flagged (%.2f)", r.Score))
	}
	p.Head(verdict)
	for i, f := range r.Findings {
		severity := p.Colors.Red("error")
		switch own := s[i]; {
		case own.Allowed != "":
			severity = p.Colors.Cyan("allowed by " + term.Visible(own.Allowed))
		case !own.Flagged:
			continue
		}
		p.Finding(i, severity, fmt.Sprintf("%s %.2f", f.Rule, s[i].Score))
	}
}

// scanRecord returns the record of what the scanner reports of a document; place finds a
// finding in its source.
func scanRecord(explain bool, o input.Origin, index int, found safety.Report, place func(safety.PlacedFinding) jsonstream.Position) report.Record {
	r := report.Record{Source: o.Source, Index: index, Origin: o, Score: found.Score}
	r.Valid = !found.Flagged
	var own scanFindings
	add := func(f safety.PlacedFinding) *scanFinding {
		at, severity := place(f), finding.Note // too little evidence, or allowed
		if f.Flagged {
			severity = finding.Error
		}
		r.Findings = append(r.Findings, finding.Finding{Layer: finding.Safety, Severity: severity, Rule: f.Rule, Message: f.Text()}.At(f.Pointer(), at))
		own = append(own, scanFinding{
			Finding: f.Finding, Pointer: f.Pointer(), InName: f.InName, Field: f.Field,
			Flagged: f.Flagged, Allowed: f.Allowed, Line: at.Line, Column: at.Column, Also: f.Also(),
		})
		return &own[len(own)-1]
	}
	for _, f := range found.Findings {
		if !explain {
			add(f)
			continue
		}
		for _, one := range f.Findings() {
			f.Finding, f.With = one, nil
			add(f).Evidence = &one.Evidence
		}
	}
	r.Own = own
	if explain {
		r.Own = explanation{own}
	}
	return r
}

// addPersonal adds a finding of personal data to a record.
func addPersonal(r *report.Record, p redact.Found, at jsonstream.Position) {
	rule := "privacy/" + string(p.Class)
	f := safety.Finding{Rule: rule, Category: "personal-data", Score: p.Score, Message: p.What() + " is here"}
	r.Findings = append(r.Findings, finding.Finding{Layer: finding.Privacy, Severity: finding.Error, Rule: rule, Message: f.Message}.At(p.Pointer(), at))
	found := scanFinding{Finding: f, Pointer: p.Pointer(), InName: p.InName, Flagged: true, Line: at.Line, Column: at.Column}
	switch own := r.Own.(type) {
	case scanFindings:
		r.Own = append(own, found)
	case explanation:
		r.Own = explanation{append(own.scanFindings, found)}
	}
	r.Valid = false
	r.Score = max(r.Score, p.Score)
}

// shownPointer is a pointer as text has it before a message, "" for the whole document.
func shownPointer(pointer string) string {
	if pointer == "" {
		return ""
	}
	return term.Visible(pointer) + ": "
}

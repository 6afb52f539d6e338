package check

import (
	"fmt"
	"io"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/redact"
	"github.com/eaapl/handoff/pkg/safety"
)

// writeSafetyRules writes rules: one line each, or in full.
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

// A scanFinding is a finding and its place.
type scanFinding struct {
	safety.Finding
	Pointer string       `json:"pointer"`          // to the string or the member, after those of enclosing encoded texts
	InName  bool         `json:"inName,omitzero"`  // the finding is in the member's name
	Field   safety.Field `json:"field"`            // the speaker of the text
	Flagged bool         `json:"flagged"`          // whether the findings that are not allowed flag the text
	Allowed string       `json:"allowed,omitzero"` // the entry of the allow list that covers it
	Line    int          `json:"line"`             // of the finding, 1-based; if it is encoded, of the outermost string
	Column  int          `json:"column"`           // 1-based, in characters
	// Also lists the other rules with a finding in the same sentence.
	Also []string `json:"also,omitzero"`
	// Evidence explains the score; only with --evidence.
	Evidence *safety.Evidence `json:"evidence,omitzero"`
}

// scanFindings are the findings of one document, parallel to the findings of its record.
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
		Score    float64      `json:"score"` // the highest of all texts, 0 to 1
		Findings scanFindings `json:"findings"`
		report.Excess
	}{r.Source, r.Index, !r.Valid, r.Score, s[:len(r.Findings)], r.Excess}
}

// Text writes a line for the document and, below it, the findings that count.
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

// scanRecord returns the record of the scanner's report on a document. place maps a finding to its place in
// the source.
func scanRecord(explain bool, o input.Origin, index int, found safety.Report, place func(safety.PlacedFinding) jsonstream.Position) report.Record {
	r := report.Record{Source: o.Source, Index: index, Origin: o, Score: found.Score}
	r.Valid = !found.Flagged
	var own scanFindings
	add := func(f safety.PlacedFinding) *scanFinding {
		at, severity := place(f), finding.Note // too little evidence, or allowed
		if f.Flagged {
			severity = finding.Error
		}
		r.Findings = append(r.Findings, finding.Finding{Layer: finding.Safety, Severity: severity, Rule: f.Rule, Message: f.Text(), Also: finding.JoinRules(f.Also())}.At(f.Pointer(), at))
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
	for i := range r.Findings {
		r.Findings[i].Message += cli.AllowAdvice(r.Findings, i)
	}
	r.Own = own
	if explain {
		r.Own = explanation{own}
	}
	return r
}

// addPersonal adds a personal data finding to a record.
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

// shownPointer returns a pointer as a prefix for text, "" for the whole document.
func shownPointer(pointer string) string {
	if pointer == "" {
		return ""
	}
	return term.Visible(pointer) + ": "
}

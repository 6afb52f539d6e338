package check

import (
	"fmt"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
)

// A signedWith is the command's addition to the record of one document. The findings of the record are the
// problem and the lines that explain it.
type signedWith struct {
	key    string // the ID of the key that verifies the signature
	ifSeen error  // why the message is rejected if it was accepted before
}

func (signedWith) Outcome(r *report.Record) string { return "not valid (" + string(r.Reason) + ")" }

func (own signedWith) JSON(r *report.Record) any {
	v := struct {
		Source      string         `json:"source"`    // the file as named by the user
		Index       int            `json:"index"`     // 0-based, within the source
		HandoffID   string         `json:"handoffId"` // "" if the document has none
		Valid       bool           `json:"valid"`
		KeyID       string         `json:"keyId,omitzero"`   // of the key that verifies the signature
		Reason      finding.Reason `json:"reason,omitzero"`  // why the message is invalid
		Pointer     string         `json:"pointer,omitzero"` // to the invalid value
		Line        int            `json:"line,omitzero"`    // of the invalid value, 1-based, in the original text
		Column      int            `json:"column,omitzero"`  // 1-based, in characters
		Details     string         `json:"details,omitzero"`
		Explanation []string       `json:"explanation,omitzero"` // with --diagnose
		report.Excess
	}{Source: r.Source, Index: r.Index, HandoffID: r.ID, Valid: r.Valid, KeyID: own.key, Reason: r.Reason, Excess: r.Excess}
	for i, f := range r.Findings {
		if i == 0 {
			v.Pointer, v.Line, v.Column, v.Details = f.Pointer, f.Line, f.Column, f.Message
		} else {
			v.Explanation = append(v.Explanation, f.Message)
		}
	}
	return v
}

// Text writes a line for the document, with its problem below it.
func (own signedWith) Text(r *report.Record, p *report.Page) {
	if r.Valid {
		by := ""
		if own.key != "" {
			by = fmt.Sprintf(", key %q", term.Visible(own.key))
		}
		p.Head(p.Colors.Green("valid") + by)
		return
	}
	p.Head(p.Colors.Red("not valid: " + string(r.Reason)))
	for i, f := range r.Findings {
		if i == 0 {
			p.Finding(i, "", "")
		} else {
			p.Line(2, term.Visible(f.Message))
		}
	}
}

package macp

import (
	"cmp"
	"fmt"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/macp"
)

// A macpReport is the command's addition to the record of one transcript.
type macpReport struct {
	fixture    bool
	wire       bool
	violations []macp.Violation // parallel to the findings; warnings come last
}

// A violationJSON is a violation with its place in the source. On the wire, Line and Column are 0, and Offset
// is that of the envelope.
type violationJSON struct {
	Index     int            `json:"index"`
	MessageID string         `json:"message_id"`
	Rule      string         `json:"rule"`
	Code      finding.Reason `json:"code"`
	Expected  string         `json:"expected"`
	Found     string         `json:"found"`
	Remedy    string         `json:"remedy"`
	Pointer   string         `json:"pointer"`
	Follows   bool           `json:"follows,omitzero"`
	Line      int            `json:"line"`
	Column    int            `json:"column"`
	Offset    int64          `json:"offset"`
}

func (m *macpReport) Outcome(r *report.Record) string {
	if r.Valid {
		return "conforms"
	}
	return string(cmp.Or(r.Reason, "does not conform"))
}

func (m *macpReport) JSON(r *report.Record) any {
	violations, advice := []violationJSON{}, []violationJSON(nil)
	for _, v := range m.violations[:len(r.Findings)] {
		list := &violations
		if v.Severity != finding.Error {
			list = &advice
		}
		*list = append(*list, violationJSON{
			v.Index, v.MessageID, v.Rule, v.Reason, v.Expected, v.Found, v.Fix, v.Pointer, v.Follows, v.Line, v.Column, v.Offset,
		})
	}
	return struct {
		Source     string          `json:"source"` // as named by the user
		Index      int             `json:"index"`  // 0-based, within the source
		SessionID  string          `json:"session_id"`
		Fixture    bool            `json:"fixture"`
		Conforms   bool            `json:"conforms"`
		Violations []violationJSON `json:"violations"`
		Advice     []violationJSON `json:"advice,omitzero"` // warnings, which break no rule
		report.Excess
	}{r.Source, r.Index, r.ID, m.fixture && r.Messages == 0, r.Valid, violations, advice, r.Excess}
}

// count returns the number of violations other than warnings.
func (m *macpReport) count() int {
	n := 0
	for _, v := range m.violations {
		if v.Severity == finding.Error {
			n++
		}
	}
	return n
}

func (m *macpReport) Text(r *report.Record, p *report.Page) {
	session := ""
	if m.wire && r.Index > 0 {
		session = fmt.Sprintf(", session %d", r.Index+1)
	}
	outcome := p.Colors.Green("conforms")
	if !r.Valid {
		outcome = p.Colors.Red(term.Plural(m.count(), "violation"))
	}
	p.Line(0, r.Origin.String()+session+": "+outcome)
	for i, f := range r.Findings {
		rule, severity := f.Rule, ""
		if f.Reason != "" {
			rule += ", " + string(f.Reason)
		}
		if f.Severity != finding.Error {
			severity = p.Severity(f)
		}
		p.Finding(i, severity, rule)
	}
}

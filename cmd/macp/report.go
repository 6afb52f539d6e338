package macp

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/macp"
)

// A macpReport is what check says of one transcript.
type macpReport struct {
	Source     string          `json:"source"` // as named by the user
	Index      int             `json:"index"`  // 0-based, within the source
	SessionID  string          `json:"session_id"`
	Fixture    bool            `json:"fixture"`
	Conforms   bool            `json:"conforms"`
	Violations []macpViolation `json:"violations"`
	report.Excess
	reason     finding.Reason // the code of the first violation
	transcript transcript
}

func (r *macpReport) Place() input.Origin { return r.transcript.origin }

func (r *macpReport) Count() int { return len(r.Violations) }

func (r *macpReport) Keep(n int) { r.Violations = r.Violations[:n] }

func (r *macpReport) Outcome() string {
	if r.Conforms {
		return "conforms"
	}
	return string(cmp.Or(r.reason, "does not conform"))
}

func (r *macpReport) Terse() bool {
	return !r.Conforms || r.transcript.origin.Short && r.SessionID == ""
}

func (r *macpReport) Join(next *macpReport) {
	r.SessionID, r.Fixture = "", false
	if r.Conforms && !next.Conforms {
		r.Conforms, r.reason = false, next.reason
	}
}

// A macpViolation is a violation with its place in the source. Line and Column are 0
// on the wire, and Offset is then that of the envelope.
type macpViolation struct{ macp.Violation }

func (v macpViolation) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
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
	}{v.Index, v.MessageID, v.Rule, v.Reason, v.Expected, v.Found, v.Fix, v.Pointer, v.Follows, v.Line, v.Column, v.Offset})
}

// told returns a violation in words, with the id of its message.
func (v macpViolation) told() string {
	if v.MessageID == "" {
		return v.Message
	}
	return v.MessageID + ": " + v.Message
}

// A macpReporter writes the report of a run in one format.
type macpReporter interface {
	report.Ending
	Report(macpReport) error // in the order of the input
}

func newMACPReporter(format string, w io.Writer, colors term.Palette) (macpReporter, error) {
	switch format {
	case "text":
		return macpText{w, colors}, nil
	case "json":
		return macpJSON{w}, nil
	default:
		each, err := report.NewPrinter(format, w, colors)
		return macpAsMessages{each}, err
	}
}

// macpJSON writes an object per transcript, one a line.
type macpJSON struct{ w io.Writer }

func (j macpJSON) Report(r macpReport) error { return report.WriteJSON(j.w, r) }

// Unreadable writes nothing: there is no transcript, and stderr has told.
func (macpJSON) Unreadable(string, error) error { return nil }

func (macpJSON) Close() error { return nil }

// macpText writes a line per transcript, and its violations below it.
type macpText struct {
	w      io.Writer
	colors term.Palette
}

func (t macpText) Report(r macpReport) error {
	if r.Messages > 0 {
		_, err := io.WriteString(t.w, r.Several(r.transcript.origin))
		return err
	}
	var b strings.Builder
	b.WriteString(r.transcript.origin.String())
	if r.transcript.offsets != nil && r.Index > 0 {
		fmt.Fprintf(&b, ", session %d", r.Index+1)
	}
	if r.Conforms {
		b.WriteString(": " + t.colors.Green("conforms") + "\n")
	} else {
		b.WriteString(": " + t.colors.Red(term.Plural(len(r.Violations)+r.Omitted, "violation")) + "\n")
	}
	for _, v := range r.Violations {
		place := fmt.Sprintf("%d:%d", v.Line, v.Column)
		if v.Line == 0 {
			place = fmt.Sprintf("byte %d", v.Offset)
		}
		rule := v.Rule
		if v.Reason != "" {
			rule += ", " + string(v.Reason)
		}
		f := finding.Finding{Pointer: v.Pointer, Message: v.told()}
		fmt.Fprintf(&b, "  %s:%s: %s %s\n", term.Visible(r.Source), place, term.Visible(f.PlacedMessage()), t.colors.Dim("["+rule+"]"))
	}
	if told := r.Told(); told != "" {
		fmt.Fprintf(&b, "  … %s\n", told)
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// Unreadable writes nothing: stderr has told.
func (macpText) Unreadable(string, error) error { return nil }

func (macpText) Close() error { return nil }

// macpAsMessages reports on each transcript as validate does on a message, whose id is
// that of the session.
type macpAsMessages struct{ report.Printer }

func (m macpAsMessages) Report(r macpReport) error {
	as := report.Record{Source: r.Source, Index: r.Index, HandoffID: r.SessionID, Excess: r.Excess, Origin: r.transcript.origin}
	as.Valid, as.Reason = r.Conforms, r.reason
	for _, v := range r.Violations {
		v.Message = v.told()
		as.Findings = append(as.Findings, v.Finding)
	}
	as.Details = finding.Details(as.Findings)
	return m.Printer.Report(as)
}

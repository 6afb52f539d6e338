package chain

import (
	"cmp"
	"io"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/validate"
)

// formats are the formats of chain's report.
var formats = []string{"text", "json", "sarif", "junit", "github", "mermaid", "dot"}

// A reporter writes the report of a run in one format.
type reporter interface {
	report.Ending
	Tasks([]*chain.Task) error // called once, after all unreadable sources
}

// newReporter returns the reporter of a format. look applies to text; look.All shows every task in full. At
// most maxFindings findings are reported.
func newReporter(format string, w io.Writer, look report.Text, maxFindings int) (reporter, error) {
	findings := term.Allowance{Max: maxFindings}
	switch format {
	case "text":
		t := newTextReport(w, cmp.Or(look.Width, term.DefaultWidth), look.Colors, look.All)
		t.screen, t.findings = look.Width > 0, findings
		return t, nil
	case "json":
		return &jsonReport{w: w, findings: findings}, nil
	case "mermaid":
		return &graphReport{w: w, language: tasktree.Mermaid{}, findings: findings}, nil
	case "dot":
		return &graphReport{w: w, language: tasktree.Dot{}, findings: findings}, nil
	default:
		each, err := report.NewPrinter(format, w, report.Text{})
		return newMessageByMessage(each, maxFindings), err
	}
}

// messageByMessage reports on each message of a task separately, as validate does.
type messageByMessage struct {
	report.Printer
	findings *report.Limiter
}

func newMessageByMessage(each report.Printer, maxFindings int) messageByMessage {
	return messageByMessage{each, report.NewLimiter(maxFindings, each.Report)}
}

func (f messageByMessage) Tasks(tasks []*chain.Task) error {
	for _, t := range tasks {
		for twig := range tasktree.Twigs(t) {
			r := reportOf(twig.Node)
			if err := f.findings.Report(&r); err != nil {
				return err
			}
		}
	}
	return f.findings.Flush()
}

// reportOf returns the record of the boundary above a message. The message is invalid if a finding is an
// error.
func reportOf(n *chain.Node) report.Record {
	r := report.Record{
		Source: n.Place.Source, Index: n.Place.Index, ID: n.HandoffID,
		Result: validate.Result{Valid: true},
		Origin: input.Origin{Source: n.Place.Source, Line: n.Place.Line, Several: true},
	}
	r.Findings = n.Findings
	var details []finding.Finding
	for _, f := range n.Findings {
		if f.Severity == finding.Error {
			r.Valid = false
			details = append(details, f)
		}
	}
	r.Details = finding.Details(details)
	return r
}

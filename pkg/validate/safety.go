package validate

import (
	"context"
	"fmt"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/safety"
)

// checkSafety runs the safety scan of sections 6.1 and 10.1 on all text of the message, including names of
// members and carried base64. Findings on the allow list become notes. The error is that of the scanner.
func checkSafety(ctx context.Context, root jsonstream.Value, f format.Format, o Options) ([]finding.Finding, error) {
	var t textFindings
	if err := t.scan(ctx, root, f, o); err != nil {
		return nil, err
	}
	return t.findings, nil
}

// textFindings are the scanner's findings in a message or a part of it, with counts.
type textFindings struct {
	findings []finding.Finding
	before   []int // for each allowed finding, the number of unflagged ones before it
	others   int   // the number of unflagged findings
}

// scan adds the findings of the scanner.
func (t *textFindings) scan(ctx context.Context, root jsonstream.Value, f format.Format, o Options) error {
	report, err := safety.ScanMessage(ctx, o.Scanner, root, f, o.Allow)
	if err != nil {
		return err
	}
	for _, hit := range report.Findings {
		if len(t.findings) == maxFindings {
			break
		}
		if !hit.Flagged {
			t.others++
		}
		f := finding.Finding{Layer: finding.Safety, Reason: SafetyViolation, Severity: finding.Error, Rule: hit.Rule, Also: finding.JoinRules(hit.Also()), Score: hit.Score, Message: hit.Text()}
		switch {
		case hit.Allowed != "":
			f.Severity = finding.Note
			f.Message += fmt.Sprintf(" (allowed by %s)", hit.Allowed)
		case !hit.Flagged:
			continue
		}
		if hit.InName {
			f = f.OnName(hit.Value)
		} else {
			f = f.On(hit.Value)
			f.Words = [2]int{hit.Offset, hit.Offset + hit.Length}
			if f.Pointer == hit.Value.Pointer() {
				f = f.At(f.Pointer, hit.Value.PositionIn(hit.Offset))
			}
		}
		if hit.Holder.Exists() {
			f = f.Inside(hit.Holder)
		}
		t.findings = append(t.findings, f)
		t.before = append(t.before, t.others)
	}
	return nil
}

// add adds the findings of the next part, with the same limits per kind as a scan of the whole message.
func (t *textFindings) add(part textFindings) {
	for i, f := range part.findings {
		isAllowed := f.Severity == finding.Note
		if len(t.findings) < maxFindings && (!isAllowed || t.others+part.before[i] <= maxFindings) {
			t.findings = append(t.findings, f)
		}
	}
	t.others += part.others
}

package validate

import (
	"context"
	"fmt"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/safety"
)

// checkSafety is the safety scan of sections 6.1 and 10.1, over all text of the message,
// names of members and what a message of its format carries in base64 too. What the allow
// list covers becomes a note. The error is that of the scanner.
func checkSafety(ctx context.Context, root jsonstream.Value, f format.Format, o Options) ([]finding.Finding, error) {
	var t textFindings
	if err := t.scan(ctx, root, f, o); err != nil {
		return nil, err
	}
	return t.findings, nil
}

// textFindings are those of the scanner in a message, or in a part of one, and how many it had.
type textFindings struct {
	findings []finding.Finding
	before   []int // of each that is allowed, how many that are not flagged were before it
	others   int   // that are not flagged
}

// scan adds what the scanner finds.
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
		f := finding.Finding{Layer: finding.Safety, Reason: SafetyViolation, Severity: finding.Error, Rule: hit.Rule, Also: finding.JoinRules(hit.Also()), Message: hit.Text()}
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
		}
		if hit.Holder.Exists() {
			f = f.Inside(hit.Holder)
		}
		t.findings = append(t.findings, f)
		t.before = append(t.before, t.others)
	}
	return nil
}

// add adds those of the next part: as many as a scan of the whole has, which reports so many of
// each kind.
func (t *textFindings) add(part textFindings) {
	for i, f := range part.findings {
		isAllowed := f.Severity == finding.Note
		if len(t.findings) < maxFindings && (!isAllowed || t.others+part.before[i] <= maxFindings) {
			t.findings = append(t.findings, f)
		}
	}
	t.others += part.others
}

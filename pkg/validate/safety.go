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
	report, err := safety.ScanMessage(ctx, o.Scanner, root, f, o.Allow)
	if err != nil {
		return nil, err
	}
	var findings []finding.Finding
	for _, hit := range report.Findings {
		if len(findings) == maxFindings {
			break
		}
		f := finding.Finding{Layer: finding.Safety, Reason: SafetyViolation, Severity: finding.Error, Rule: hit.Rule, Message: hit.Message}
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
		}
		if hit.Holder.Exists() {
			f = f.Inside(hit.Holder)
		}
		findings = append(findings, f)
	}
	return findings, nil
}

package cli

import (
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/validate"
)

// RuleChecks are the severities of a command that checks documents with the rules of one system.
type RuleChecks struct {
	SeverityFlags
	byRule map[string]finding.Severity
}

// Register registers the flags for rules.
func (f *RuleChecks) Register(c *cobra.Command, rules func() []finding.Rule) {
	f.SeverityFlags.Register(c, "rule", rules)
}

// Load looks up the rules in the flags.
func (f *RuleChecks) Load(c *cobra.Command) (err error) {
	f.byRule, err = f.SeverityFlags.Load(c)
	return err
}

// Record returns the record of a document with some findings.
func (f *RuleChecks) Record(d input.Document, findings []finding.Finding) report.Record {
	r := report.Record{Source: d.Source.Name, Index: d.Index, Origin: d.Origin(), Raw: d.Raw, Result: validate.Result{Valid: true}}
	var details []finding.Finding
	r.Findings = []finding.Finding{} // so that JSON has an array
	for _, one := range findings {
		switch one.Severity = finding.Wanted(one.Severity, one.Rule, f.byRule, f.Strict); one.Severity {
		case finding.Off:
			continue
		case finding.Error:
			r.Valid = false
			details = append(details, one)
		}
		r.Findings = append(r.Findings, one)
	}
	r.Details = finding.Details(details)
	return r
}

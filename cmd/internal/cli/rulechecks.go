package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/validate"
)

// RuleChecks are the flags --off and --warnings-as-errors of commands that check documents by
// the rules of one system.
type RuleChecks struct {
	rules  func() []finding.Rule
	off    []string
	strict bool
}

// Register registers the flags, for some rules.
func (f *RuleChecks) Register(c *cobra.Command, rules func() []finding.Rule) {
	f.rules = rules
	c.Flags().StringSliceVar(&f.off, "off", nil, "rules that are not to be checked")
	c.Flags().BoolVar(&f.strict, "warnings-as-errors", false, "make warnings errors")
	CompleteWith(c, "off", func([]string) []string { return finding.IDs(rules()) })
}

// Load looks up the rules that are off.
func (f *RuleChecks) Load() (err error) {
	f.off, err = RuleIDs("off", f.off, "rule", f.rules)
	return err
}

// Record returns what is reported of a document with some findings.
func (f *RuleChecks) Record(d input.Document, findings []finding.Finding) report.Record {
	r := report.Record{Source: d.Source.Name, Index: d.Index, Origin: d.Origin(), Raw: d.Raw, Result: validate.Result{Valid: true}}
	var details []finding.Finding
	r.Findings = []finding.Finding{} // an array in JSON, also without any
	for _, one := range findings {
		if slices.Contains(f.off, one.Rule) {
			continue
		}
		if f.strict && one.Severity == finding.Warning {
			one.Severity = finding.Error
		}
		if one.Severity == finding.Error {
			r.Valid = false
			details = append(details, one)
		}
		r.Findings = append(r.Findings, one)
	}
	r.Details = finding.Details(details)
	return r
}

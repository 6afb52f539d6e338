package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/validate"
)

// SeverityFlags set the severities of rules: --severity, --off and --strict.
type SeverityFlags struct {
	Strict bool // turn warnings into errors, also in the result of Load
	rules  func() []finding.Rule
	noun   string
	off    []string
	list   []string // RULE=SEVERITY
}

// Register registers the flags for rules; noun is a noun for the rules.
func (f *SeverityFlags) Register(c *cobra.Command, noun string, rules func() []finding.Rule) {
	f.rules, f.noun = rules, noun
	flags := c.Flags()
	flags.BoolVar(&f.Strict, "strict", false, "treat warnings as errors")
	flags.StringSliceVar(&f.off, "off", nil, "rules to disable")
	flags.StringSliceVar(&f.list, "severity", nil, "severity of a rule, as `RULE=SEVERITY`: error, warning, note or off; may be repeated")
	CompleteRules(c, "off", rules)
	CompleteWith(c, "severity", func([]string) []string {
		var choices []string
		for _, id := range finding.IDs(rules()) {
			for _, severity := range finding.Severities() {
				choices = append(choices, id+"="+string(severity))
			}
		}
		return choices
	})
}

// Load returns the severities that differ from the rules' defaults, by rule ID. If --off and --severity
// contradict each other, the one on the command line wins, and --off if both are.
func (f *SeverityFlags) Load(c *cobra.Command) (map[string]finding.Severity, error) {
	wanted := map[string]finding.Severity{}
	for _, text := range f.list {
		name, severity, ok := strings.Cut(text, "=")
		if !ok || !slices.Contains(finding.Severities(), finding.Severity(severity)) {
			return nil, fmt.Errorf("--severity %q: write it as RULE=error, RULE=warning, RULE=note or RULE=off", text)
		}
		if err := f.want(c, "severity", name, func(id string) { wanted[id] = finding.Severity(severity) }); err != nil {
			return nil, err
		}
	}
	overruled := c.Flags().Changed("severity") && !c.Flags().Changed("off")
	for _, name := range f.off {
		if err := f.want(c, "off", name, func(id string) {
			if _, named := wanted[id]; !named || !overruled {
				wanted[id] = finding.Off
			}
		}); err != nil {
			return nil, err
		}
	}
	return wanted, nil
}

// want calls found with the ID of the rule in a flag's value. A configured value applies to all commands, so
// it may name a rule of another command.
func (f *SeverityFlags) want(c *cobra.Command, flag, name string, found func(id string)) error {
	id, err := RuleID(flag, name, f.noun, f.rules)
	if err == nil {
		found(id)
		return nil
	}
	rule, elsewhere := finding.Find(report.Rules(), name)
	switch {
	case elsewhere == nil && !c.Flags().Changed(flag):
		return nil
	case elsewhere == nil && rule.Layer == finding.Safety:
		return fmt.Errorf("--%s %s: the rule cannot be disabled; to permit a legitimate text, use --allow %s@POINTER: scan and validate print it with the place", flag, name, rule.Name())
	}
	return err
}

// WarningRules returns the rules for messages whose severity is configurable.
func WarningRules() []finding.Rule {
	return slices.DeleteFunc(validate.Rules(), func(r finding.Rule) bool { return r.Severity != finding.Warning })
}

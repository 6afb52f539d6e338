package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
)

// severities are the values that a rule's severity may have.
var severities = []finding.Severity{finding.Error, finding.Warning, finding.Note, finding.Off}

func severityChoices() []string {
	var choices []string
	for _, id := range finding.IDs(chain.Rules()) {
		for _, severity := range severities {
			choices = append(choices, id+"="+string(severity))
		}
	}
	return choices
}

// severityOfRules returns the severities that differ from the rules' own. Where
// --off and --severity contradict each other, the one that was on the command
// line counts, and --off if both did.
func (f *chainFlags) severityOfRules(c *cobra.Command) (map[string]finding.Severity, error) {
	wanted := map[string]finding.Severity{}
	for _, text := range f.severities {
		name, severity, ok := strings.Cut(text, "=")
		if !ok || !slices.Contains(severities, finding.Severity(severity)) {
			return nil, fmt.Errorf("--severity %q: write it as RULE=error, RULE=warning, RULE=note or RULE=off", text)
		}
		id, err := cli.RuleID("severity", name, "rule of a chain", chain.Rules)
		if err != nil {
			return nil, err
		}
		wanted[id] = finding.Severity(severity)
	}
	overruled := c.Flags().Changed("severity") && !c.Flags().Changed("off")
	off, err := cli.RuleIDs("off", f.off, "rule of a chain", chain.Rules)
	if err != nil {
		return nil, err
	}
	for _, id := range off {
		if _, named := wanted[id]; !named || !overruled {
			wanted[id] = finding.Off
		}
	}
	if f.strict {
		for _, rule := range chain.Rules() {
			if severity, named := wanted[rule.ID]; severity == finding.Warning || !named && rule.Severity == finding.Warning {
				wanted[rule.ID] = finding.Error
			}
		}
	}
	return wanted, nil
}

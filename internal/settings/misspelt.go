package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/nearest"
)

// otherVariables are the variables of handoff that are not settings: keys, and variables for the commands
// that handoff runs.
var otherVariables = []string{cli.KeyVariable, cli.SummarizerKeyVariable, cli.TokenVariable, "HANDOFF_ID", "HANDOFF_TASK", "HANDOFF_SENDER", "HANDOFF_RECEIVER"}

// misspeltVariables returns a warning for each variable of an environment with a name similar to that of a
// setting. Others may be for another program. It does not create the whole tree if all variables are settings
// of the command, as in most runs.
func (t Tree) misspeltVariables(environ []string, c *cobra.Command) []string {
	var names []string
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, variablePrefix) && !slices.Contains(otherVariables, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil // as in most runs, which thus avoid the names of their flags' variables
	}
	command := commandKey(c)
	c.Flags().VisitAll(func(f *pflag.Flag) {
		variables := variableNames(command, f.Name)
		names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(variables[:], name) })
	})
	if len(names) == 0 {
		return nil
	}

	// Names are compared without their common prefix, which makes none of them similar.
	settings := []string{strings.TrimPrefix(cli.SummarizerKeyVariable, variablePrefix)}
	visitConfigurable(t.All(), func(command string, f *pflag.Flag) {
		for _, variable := range variableNames(command, f.Name) {
			settings = append(settings, strings.TrimPrefix(variable, variablePrefix))
		}
	})
	slices.Sort(names)
	var warnings []string
	for _, name := range names {
		rest := strings.TrimPrefix(name, variablePrefix)
		if slices.Contains(settings, rest) || slices.Contains(notConfigurable, strings.ToLower(strings.ReplaceAll(rest, "_", "-"))) {
			continue
		}
		if meant := nearest.Name(rest, settings); meant != "" {
			warnings = append(warnings, fmt.Sprintf("%s: no setting has this name: did you mean %s?", name, variablePrefix+meant))
		}
	}
	return warnings
}

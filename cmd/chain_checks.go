package cmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
)

// chainChecks are the flags that say how chains are judged, besides the severities of rules.
type chainChecks struct {
	maxVisits int
	tolerance string
	agents    []string
}

func (f *chainChecks) register(c *cobra.Command) {
	flags := c.Flags()
	flags.IntVar(&f.maxVisits, "max-visits", chain.DefaultMaxVisits, "how often two agents may hand a task to each other in turn")
	flags.StringVar(&f.tolerance, "tolerance", chain.DefaultTolerance().String(), "by how many `USD` a budget may drift at one boundary")
	flags.StringSliceVar(&f.agents, "agent-type", nil, "the type of an agent that is not named like its type, as `ID=TYPE`; may be repeated")
}

// options returns what is checked, with these severities.
func (f *chainChecks) options(severities map[string]finding.Severity, strict bool) (chain.Options, error) {
	o := chain.Options{Severities: severities, Strict: strict, MaxVisits: f.maxVisits, Agents: map[string][]string{}}
	if o.MaxVisits < 1 {
		return o, fmt.Errorf("--max-visits %d: use 1 or more", o.MaxVisits)
	}
	var err error
	if o.Tolerance, err = message.Number(f.tolerance).Decimal(); err != nil || o.Tolerance.Sign() < 0 {
		return o, fmt.Errorf("--tolerance %q: use an amount of US dollars, such as 0.01", f.tolerance)
	}
	for _, text := range f.agents {
		id, agentType, ok := strings.Cut(text, "=")
		if !ok || id == "" || agentType == "" {
			return o, fmt.Errorf("--agent-type %q: write it as ID=TYPE", text)
		}
		o.Agents[id] = append(o.Agents[id], agentType)
	}
	return o, nil
}

// chainCommand returns what makes the line for a shell that shows a task as it is checked with
// these options.
func chainCommand(o chain.Options) func(taskID string, sources []string) string {
	flags := chainWords(o)
	return func(taskID string, sources []string) string {
		if slices.Contains(sources, "stdin") || taskID == "" {
			return ""
		}
		words := append([]string{"handoff chain --task", cli.ShellWord(taskID)}, flags...)
		for _, s := range sources {
			words = append(words, cli.ShellWord(s))
		}
		return strings.Join(words, " ")
	}
}

// chainWords returns the words of a command line that set what differs from the defaults.
func chainWords(o chain.Options) (words []string) {
	add := func(flag, value string) { words = append(words, "--"+flag, cli.ShellWord(value)) }
	if o.MaxVisits != chain.DefaultMaxVisits {
		add("max-visits", fmt.Sprint(o.MaxVisits))
	}
	if o.Tolerance.Cmp(chain.DefaultTolerance()) != 0 {
		add("tolerance", o.Tolerance.String())
	}
	for _, id := range slices.Sorted(maps.Keys(o.Agents)) {
		for _, agentType := range o.Agents[id] {
			add("agent-type", id+"="+agentType)
		}
	}
	for _, rule := range chain.Rules() {
		if severity, ok := o.Severities[rule.ID]; ok {
			add("severity", rule.ID+"="+string(severity))
		}
	}
	if o.Strict {
		words = append(words, "--strict")
	}
	return words
}

package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
)

// ChainFlags are the flags for checking chains, except the severities of rules.
type ChainFlags struct {
	maxVisits int
	tolerance string
	agents    []string
}

// Register registers the flags.
func (f *ChainFlags) Register(c *cobra.Command) {
	flags := c.Flags()
	flags.IntVar(&f.maxVisits, "max-visits", chain.DefaultMaxVisits, "maximum number of times that two agents may alternately hand a task to each other")
	flags.StringVar(&f.tolerance, "tolerance", chain.DefaultTolerance().String(), "permitted budget drift in `USD` per handoff")
	flags.StringSliceVar(&f.agents, "agent-type", nil, "type of an agent whose name differs from its type, as `ID=TYPE`; may be repeated")
}

// Options returns the options for checking chains with these severities.
func (f *ChainFlags) Options(severities map[string]finding.Severity, strict bool) (chain.Options, error) {
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

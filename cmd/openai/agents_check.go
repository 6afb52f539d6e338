package openai

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/openai/agents"
	"github.com/eaapl/handoff/pkg/validate"
)

// agentsCheckFlags are the flags of openai agents check.
type agentsCheckFlags struct {
	*cli.Globals
	reports cli.ReportFlags
	rules   cli.RuleChecks
	agents.Options
}

func newAgentsCheck(g *cli.Globals) *cobra.Command {
	f := &agentsCheckFlags{Globals: g}
	c := &cobra.Command{
		Use:   "check [FILE|-]...",
		Short: "Check agent definitions",
		Long: `Check reports problems in agent definitions (YAML or JSON): handoffs to undefined
agents, agents that no run can reach, cycles without an exit, tools with the same name,
input types that cannot be strict, and invalid conditions; descriptions that are
missing, vague or alike; too many or too fine-grained handoffs; and long histories that
are passed on in full. "handoff explain openai-agents/RULE" describes a rule.

Exit code 0: no errors; 1: at least one error; 2: an input could not be read.`,
		Example: `  handoff openai agents check agents.yaml
  handoff openai agents check --max-handoffs 5 --strict -f sarif agents.yaml
  handoff explain openai-agents/vague-description`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.reports.Register(c, report.Formats)
	f.rules.Register(c, agents.Rules)
	flags := c.Flags()
	flags.IntVar(&f.MaxHandoffs, "max-handoffs", agents.DefaultMaxHandoffs, "maximum number of handoffs of an agent: `N`")
	flags.IntVar(&f.LongHistory, "long-history", agents.DefaultLongHistory, "number `N` of handoffs after which the history counts as long")
	return c
}

func (f *agentsCheckFlags) run(c *cobra.Command, args []string) error {
	if f.MaxHandoffs < 1 {
		return fmt.Errorf("--max-handoffs %d: write a number above 0", f.MaxHandoffs)
	}
	if f.LongHistory < 1 {
		return fmt.Errorf("--long-history %d: write a number above 0", f.LongHistory)
	}
	if err := f.rules.Load(c); err != nil {
		return err
	}
	out, err := f.reports.Start(f.Globals, c, nil)
	if err != nil {
		return err
	}
	err = out.ReadWhole(f.Globals, c, args, cli.OneByOne(f.check))
	return cli.Answer(out.Finish(err, out.Validity("file"), term.Counted(out.Unread, "file")), out.Unread, out.Rejected > 0)
}

// check checks one file. It may run concurrently.
func (f *agentsCheckFlags) check(d input.Document) report.Record {
	origin := input.Origin{Source: d.Source.Name} // the file is one document
	err := d.Err
	if err == nil {
		var definitions *agents.Definitions
		if definitions, err = agents.Parse(d.Raw.Bytes); err == nil {
			r := f.rules.Record(d, agents.Check(definitions, f.Options))
			r.Origin = origin
			return r
		}
	}
	return report.Record{Source: d.Source.Name, Index: d.Index, Origin: origin, Result: validate.Result{Valid: true}, Err: input.InFile(input.ShownName(d.Source.Name), err)}
}

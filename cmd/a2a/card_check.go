package a2a

import (
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/agentcard"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/validate"
)

// cardCheckFlags are the flags of a2a card check.
type cardCheckFlags struct {
	*cli.Globals
	reports cli.ReportFlags
	rules   cli.RuleChecks
}

func newCardCheck(g *cli.Globals) *cobra.Command {
	f := &cardCheckFlags{Globals: g}
	c := &cobra.Command{
		Use:   "check [FILE|DIR|-]...",
		Short: "Check AgentCards for errors",
		Long: `Check reports problems in AgentCards of A2A 1.0: missing or misspelled members,
interfaces that clients cannot use, security requirements that no client can meet,
credentials (cards are public), and signatures that cannot be verified. For a card of
A2A 0.3, the report lists the members that have moved. "handoff explain a2a-card/RULE"
describes a rule. To verify signatures, use "handoff a2a card verify".

Exit code 0: no errors; 1: at least one error; 2: an input could not be read.`,
		Example: `  handoff a2a card check card.json
  handoff a2a card check --strict -f sarif -o results.sarif cards/
  handoff explain a2a-card/undeclared-scheme`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.reports.Register(c, report.Formats)
	f.rules.Register(c, agentcard.Rules)
	return c
}

func (f *cardCheckFlags) run(c *cobra.Command, args []string) error {
	if err := f.rules.Load(c); err != nil {
		return err
	}
	out, err := f.reports.Start(f.Globals, c, nil)
	if err != nil {
		return err
	}
	err = out.Read(f.Globals, c, args, cli.OneByOne(f.check))
	return cli.Answer(out.Finish(err, out.Validity("card"), term.Counted(out.Unread, "document")), out.Unread, out.Rejected > 0)
}

// check checks one card. It may run concurrently.
func (f *cardCheckFlags) check(d input.Document) report.Record {
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return report.Record{Source: d.Source.Name, Index: d.Index, Origin: d.Origin(), Result: validate.Result{Valid: true}, Err: err}
	}
	return f.rules.Record(d, agentcard.Check(doc))
}

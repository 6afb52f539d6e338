// Package chain implements the command chain. Other commands use it to check messages from other sources.
package chain

import (
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
)

// Flags are the flags of chain.
type Flags struct {
	Globals    *cli.Globals
	reports    cli.ReportFlags
	checks     cli.ChainFlags
	severities cli.SeverityFlags
	tasks      []string
	explain    string
	all        bool
}

// New returns the command.
func New(g *cli.Globals) *cobra.Command {
	f := &Flags{Globals: g}
	c := &cobra.Command{
		Use:   "chain [FILE|DIR|-]...",
		Short: "Check a task for losses from one handoff to the next",
		Long: `Chain reads all messages of one or more tasks, in any order, builds the tree of each
task, and compares every message with its parent. It reports data that was lost, changed
or miscounted between two agents. "handoff explain chain" lists the rules.

The text output shows each task as a tree, with the findings of each handoff and the
spending of each agent. If there are more than 20 tasks, each task without findings
takes one line. All messages are checked, even if --task shows only some of the tasks.

Exit code 0: no errors; 1: at least one error; 2: an input could not be read.`,
		Example: `  handoff chain archive/
  handoff chain --task cc35de8b-6ece-4435-abfd-a60e12baff98 archive/
  handoff chain --severity state-lost=error --report sarif=chain.sarif relay.jsonl
  handoff chain -f mermaid relay.jsonl
  handoff chain --explain subtask-lost`,
		RunE: func(c *cobra.Command, args []string) error {
			if f.explain != "" {
				return cli.ExplainOne(g, c.OutOrStdout(), f.explain, "rule of a chain", chain.Rules)
			}
			return f.Run(c, func(r *Run) error { return r.read(g.Sources(args, c.InOrStdin(), c.ErrOrStderr())) })
		},
	}
	f.Register(c)
	c.Flags().StringArrayVar(&f.tasks, "task", nil, "`ID` of a task to show and judge, instead of all; may be repeated")
	c.Flags().StringVar(&f.explain, "explain", "", "explain `RULE` and exit")
	cli.CompleteRules(c, "explain", chain.Rules)
	return c
}

// Register registers the flags for rules, severities and reports.
func (f *Flags) Register(c *cobra.Command) {
	f.reports.RegisterFiles(c, formats)
	f.severities.Register(c, "rule of a chain", chain.Rules)
	f.checks.Register(c)
	c.Flags().BoolVar(&f.all, "all", false, "show every task in full")
}

// Run calls read, which adds messages to the run, checks them and writes the reports. Its error is that of
// [cli.Answer].
func (f *Flags) Run(c *cobra.Command, read func(*Run) error) error {
	severities, err := f.severities.Load(c)
	if err != nil {
		return err
	}
	options, err := f.checks.Options(severities, f.severities.Strict)
	if err != nil {
		return err
	}
	run := Run{
		limits:   f.Globals.Limits,
		checker:  chain.New(options),
		only:     f.tasks,
		Progress: f.Globals.NewProgress(c.ErrOrStderr()),
	}
	run.out, err = report.Open(f.Globals.Open, f.Globals.Open, c.OutOrStdout(), f.reports.Choice, func(format string, w *output.File) (report.Ending, error) {
		look := report.Text{Colors: term.NewPalette(w.Stdout && term.UseColor(f.Globals.Color, c.OutOrStdout())), All: f.all || f.tasks != nil}
		if w.Stdout {
			look.Width = term.ScreenWidth(c.OutOrStdout())
		}
		r, err := newReporter(format, w, look, f.Globals.MaxFindings)
		run.tasks = append(run.tasks, r)
		return r, err
	})
	if err != nil {
		return err
	}
	if err = read(&run); err == nil {
		err = run.report()
	}
	return cli.Answer(run.out.Close(err), run.unread, run.broken)
}

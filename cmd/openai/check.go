package openai

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/formats/openai/agents"
	"github.com/eaapl/handoff/pkg/validate"
)

// openaiCheckFlags are the flags of openai check.
type openaiCheckFlags struct {
	*cli.Globals
	reports cli.ReportFlags
	checks  openai.CheckOptions
	schemas []string
	rules   cli.RuleChecks

	recorded recordedFlags
	window   int
	maxItems int
	runs     *agents.RunChecker // nil without --agents
}

func newOpenAICheck(g *cli.Globals) *cobra.Command {
	f := &openaiCheckFlags{Globals: g}
	c := &cobra.Command{
		Use:   "check [FILE|DIR|-]...",
		Short: "Check what the next agent is going to get",
		Long: `Check reports what is wrong with a HandoffInputData: what the API rejects, such as a
tool's result without its call, what the next agent would see twice or could not
read, and agents that hand a task back and forth. "handoff explain openai/RULE" says
what a rule means and why it matters.

With --input-schema, the arguments of handoff calls are checked too: of all calls of
tools named transfer_to_…, or those of one tool with TOOL=FILE. A file with "=" in
its name is written ./FILE.

With --agents, the run is held against definitions of the agents: calls of handoffs that
an agent does not have or that are disabled, their arguments against input_type, tasks
that come back to an agent within --window items, and tools that only other agents
have ("handoff explain openai-run"). Without --agents, a task that comes back is reported
if --window is given.

A handoff that passes on more than --max-items items, and shows no input filter, is
reported: by its definition with --agents, and otherwise by what the data has.

Exit code 0: no finding is an error; 1: at least one is; 2: something could not be
read.`,
		Example: `  handoff openai check input.json
  handoff openai check --input-schema refund.schema.json recorded/
  handoff openai check --input-schema escalate=escalation.schema.json -f json input.json
  handoff openai check --agents agents.yaml --window 8 recorded/
  handoff openai check --window 5 --max-items 30 input.json
  handoff explain openai/result-without-call`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.reports.Register(c, report.Formats)
	flags := c.Flags()
	registerMarkers(c, &f.checks.Start, &f.checks.End)
	flags.StringArrayVar(&f.schemas, "input-schema", nil, "JSON Schema of the arguments of handoffs, or of one tool's, as `[TOOL=]FILE`; may be repeated")
	f.recorded.register(c)
	flags.IntVar(&f.window, "window", agents.DefaultWindow, "a task that comes back within `N` items bounces; without --agents only if it is given")
	flags.IntVar(&f.maxItems, "max-items", openai.DefaultMaxItems, "more than `N` items are a long history")
	f.rules.Register(c, func() []finding.Rule { return append(openai.Rules(), agents.RunRules()...) })
	return c
}

func (f *openaiCheckFlags) run(c *cobra.Command, args []string) error {
	if err := f.rules.Load(c); err != nil {
		return err
	}
	if err := f.loadAgents(c, args); err != nil {
		return err
	}
	var err error
	if f.checks.InputProblems, err = f.inputProblems(c.InOrStdin(), args); err != nil {
		return err
	}
	out, err := f.reports.Start(f.Globals, c, nil)
	if err != nil {
		return err
	}
	err = out.Read(f.Globals, c, args, cli.OneByOne(f.check))
	return cli.Answer(out.Finish(err, out.Validity("document"), term.Counted(out.Unread, "document")), out.Unread, out.Rejected > 0)
}

// loadAgents reads the definitions that runs are compared with.
func (f *openaiCheckFlags) loadAgents(c *cobra.Command, args []string) error {
	if f.window < 1 {
		return fmt.Errorf("--window %d: write a number above 0", f.window)
	}
	if f.maxItems < 1 {
		return fmt.Errorf("--max-items %d: write a number above 0", f.maxItems)
	}
	o := agents.RunOptions{Window: f.window, MaxItems: f.maxItems, Start: f.checks.Start, End: f.checks.End}
	d, err := f.recorded.load(f.Globals, c, args, &o)
	if err != nil {
		return err
	}
	if d == nil {
		f.checks.MaxItems = f.maxItems
		if c.Flags().Changed("window") {
			f.checks.Window = f.window
		}
		return nil
	}
	if f.runs, err = d.NewRunChecker(o); err != nil {
		return fmt.Errorf("%s: %w", input.ShownName(f.recorded.agents), err)
	}
	return nil
}

// check checks one document. It may run concurrently.
func (f *openaiCheckFlags) check(d input.Document) report.Record {
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return report.Record{Source: d.Source.Name, Index: d.Index, Origin: d.Origin(), Result: validate.Result{Valid: true}, Err: err}
	}
	findings := openai.Check(doc, f.checks)
	if f.runs != nil {
		findings = append(findings, f.runs.Check(doc.Root())...)
		slices.SortStableFunc(findings, func(a, b finding.Finding) int { return cmp.Compare(a.Offset, b.Offset) })
	}
	for i := range findings {
		findings[i].Reason = "" // the specification has no reason for it
	}
	return f.rules.Record(d, findings)
}

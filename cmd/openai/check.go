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
		Short: "Check the input of the next agent",
		Long: `Check reports problems in a HandoffInputData: items that the API rejects, such as a
tool's result without its call, duplicate or unreadable items, and agents that hand a
task back and forth. "handoff explain openai/RULE" describes a rule.

With --input-schema, the arguments of handoff calls are also checked: FILE applies to
all tools named transfer_to_…, TOOL=FILE to one tool. Write ./FILE if the file name
contains "=".

With --agents, the run is compared with agent definitions ("handoff explain
openai-run"): calls to undefined or disabled handoffs, arguments that do not match
input_type, tasks that return to an agent within --window items, and tools that belong
to other agents. Without --agents, a returning task is reported only if --window is set.

A handoff without an input filter that passes on more than --max-items items is
reported; the filter is looked up in the definitions with --agents, and otherwise
inferred from the data.

Exit code 0: no errors; 1: at least one error; 2: an input could not be read.`,
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
	flags.StringArrayVar(&f.schemas, "input-schema", nil, "JSON Schema of the arguments of all handoffs, or of one tool, as `[TOOL=]FILE`; may be repeated")
	f.recorded.register(c)
	flags.IntVar(&f.window, "window", agents.DefaultWindow, "window of `N` items in which a task must not return to an agent; without --agents, only if set")
	flags.IntVar(&f.maxItems, "max-items", openai.DefaultMaxItems, "maximum number of items in a history, `N`")
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

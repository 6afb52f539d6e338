package openai

import (
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/validate"
)

// openaiCheckFlags are the flags of openai check.
type openaiCheckFlags struct {
	*cli.Globals
	reports cli.ReportFlags
	checks  openai.CheckOptions
	schemas []string
	rules   cli.RuleChecks
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

Exit code 0: no finding is an error; 1: at least one is; 2: something could not be
read.`,
		Example: `  handoff openai check input.json
  handoff openai check --input-schema refund.schema.json recorded/
  handoff openai check --input-schema escalate=escalation.schema.json -f json input.json
  handoff explain openai/result-without-call`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.reports.Register(c, report.Formats)
	flags := c.Flags()
	registerMarkers(c, &f.checks.Start, &f.checks.End)
	flags.StringArrayVar(&f.schemas, "input-schema", nil, "JSON Schema of the arguments of handoffs, or of one tool's, as `[TOOL=]FILE`; may be repeated")
	f.rules.Register(c, openai.Rules)
	return c
}

func (f *openaiCheckFlags) run(c *cobra.Command, args []string) error {
	if err := f.rules.Load(); err != nil {
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
	return cli.Answer(out.Finish(err, "", ""), out.Unread, out.Rejected > 0)
}

// check is the work on one document: it runs on any core.
func (f *openaiCheckFlags) check(d input.Document) report.Record {
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return report.Record{Source: d.Source.Name, Index: d.Index, Origin: d.Origin(), Result: validate.Result{Valid: true}, Err: err}
	}
	findings := openai.Check(doc, f.checks)
	for i := range findings {
		findings[i].Reason = "" // no receiver rejects it with a reason of the specification
	}
	return f.rules.Record(d, findings)
}

package about

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
)

func NewExplain(g *cli.Globals) *cobra.Command {
	var format, path string
	c := &cobra.Command{
		Use:   "explain [RULE|LAYER]...",
		Short: "Show what a rule means, why it matters, and how to fix a message",
		Long: `Explain says what a rule means and why it matters. For a rule of a layer it shows a
failing and a fixed example: members that replace those of "handoff example", or for
the rules of the other systems (sw4rm/…, macp/…, openai/…,
openai-agents/…, openai-run/…, a2a-card/…) whole documents. The rules
of "handoff chain" have no examples. Without a rule it lists all of them, and for the
name of a layer or a system the rules of that. A finding names its rule as LAYER/RULE;
RULE alone is enough where no other rule has that name.`,
		Example: `  handoff explain
  handoff explain lint
  handoff explain completed-subtasks lint/secret chain/subtask-lost macp/7`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return cli.RuleCompletions(report.Rules()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			all := report.Rules()
			var rules []finding.Rule
			list := true // for a layer or a system without a rule
			if len(args) == 0 {
				rules = all
			}
			for _, name := range args {
				if group := finding.Group(all, name); group != nil {
					rules = append(rules, group...)
					continue
				}
				rule, err := finding.Find(all, name)
				if err != nil {
					return term.WithHint(err, "handoff explain lists the rules")
				}
				rules, list = append(rules, rule), false
			}
			out, err := g.Open(path, c.OutOrStdout())
			if err != nil {
				return err
			}
			columns := 0
			if out.Stdout {
				columns = term.ScreenWidth(c.OutOrStdout())
			}
			return out.Close(cli.WriteRules(out, columns, format, rules, list))
		},
	}
	cli.RegisterFormat(c, &format, strings.Join(cli.ExplainFormats, ", "), cli.ExplainFormats)
	c.Flags().StringVarP(&path, "output", "o", "", "write to `FILE`")
	return c
}

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
		Short: "Explain a rule, why it matters, and how to fix a message",
		Long: `Explain describes rules and why they matter. For a rule of a layer, it shows a failing
and a fixed example: members to replace in the output of "handoff example", or, for
other systems (sw4rm/…, macp/…, openai/…, openai-agents/…, openai-run/…, a2a-card/…),
whole documents. The rules of "handoff chain" have no examples. Without arguments, it
lists all rules; with the name of a layer or system, the rules in it. Findings name
their rule as LAYER/RULE; RULE alone suffices if it is unique.`,
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
			colors := term.NewPalette(out.Stdout && term.UseColor(g.Color, c.OutOrStdout()))
			return out.Close(cli.WriteRules(out, columns, colors, format, rules, list))
		},
	}
	cli.RegisterFormat(c, &format, strings.Join(cli.ExplainFormats, ", "), cli.ExplainFormats)
	c.Flags().StringVarP(&path, "output", "o", "", "write the output to `FILE`")
	return c
}

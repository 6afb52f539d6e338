package about

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/nearest"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
)

func NewExplain(g *cli.Globals) *cobra.Command {
	var format, path, at string
	c := &cobra.Command{
		Use:   "explain [RULE|LAYER|WORD]...",
		Short: "Explain a rule, a reason or a state, and how to fix a message",
		Long: `Explain describes rules and why they matter. For a rule of a layer, it shows a failing
and a fixed example: members to replace in the output of "handoff example", or, for
other systems (sw4rm/…, macp/…, openai/…, openai-agents/…, openai-run/…, a2a-card/…),
whole documents. The rules of "handoff chain" have no examples. Without arguments, it
lists all rules; with the name of a layer or system, the rules in it. Findings name
their rule as LAYER/RULE; RULE alone suffices if it is unique.

It also explains the other words of reports and answers: reasons for a rejection,
verdicts of verify, states of a delivery, and exit codes: the meaning, who must act, and
the rules behind it. "reasons", "verdicts", "states" and "exit" list them. --at explains
a member of the canonical message.`,
		Example: `  handoff explain
  handoff explain lint
  handoff explain completed-subtasks lint/secret chain/subtask-lost macp/7
  handoff explain INCOMPLETE_CONTEXT mismatch ROLLED_BACK exit 2
  handoff explain --at /costTracking/costSpentSoFarUSD`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			all := cli.RuleCompletions(report.Rules())
			for _, w := range report.Words() {
				all = append(all, cobra.CompletionWithDesc(strings.ReplaceAll(w.Name, " ", "-"), w.Meaning))
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("at") {
				if len(args) > 0 {
					return errors.New("--at explains a member of the message: leave out the names of rules")
				}
				out, err := g.Open(path, c.OutOrStdout())
				if err != nil {
					return err
				}
				return out.Close(explainAt(out, columnsOf(out, c), term.NewPalette(out.Stdout && term.UseColor(g.Color, c.OutOrStdout())), format, at))
			}
			all := report.Rules()
			var rules []finding.Rule
			var words []report.Word
			list, listWords := true, true // only layers, systems and kinds are named
			if len(args) == 0 {
				rules = all
			}
			for _, name := range wordsOf(args) {
				named := report.WordsNamed(name)
				words = append(words, named...)
				listWords = listWords && slices.Contains(report.WordKinds, name)
				if group := finding.Group(all, name); group != nil {
					rules = append(rules, group...)
					continue
				}
				rule, err := finding.Find(all, name)
				if err != nil && named != nil {
					continue
				}
				if err != nil {
					return term.WithHint(withNearestWord(err, name), "handoff explain lists the rules, and handoff explain reasons verdicts states the other words")
				}
				rules, list = append(rules, rule), false
			}
			out, err := g.Open(path, c.OutOrStdout())
			if err != nil {
				return err
			}
			columns := columnsOf(out, c)
			colors := term.NewPalette(out.Stdout && term.UseColor(g.Color, c.OutOrStdout()))
			err = cli.WriteWords(out, columns, colors, format, words, listWords)
			if err == nil && (len(rules) > 0 || len(words) == 0) {
				err = cli.WriteRules(out, columns, colors, format, rules, list)
			}
			return out.Close(err)
		},
	}
	cli.RegisterFormat(c, &format, strings.Join(cli.ExplainFormats, ", "), cli.ExplainFormats)
	c.Flags().StringVar(&at, "at", "", "explain the member of a canonical message at this JSON `POINTER`")
	cli.OnlyForCall(c, "at")
	c.Flags().StringVarP(&path, "output", "o", "", "write the output to `FILE`")
	return c
}

// columnsOf returns the width of the screen if it is the output, and otherwise 0.
func columnsOf(out *output.File, c *cobra.Command) int {
	if !out.Stdout {
		return 0
	}
	return term.ScreenWidth(c.OutOrStdout())
}

// wordsOf returns the arguments with "exit" and a number after it joined.
func wordsOf(args []string) []string {
	var names []string
	for i := 0; i < len(args); i++ {
		if args[i] == "exit" && i+1 < len(args) && strings.Trim(args[i+1], "0123456789") == "" {
			names = append(names, "exit "+args[i+1])
			i++
			continue
		}
		names = append(names, args[i])
	}
	return names
}

// withNearestWord adds the word that was probably meant to the error for an unknown name, if no rule is close.
func withNearestWord(err error, name string) error {
	if unknown := (*finding.NameError)(nil); !errors.As(err, &unknown) || unknown.Candidates != nil || unknown.Nearest != "" {
		return err
	}
	var names []string
	for _, w := range report.Words() {
		names = append(names, w.Name)
	}
	return fmt.Errorf("%w%s", err, nearest.Suggestion(name, names))
}

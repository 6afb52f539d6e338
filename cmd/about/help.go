package about

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/docs"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/nearest"
	"github.com/eaapl/handoff/internal/program"
	"github.com/eaapl/handoff/internal/term"
)

// NewHelp returns the command help, which prints the help of commands and topics.
func NewHelp(g *cli.Globals) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]... | [TOPIC]",
		Short: "Show help for a command, or a document",
		Long: `Help shows the help of a command, as --help does, or a document: cookbook, exit-codes,
pipelines, formats, configuration, environment, or any other that "handoff help index"
lists. If a command and a document have the same name, docs/NAME is the document.`,
		Example: `  handoff help validate
  handoff help exit-codes
  handoff help docs/chain`,
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			at, _, err := c.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, sub := range at.Commands() {
				if sub.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			if len(args) == 0 {
				for _, t := range program.Topics {
					names = append(names, cobra.CompletionWithDesc(t.Name, t.Summary))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			at, rest := c.Root(), args
			for len(rest) > 0 {
				i := slices.IndexFunc(at.Commands(), func(sub *cobra.Command) bool { return sub.Name() == rest[0] })
				if i < 0 {
					break
				}
				at, rest = at.Commands()[i], rest[1:]
			}
			if len(rest) == 0 {
				at.InitDefaultHelpFlag()
				return at.Help()
			}
			text, ok := docs.Page(strings.TrimPrefix(rest[0], "docs/"))
			if !ok || len(args) > 1 {
				return noHelp(at, rest[0])
			}
			out := c.OutOrStdout()
			_, err := io.WriteString(out, term.Markdown(text, term.ScreenWidth(out), term.NewPalette(term.UseColor(g.Color, out))))
			return err
		},
	}
}

// noHelp returns the error for a name that is neither a command nor a topic.
func noHelp(at *cobra.Command, name string) error {
	what, names := "command", cli.CommandNames(at)
	if !at.HasParent() {
		what, names = "command or document", append(names, docs.Names()...)
	}
	return term.WithHint(fmt.Errorf("%s has no %s %q%s", at.CommandPath(), what, name, nearest.Suggestion(name, names)), "handoff help lists the commands, and handoff help index the documents")
}

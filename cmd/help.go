package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/docs"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/nearest"
)

// Groups of commands in the help of the program.
const (
	making     = "make"
	checking   = "check"
	looking    = "look"
	delivering = "deliver"
	systems    = "systems"
	about      = "about"
)

var groups = []*cobra.Group{
	{ID: making, Title: "Make and change messages"},
	{ID: checking, Title: "Check them"},
	{ID: looking, Title: "Look at them"},
	{ID: delivering, Title: "Deliver, accept and record"},
	{ID: systems, Title: "Other systems"},
	{ID: about, Title: "About handoff"},
}

// topics are the documents that help names, with what they are about.
var topics = []topicInfo{
	{"cookbook", "twelve tasks, ready to paste"},
	{"exit-codes", "what a run comes to, for scripts"},
	{"pipelines", "streams, filters, files that appear whole"},
	{"formats", "the formats, and what conversion keeps"},
	{"configuration", "handoff.yaml, and what a project's file may set"},
	{"environment", "the variables that count"},
	{"index", "all documents; help NAME shows each"},
}

// newHelp returns the command help, of commands and of topics.
func newHelp(g *cli.Globals) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]... | [TOPIC]",
		Short: "Show what a command takes, or a document",
		Long: `Help shows what a command takes, as --help does, or a document: cookbook, exit-codes,
pipelines, formats, configuration, environment, or any other that "handoff help index" lists. Where a
command and a document have the same name, docs/NAME is the document.`,
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
				for _, t := range topics {
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

// noHelp returns the error for a name that is neither a command below another, nor a topic.
func noHelp(at *cobra.Command, name string) error {
	what, names := "command", cli.CommandNames(at)
	if !at.HasParent() {
		what, names = "command or document", append(names, docs.Names()...)
	}
	return term.WithHint(fmt.Errorf("%s has no %s %q%s", at.CommandPath(), what, name, nearest.Suggestion(name, names)), "handoff help lists the commands, and handoff help index the documents")
}

// writeHelp is what --help prints of a command.
func writeHelp(c *cobra.Command) error {
	out := c.OutOrStdout()
	width := term.ScreenWidth(out)
	var b strings.Builder
	details := c.Long
	if details == "" {
		details = c.Short + "."
	}
	b.WriteString(term.Reflow(details, width) + "\n\nUsage:\n  " + c.UseLine() + "\n")
	if c.HasAvailableSubCommands() {
		b.WriteString("  " + c.CommandPath() + " COMMAND\n")
	}
	if c.Example != "" {
		b.WriteString("\nExamples:\n" + c.Example + "\n")
	}
	writeSubcommands(&b, c, width)
	for _, list := range []struct {
		title string
		flags *pflag.FlagSet
	}{{"Flags", c.LocalFlags()}, {"Flags of every command", c.InheritedFlags()}} {
		if list.flags.HasAvailableFlags() {
			b.WriteString("\n" + list.title + ":\n" + strings.TrimRight(list.flags.FlagUsagesWrapped(width), "\n") + "\n")
		}
	}
	if !c.HasParent() {
		b.WriteString("\nTopics (handoff help TOPIC):\n")
		for _, t := range topics {
			fmt.Fprintf(&b, "  %-13s %s\n", t.Name, t.Summary)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// writeSubcommands lists the commands below one, by their groups if they have some.
func writeSubcommands(b *strings.Builder, c *cobra.Command, width int) {
	names := 0
	for _, sub := range c.Commands() {
		names = max(names, len(sub.Name()))
	}
	for _, group := range append(c.Groups(), &cobra.Group{Title: "Commands"}) {
		title := "\n" + group.Title + ":\n"
		for _, sub := range c.Commands() {
			if sub.GroupID != group.ID || !sub.IsAvailableCommand() {
				continue
			}
			line := fmt.Sprintf("  %-*s  %s", names, sub.Name(), sub.Short)
			if width > 0 {
				line = term.Clip(line, width)
			}
			b.WriteString(title + line + "\n")
			title = ""
		}
	}
}

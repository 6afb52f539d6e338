package program

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/term"
)

// Groups of commands in the help.
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

// A Topic is a document that the help lists.
type Topic struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

// Topics are the documents that the help lists.
var Topics = []Topic{
	{"cookbook", "twelve tasks, ready to paste"},
	{"exit-codes", "what a run comes to, for scripts"},
	{"pipelines", "streams, filters, files that appear whole"},
	{"formats", "the formats, and what conversion keeps"},
	{"configuration", "handoff.yaml, and what a project's file may set"},
	{"environment", "the variables that count"},
	{"index", "all documents; help NAME shows each"},
}

// writeHelp writes the output of --help for a command.
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
		for _, t := range Topics {
			fmt.Fprintf(&b, "  %-13s %s\n", t.Name, t.Summary)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// writeSubcommands lists the commands below one, by group if they have groups.
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

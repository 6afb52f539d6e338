package program

import (
	"fmt"
	"io"
	"slices"
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

// common are the commands with their own line in the help of the root; the others are listed by name.
var common = []string{
	"build", "convert", "trim",
	"validate", "sign", "verify", "keygen", "scan", "chain",
	"inspect", "diff",
	"send", "receive", "accept",
}

var groups = []*cobra.Group{
	{ID: making, Title: "Create and change messages"},
	{ID: checking, Title: "Check messages"},
	{ID: looking, Title: "Show messages"},
	{ID: delivering, Title: "Deliver and record messages"},
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
	{"exit-codes", "exit codes, for scripts"},
	{"pipelines", "streams, filters and atomic output files"},
	{"formats", "message formats and conversion"},
	{"configuration", "handoff.yaml, and the limits of a project's file"},
	{"environment", "environment variables"},
	{"index", "list of all documents (handoff help NAME shows one)"},
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
	}{{"Flags", c.LocalFlags()}, {"Global flags", c.InheritedFlags()}} {
		if list.flags.HasAvailableFlags() {
			b.WriteString("\n" + list.title + ":\n" + strings.TrimRight(list.flags.FlagUsagesWrapped(width), "\n") + "\n")
		}
	}
	if !c.HasParent() {
		b.WriteString("\nTopics (handoff help TOPIC; all commands: handoff commands):\n")
		for _, t := range Topics {
			fmt.Fprintf(&b, "  %-13s %s\n", t.Name, t.Summary)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// writeSubcommands lists the commands below one, by group if they have groups.
func writeSubcommands(b *strings.Builder, c *cobra.Command, width int) {
	if len(c.Groups()) > 0 {
		writeGroups(b, c, width)
		return
	}
	names := 0
	for _, sub := range c.Commands() {
		names = max(names, len(sub.Name()))
	}
	title := "\nCommands:\n"
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			b.WriteString(title + commandLine(sub, names, width))
			title = ""
		}
	}
}

// writeGroups lists the commands of the root by their groups: the common ones with their summaries, the
// others by name.
func writeGroups(b *strings.Builder, root *cobra.Command, width int) {
	names := 0
	for _, name := range common {
		names = max(names, len(name))
	}
	b.WriteString("\n")
	for _, group := range root.Groups() {
		var lines, others []string
		for _, sub := range root.Commands() {
			switch {
			case sub.GroupID != group.ID || !sub.IsAvailableCommand():
			case slices.Contains(common, sub.Name()):
				lines = append(lines, commandLine(sub, names, width))
			default:
				others = append(others, sub.Name())
			}
		}
		switch {
		case len(lines) == 0 && len(others) > 0:
			b.WriteString(group.Title + ": " + strings.Join(others, ", ") + "\n")
		case len(lines) > 0:
			b.WriteString(group.Title + ":\n" + strings.Join(lines, ""))
			if len(others) > 0 {
				b.WriteString("  also: " + strings.Join(others, ", ") + "\n")
			}
		}
	}
	for _, sub := range root.Commands() {
		if sub.GroupID == "" && sub.IsAvailableCommand() {
			b.WriteString(commandLine(sub, names, width))
		}
	}
}

// commandLine is a command's name and summary, on one line.
func commandLine(c *cobra.Command, names, width int) string {
	line := fmt.Sprintf("  %-*s  %s", names, c.Name(), c.Short)
	if width > 0 {
		line = term.Clip(line, width)
	}
	return line + "\n"
}

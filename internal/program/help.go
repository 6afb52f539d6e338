package program

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

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

// first are the commands that everybody needs, with which the help of the root begins.
var first = []string{"build", "validate", "inspect", "diff", "chain", "sign"}

var groups = []*cobra.Group{
	{ID: making, Title: "Create and change"},
	{ID: checking, Title: "Check"},
	{ID: looking, Title: "Show"},
	{ID: delivering, Title: "Deliver and record"},
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

// helpText is the help of a command, while it is written.
type helpText struct {
	strings.Builder
	width  int // 0 for no limit
	colors term.Palette
}

// writeHelp writes the output of --help for a command.
func writeHelp(c *cobra.Command) error {
	out := c.OutOrStdout()
	h := &helpText{width: term.ScreenWidth(out), colors: term.NewPalette(term.UseColor(c.Root().PersistentFlags().Lookup("color").Value.String(), out))}
	details := c.Long
	if details == "" {
		details = c.Short + "."
	}
	h.WriteString(term.Reflow(details, h.width) + "\n")
	h.title("Usage")
	h.WriteString("  " + c.UseLine() + "\n")
	if c.HasAvailableSubCommands() {
		h.WriteString("  " + c.CommandPath() + " COMMAND\n")
	}
	if c.Example != "" {
		h.title("Examples")
		h.WriteString(c.Example + "\n")
	}
	h.commands(c)
	local, inherited := c.LocalFlags(), c.InheritedFlags()
	if titles, groups := grouped(local, inherited); titles != nil {
		for _, title := range titles {
			h.flags(title, groups[title])
		}
	} else {
		h.flags("Flags", local)
		h.flags("Global flags", inherited)
	}
	_, err := io.WriteString(out, h.String())
	return err
}

// title begins a section.
func (h *helpText) title(text string) { h.WriteString("\n" + h.colors.Bold(text+":") + "\n") }

// flagNames matches the names of a flag at the beginning of its line.
var flagNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^ +(?:-\w, )?--[\w-]+`) })

func (h *helpText) flags(title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	h.title(title)
	usages := strings.TrimRight(flags.FlagUsagesWrapped(h.width), "\n")
	h.WriteString(flagNames().ReplaceAllStringFunc(usages, func(names string) string { return h.colors.Cyan(names) }) + "\n")
}

// commands lists the commands below one. The root has groups.
func (h *helpText) commands(c *cobra.Command) {
	if len(c.Groups()) > 0 {
		h.groups(c)
		return
	}
	var list []*cobra.Command
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			list = append(list, sub)
		}
	}
	h.list("Commands", list)
}

// list lists commands with their summaries, each on a line.
func (h *helpText) list(title string, commands []*cobra.Command) {
	names := 0
	for _, c := range commands {
		names = max(names, len(c.Name()))
	}
	for i, c := range commands {
		if i == 0 {
			h.title(title)
		}
		line := fmt.Sprintf("  %-*s  %s", names, c.Name(), c.Short)
		if h.width > 0 {
			line = term.Clip(line, h.width)
		}
		h.WriteString(h.colors.Cyan(line[:min(len(line), 2+names)]) + line[min(len(line), 2+names):] + "\n")
	}
}

// groups lists the commands of the root: the first ones with their summaries, the others by name, in groups. It
// ends with the topics.
func (h *helpText) groups(root *cobra.Command) {
	var begin []*cobra.Command
	for _, name := range first {
		for _, sub := range root.Commands() {
			if sub.Name() == name {
				begin = append(begin, sub)
			}
		}
	}
	h.list("Begin with", begin)
	h.WriteString("\n")
	for _, group := range root.Groups() {
		var names []string
		for _, sub := range root.Commands() {
			if sub.GroupID == group.ID && sub.IsAvailableCommand() && !slices.Contains(first, sub.Name()) {
				names = append(names, sub.Name())
			}
		}
		h.names(group.Title, names)
	}
	var topics []string
	for _, t := range Topics {
		topics = append(topics, t.Name)
	}
	h.names("Topics", topics)
	h.WriteString("\n" + term.Reflow("\"handoff COMMAND --help\" shows the flags of a command, \"handoff help TOPIC\" a document,\nand \"handoff commands\" all commands with their summaries.", h.width) + "\n")
}

// names lists names in a paragraph.
func (h *helpText) names(title string, names []string) {
	if len(names) == 0 {
		return
	}
	h.WriteString(term.Fold(h.colors.Bold(title+":")+" "+strings.Join(names, ", "), 0, cmp.Or(h.width, defaultWidth)) + "\n")
}

// defaultWidth is the width of lists of names without a terminal.
const defaultWidth = 90

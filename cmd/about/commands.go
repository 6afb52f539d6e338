// Package about implements the commands about handoff itself: its documents, settings, installation and
// commands.
package about

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/program"
	"github.com/eaapl/handoff/internal/report"
)

// A commandInfo describes a command to programs that run handoff.
type commandInfo struct {
	Name     string          `json:"name"` // the full name: "handoff validate"
	Usage    string          `json:"usage"`
	Summary  string          `json:"summary"`
	Details  string          `json:"details,omitzero"`
	Examples []string        `json:"examples"`
	Flags    []flagInfo      `json:"flags"`
	Exits    []exitInfo      `json:"exitCodes"`
	Commands []commandInfo   `json:"commands"`
	Topics   []program.Topic `json:"topics,omitzero"` // of the program: the help topics
}

type flagInfo struct {
	Name       string `json:"name"`
	Shorthand  string `json:"shorthand,omitzero"`
	Type       string `json:"type"`
	Default    string `json:"default"`
	Usage      string `json:"usage"`
	Persistent bool   `json:"persistent,omitzero"` // also a flag of all commands below it
}

type exitInfo struct {
	Code    int    `json:"code"`
	Meaning string `json:"meaning"`
}

var exits = []exitInfo{
	{program.ExitYes, "success; the answer is yes"},
	{program.ExitNo, "the answer is no"},
	{program.ExitTrouble, "no answer: usage error, unreadable or malformed input, or I/O error"},
}

func describe(c *cobra.Command) commandInfo {
	info := commandInfo{
		Name: c.CommandPath(), Usage: c.UseLine(), Summary: c.Short, Details: c.Long,
		Examples: []string{}, Flags: []flagInfo{}, Exits: exits, Commands: []commandInfo{},
	}
	if !c.HasParent() {
		info.Topics = program.Topics
	}
	for line := range strings.Lines(c.Example) {
		info.Examples = append(info.Examples, strings.TrimSpace(line))
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		if name == "" {
			name = f.Value.Type()
		}
		info.Flags = append(info.Flags, flagInfo{
			Name: f.Name, Shorthand: f.Shorthand, Type: name, Default: strings.Trim(f.DefValue, "[]"), Usage: usage,
			Persistent: c.PersistentFlags().Lookup(f.Name) != nil,
		})
	})
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			info.Commands = append(info.Commands, describe(sub))
		}
	}
	return info
}

var commandFormats = []string{"text", "json", "markdown"}

func NewCommands(g *cli.Globals) *cobra.Command {
	var format, path string
	c := &cobra.Command{
		Use:     "commands",
		Short:   "List all commands with their flags, exit codes and examples",
		Example: `  handoff commands -f json`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := g.Open(path, c.OutOrStdout())
			if err != nil {
				return err
			}
			info := describe(c.Root())
			switch format {
			case "json":
				err = report.WriteJSON(out, info)
			case "markdown":
				err = info.writeMarkdown(out)
			default:
				err = info.writeText(out)
			}
			return out.Close(err)
		},
	}
	cli.RegisterFormat(c, &format, strings.Join(commandFormats, ", "), commandFormats)
	c.Flags().StringVarP(&path, "output", "o", "", "write the output to `FILE`")
	return c
}

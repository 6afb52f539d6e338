package cmd

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
)

// A setting is a configurable flag, its value, and where that came from.
type setting struct {
	command string // "" for a flag of every command
	flag    *pflag.Flag
	Key     string `json:"key"` // as in a configuration file
	Value   string `json:"value"`
	Origin  string `json:"origin"` // default, environment, or the path of a file
}

// settingKey returns the key of a command's flag in a configuration file.
func settingKey(command string, f *pflag.Flag) string {
	return strings.TrimPrefix(command+"."+f.Name, ".")
}

// visitConfigurable visits the configurable flags of a tree: first those of every command,
// for which command is "", then those of each.
func visitConfigurable(root *cobra.Command, visit func(command string, f *pflag.Flag)) {
	visitFlags := func(command string, flags *pflag.FlagSet) {
		flags.VisitAll(func(f *pflag.Flag) {
			if configurable(f) && !f.Hidden {
				visit(command, f)
			}
		})
	}
	visitFlags("", root.PersistentFlags())
	var below func(*cobra.Command)
	below = func(parent *cobra.Command) {
		for _, c := range parent.Commands() {
			if !slices.Contains([]string{"config", "commands", "completion"}, c.Name()) && c.IsAvailableCommand() {
				visitFlags(commandKey(c), c.LocalNonPersistentFlags())
				below(c)
			}
		}
	}
	below(root)
}

// settings lists the configurable flags of all commands with their defaults.
func settings(root *cobra.Command) []setting {
	var list []setting
	visitConfigurable(root, func(command string, f *pflag.Flag) {
		list = append(list, setting{command, f, settingKey(command, f), settingText(f), "default"})
	})
	return list
}

// settingText returns the value of a flag as a configuration file has it.
func settingText(f *pflag.Flag) string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return strings.Join(list.GetSlice(), ",")
	}
	return f.Value.String()
}

// effective returns the settings with the values that count, and what is wrong with those
// that cannot be used.
func effective(g *cli.Globals) (all []setting, unused []error, err error) {
	list, _, err := layers(g)
	if err != nil {
		return nil, nil, err
	}
	all = settings(newRoot())
	for i := range all {
		s := &all[i]
		origin, err := give(s.flag, s.command, list)
		reported := func(other error) bool { return other.Error() == err.Error() } // of another command
		if err != nil && !slices.ContainsFunc(unused, reported) {
			unused = append(unused, err)
		}
		if origin != "" {
			s.Value, s.Origin = cli.ShownSetting(settingText(s.flag)), origin
		}
	}
	return all, unused, nil
}

func (s setting) writeText(w io.Writer) error {
	text := strconv.Quote(s.Value)
	if list, ok := s.flag.Value.(pflag.SliceValue); ok && len(list.GetSlice()) > 1 {
		var quoted []string
		for _, element := range list.GetSlice() {
			quoted = append(quoted, strconv.Quote(cli.ShownSetting(element)))
		}
		text = "[" + strings.Join(quoted, ", ") + "]"
	}
	_, err := fmt.Fprintf(w, "%s: %s # %s\n", s.Key, text, term.Visible(s.Origin))
	return err
}

func newConfig(g *cli.Globals) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the effective settings and where each came from",
		Long: `Config prints the value of every setting and its origin. A setting is a flag
that was not given on the command line; its value comes from, the strongest first:

  the environment    HANDOFF_COMMAND_FLAG, such as HANDOFF_VALIDATE_STRICT, or
                     HANDOFF_FLAG for every command that has the flag
  the project        handoff.yaml in the working directory, or above it up to the
                     root of the repository: the nearest, or the first approved
  the user           $XDG_CONFIG_HOME/handoff/config.yaml

In the files, a flag's name at the top counts for every command, and below a
command's name for that one. The text output can be used as such a file. Relative
names of files count from the folder of the file that they are in.

The project's file was written by whoever made the folder that you work in. Until you approve
it ("handoff config trust"), it sets only what is harmless: formats, colours,
severities, rules that are off, and checks and limits that are stricter than without
it. A command that anything else in it concerns ends with exit code 2.

A file that belongs to another user or that others can write to is left out, with a
warning, unless you have approved it as it is. Passwords in URLs and what looks like
a key are not printed.`,
		Example: `  handoff config
  HANDOFF_MAX_DEPTH=100 handoff config -f json
  handoff config trust`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list, unused, err := effective(g)
			if err != nil {
				return err
			}
			for _, err := range unused {
				term.Warn(c.ErrOrStderr(), err.Error())
			}
			for _, s := range list {
				if format == "json" {
					err = report.WriteJSON(c.OutOrStdout(), s)
				} else {
					err = s.writeText(c.OutOrStdout())
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	cli.RegisterFormat(c, &format, "text or json", report.PlainFormats)
	c.AddCommand(newConfigTrust(g), newConfigUntrust())
	return c
}

package about

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/nearest"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/settings"
	"github.com/eaapl/handoff/internal/term"
)

// writeSetting writes a setting as a line of a configuration file.
func writeSetting(w io.Writer, s settings.Setting) error {
	text := strconv.Quote(s.Value)
	if list, ok := s.Flag.Value.(pflag.SliceValue); ok && len(list.GetSlice()) > 1 {
		var quoted []string
		for _, element := range list.GetSlice() {
			quoted = append(quoted, strconv.Quote(cli.ShownSetting(element)))
		}
		text = "[" + strings.Join(quoted, ", ") + "]"
	}
	_, err := fmt.Fprintf(w, "%s: %s # %s\n", s.Key, text, term.Visible(s.Origin))
	return err
}

func NewConfig(g *cli.Globals, tree settings.Tree) *cobra.Command {
	var facts cli.FactsFlags
	var all bool
	c := &cobra.Command{
		Use:   "config [KEY]...",
		Short: "Show the effective settings and their origins",
		Long: `Config prints the settings that differ from their defaults, with their origins; --all
prints every setting, and so does a KEY for the matching ones: one, such as
validate.strict, or a group, such as validate. A setting is a flag that was not given on
the command line; its value comes from one of these sources, in order of precedence:

  the environment    HANDOFF_COMMAND_FLAG, such as HANDOFF_VALIDATE_STRICT, or
                     HANDOFF_FLAG for every command that has the flag
  the project        the nearest handoff.yaml in the working directory or a parent
                     up to the root of the repository, or the first approved one
  the user           $XDG_CONFIG_HOME/handoff/config.yaml

In the files, a flag at the top level applies to every command, and a flag below a
command's name to that command. The text output is itself a valid settings file.
Relative file names are resolved against the folder of the settings file.

A project's file comes with the folder, perhaps from a stranger. Until you approve it
("handoff config trust"), only its harmless settings apply: formats, colours,
severities, disabled rules, and stricter checks and limits. A command that is affected
by any other setting in the file exits with code 2.

A settings file that belongs to another user, or that other users can write to, is
ignored with a warning unless you have approved its current content. Passwords in URLs
and apparent keys are not printed.`,
		Example: `  handoff config
  handoff config --all > all.yaml
  HANDOFF_MAX_DEPTH=100 handoff config -f json
  handoff config validate.strict
  handoff config trust`,
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var keys []cobra.Completion
			for _, s := range tree.Defaults() {
				_, usage := pflag.UnquoteUsage(s.Flag)
				keys = append(keys, cobra.CompletionWithDesc(s.Key, usage))
			}
			return keys, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			list, unused, err := tree.Effective(g)
			if err == nil {
				list, err = ofKeys(list, args, c)
			}
			if err != nil {
				return err
			}
			if total := len(list); !all && len(args) == 0 {
				list = slices.DeleteFunc(list, func(s settings.Setting) bool { return s.Origin == settings.Default })
				if len(list) == 0 {
					fmt.Fprintf(c.ErrOrStderr(), "all %d settings have their defaults: --all prints them\n", total)
				}
			}
			for _, err := range unused {
				term.Warn(c.ErrOrStderr(), err.Error())
			}
			out, err := facts.Open(g, c)
			if err != nil {
				return err
			}
			for _, s := range list {
				if out.JSON {
					err = report.WriteJSON(out, s)
				} else {
					err = writeSetting(out, s)
				}
				if err != nil {
					break
				}
			}
			return out.Close(err)
		},
	}
	facts.Register(c, "output format: text, json", "write the output to `FILE`")
	c.Flags().BoolVar(&all, "all", false, "also print the settings at their defaults")
	c.AddCommand(newConfigTrust(g, tree), newConfigUntrust())
	return c
}

// ofKeys returns the settings with the given keys or below them, or all settings if there are no keys.
func ofKeys(all []settings.Setting, keys []string, c *cobra.Command) ([]settings.Setting, error) {
	if len(keys) == 0 {
		return all, nil
	}
	var list []settings.Setting
	for _, key := range keys {
		n := len(list)
		for _, s := range all {
			if s.Key == key || strings.HasPrefix(s.Key, key+".") {
				list = append(list, s)
			}
		}
		if len(list) == n {
			names := cli.CommandNames(c)
			for _, s := range all {
				names = append(names, s.Key)
			}
			return nil, term.WithHint(fmt.Errorf("%s: there is no setting or command %q%s", c.CommandPath(), key, nearest.Suggestion(key, names)), "handoff config lists the settings")
		}
	}
	return list, nil
}

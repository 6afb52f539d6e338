package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/nearest"
)

// A setting is a configurable flag, its value, and where that came from.
type setting struct {
	command string // "" for a flag of every command
	flag    *pflag.Flag
	Key     string `json:"key"` // as in a configuration file
	Value   string `json:"value"`
	Origin  string `json:"origin"` // default, environment, or the path of a file
}

// settingKey returns the key of a command's setting in a configuration file.
func settingKey(command, name string) string { return strings.TrimPrefix(command+"."+name, ".") }

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
		list = append(list, setting{command, f, settingKey(command, f.Name), settingText(f), "default"})
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

// ofKeys returns the settings that have one of some keys, or are below it; all if there are none.
func ofKeys(all []setting, keys []string, c *cobra.Command) ([]setting, error) {
	if len(keys) == 0 {
		return all, nil
	}
	var list []setting
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
			return nil, term.WithHint(fmt.Errorf("%s: no setting or command is called %q%s", c.CommandPath(), key, nearest.Suggestion(key, names)), "handoff config lists the settings")
		}
	}
	return list, nil
}

package settings

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/cli"
)

// Default is the origin of a value that is not set.
const Default = "default"

// A Setting is a configurable flag, its value, and the origin of the value.
type Setting struct {
	command string      // "" for a flag of every command
	Flag    *pflag.Flag `json:"-"`
	Key     string      `json:"key"` // as in a configuration file
	Value   string      `json:"value"`
	Origin  string      `json:"origin"` // default, environment, or the path of a file
}

// settingKey returns the key of a command's setting in a configuration file.
func settingKey(command, name string) string { return strings.TrimPrefix(command+"."+name, ".") }

// visitConfigurable visits the configurable flags of a tree: first the flags of every command, with command
// "", then the flags of each command.
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

// Defaults returns the settings of all commands with their default values.
func (t Tree) Defaults() []Setting {
	var list []Setting
	visitConfigurable(t.All(), func(command string, f *pflag.Flag) {
		list = append(list, Setting{command, f, settingKey(command, f.Name), settingText(f), Default})
	})
	return list
}

// settingText returns the value of a flag in the form of a configuration file.
func settingText(f *pflag.Flag) string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return strings.Join(list.GetSlice(), ",")
	}
	return f.Value.String()
}

// Effective returns the settings with their effective values, and the errors of values that cannot be used.
func (t Tree) Effective(g *cli.Globals) (all []Setting, unused []error, err error) {
	list, _, err := t.layers(g)
	if err != nil {
		return nil, nil, err
	}
	all = t.Defaults()
	for i := range all {
		s := &all[i]
		origin, err := give(s.Flag, s.command, list)
		reported := func(other error) bool { return other.Error() == err.Error() } // for another command
		if err != nil && !slices.ContainsFunc(unused, reported) {
			unused = append(unused, err)
		}
		if origin != "" {
			s.Value, s.Origin = cli.ShownSetting(settingText(s.Flag)), origin
		}
	}
	return all, unused, nil
}

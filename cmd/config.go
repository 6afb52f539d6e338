package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// notConfigurable are flags that say what one call is about, and so never come
// from the environment or a file.
var notConfigurable = []string{"help", "output", "in-place", "force", "against", "state", "parent", "set", "restore",
	"train", "index", "message", "handoff-id", "task", "explain", "reverse", "git", "key"}

// ofOneCall is the annotation of flags that are not configurable for one command,
// while others have a configurable flag of that name.
const ofOneCall = "of one call"

func configurable(f *pflag.Flag) bool {
	return f.Annotations[ofOneCall] == nil && !slices.Contains(notConfigurable, f.Name)
}

// onlyForCall makes flags of a command say what one call is about: all of them
// if none is named.
func onlyForCall(c *cobra.Command, names ...string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if len(names) == 0 || slices.Contains(names, f.Name) {
			if f.Annotations == nil {
				f.Annotations = map[string][]string{}
			}
			f.Annotations[ofOneCall] = []string{}
		}
	})
}

// commandKey returns the name of a command in keys: with that of the command that
// it is below, as in "openai.check".
func commandKey(c *cobra.Command) string {
	_, path, _ := strings.Cut(c.CommandPath(), " ")
	return strings.ReplaceAll(path, " ", ".")
}

// A layer is one place that flags get values from.
type layer struct {
	origin string // for people: "environment", or the file's path
	lookup func(command, flag string) (values []string, key string, ok bool)
}

// layers returns the places, the strongest first: environment, project file,
// user file. Flags given on the command line stand above them.
func layers() ([]layer, error) {
	var list []layer
	if slices.ContainsFunc(os.Environ(), ofHandoff) {
		list = append(list, layer{"environment", lookupEnvironment})
	}
	for _, path := range []string{projectConfig(), userConfig()} {
		if path == "" {
			continue
		}
		l, err := fileLayer(path)
		if err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

const variablePrefix = "HANDOFF_"

// ofHandoff reports whether a variable may give a flag its value. In some systems the
// case of its name does not count.
func ofHandoff(variable string) bool {
	n := len(variablePrefix)
	return len(variable) >= n && strings.EqualFold(variable[:n], variablePrefix)
}

func lookupEnvironment(command, flag string) ([]string, string, bool) {
	variable := strings.NewReplacer("-", "_", ".", "_")
	for _, name := range []string{variablePrefix + command + "_" + flag, variablePrefix + flag} {
		name = strings.ToUpper(variable.Replace(name))
		if value, ok := os.LookupEnv(name); ok {
			return []string{value}, name, true
		}
	}
	return nil, "", false
}

// projectConfig returns the nearest handoff.yaml in the working directory or
// above it, up to the root of the repository; "" if there is none.
func projectConfig() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		path := filepath.Join(dir, "handoff.yaml")
		if _, err := os.Stat(path); err == nil {
			return path
		}
		_, err := os.Stat(filepath.Join(dir, ".git"))
		if parent := filepath.Dir(dir); err != nil && parent != dir {
			dir = parent
			continue
		}
		return ""
	}
}

// userConfig returns the user's own file, "" if there is none.
func userConfig() string {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	path := filepath.Join(dir, "handoff", "config.yaml")
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// fileLayer reads a configuration file. Its keys are names of flags, for every
// command that has them or, below a command's name, for that command.
func fileLayer(path string) (layer, error) {
	v := viper.New()
	v.SetConfigFile(path)
	v.SetConfigType("yaml")
	if err := v.ReadInConfig(); err != nil {
		var parse viper.ConfigParseError
		if errors.As(err, &parse) {
			err = errors.Unwrap(parse)
		}
		return layer{}, fmt.Errorf("%s: %s", path, strings.TrimPrefix(plainError(err).Error(), "yaml: "))
	}
	lookup := func(command, flag string) ([]string, string, bool) {
		for _, key := range []string{command + "." + flag, flag} {
			if v.IsSet(key) {
				return values(v.Get(key)), key, true
			}
		}
		return nil, "", false
	}
	keys := v.AllKeys()
	slices.Sort(keys)
	if unknownKey(newTree(namedIn(keys)), keys) != "" {
		if key := unknownKey(newRoot(), keys); key != "" {
			return layer{}, hint{fmt.Errorf("%s: unknown key %q", path, key), "handoff config lists the keys"}
		}
	}
	return layer{path, lookup}, nil
}

func values(v any) []string {
	list, ok := v.([]any)
	if !ok {
		return []string{fmt.Sprint(v)}
	}
	texts := make([]string, 0, len(list))
	for _, element := range list {
		texts = append(texts, fmt.Sprint(element))
	}
	return texts
}

// namedIn returns the makers of the commands that keys begin with: enough of the tree to
// know most keys.
func namedIn(keys []string) []maker {
	return slices.DeleteFunc(makers(), func(m maker) bool {
		return !slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, m.name+".") })
	})
}

// unknownKey returns the first key that no configuration file may have, as far as the
// tree goes; "" if there is none.
func unknownKey(root *cobra.Command, keys []string) string {
	known := make(map[string]bool)
	visitConfigurable(root, func(command string, f *pflag.Flag) {
		known[f.Name], known[settingKey(command, f)] = true, true
	})
	for _, key := range keys {
		if !known[key] {
			return key
		}
	}
	return ""
}

// configure gives the flags that were not named on the command line their
// values from the environment and the configuration files.
func configure(c *cobra.Command) error {
	list, err := layers()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return nil
	}
	var problem error
	command := commandKey(c)
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed || problem != nil || !configurable(f) {
			return
		}
		for _, l := range list {
			texts, key, ok := l.lookup(command, f.Name)
			if !ok {
				continue
			}
			if err := set(f, texts); err != nil {
				problem = fmt.Errorf("%s: %s: %w", l.origin, key, err)
			}
			return
		}
	})
	return problem
}

func set(f *pflag.Flag, texts []string) error {
	list, ok := f.Value.(pflag.SliceValue)
	if ok && len(texts) == 1 && !strings.HasPrefix(f.Value.Type(), "stringArray") {
		texts = strings.Split(texts[0], ",")
	}
	if ok {
		return list.Replace(slices.DeleteFunc(texts, func(text string) bool { return text == "" }))
	}
	return f.Value.Set(strings.Join(texts, ","))
}

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
		list = append(list, setting{command, f, settingKey(command, f), strings.Trim(f.Value.String(), "[]"), "default"})
	})
	return list
}

// effective returns the settings with the values that count.
func effective(root *cobra.Command) ([]setting, error) {
	list, err := layers()
	if err != nil {
		return nil, err
	}
	all := settings(root)
	for i := range all {
		for _, l := range list {
			if texts, _, ok := l.lookup(all[i].command, all[i].flag.Name); ok {
				all[i].Value, all[i].Origin = strings.Join(texts, ","), l.origin
				break
			}
		}
	}
	return all, nil
}

func (s setting) writeText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %q # %s\n", s.Key, s.Value, s.Origin)
	return err
}

func newConfig() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the effective settings and where each came from",
		Long: `Config prints the value of every setting and its origin. A setting is a flag
that did not stand on the command line; its value comes from, the strongest first:

  the environment    HANDOFF_COMMAND_FLAG, such as HANDOFF_VALIDATE_STRICT, or
                     HANDOFF_FLAG for every command that has the flag
  the project        handoff.yaml in the working directory, or the nearest one
                     above it up to the root of the repository
  the user           $XDG_CONFIG_HOME/handoff/config.yaml

In the files, a flag's name at the top counts for every command, and below a
command's name for that one. The text output can be used as such a file.`,
		Example: `  handoff config
  HANDOFF_MAX_DEPTH=100 handoff config -f json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !slices.Contains(plainFormats, format) {
				return unknownFormat(format, plainFormats)
			}
			list, err := effective(c.Root())
			if err != nil {
				return err
			}
			for _, s := range list {
				if format == "json" {
					err = writeJSON(c.OutOrStdout(), s)
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
	c.Flags().StringVarP(&format, "format", "f", "text", "text or json")
	complete(c, "format", plainFormats...)
	return c
}

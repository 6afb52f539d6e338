package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/eaapl/handoff/internal/nearest"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/internal/yamldoc"
)

// layer returns the settings of a file. Its keys are names of flags, for every command that has the flag or,
// below a command's name, for that command.
func (t Tree) layer(f configFile) (layer, error) {
	v, err := t.parse(f)
	if err != nil {
		return layer{}, err
	}
	lookup := func(command, flag string) ([]string, string, bool) {
		for _, key := range []string{command + "." + flag, flag} {
			// A key below a command may be the name of a flag, such as verify.
			value := v.Get(key)
			if _, section := value.(map[string]any); v.IsSet(key) && !section {
				return values(value), key, true
			}
		}
		return nil, "", false
	}
	return layer{origin: f.path, lookup: lookup, isFile: true, unapproved: f.unapproved}, nil
}

// parse parses the text of a file. Errors name the file.
func (t Tree) parse(f configFile) (*viper.Viper, error) {
	tree, err := yamldoc.Decode(f.text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(f.path), err)
	}
	settings, ok := tree.(map[string]any)
	if !ok && tree != nil {
		return nil, fmt.Errorf("%s: has no settings: write them like \"max-depth: 100\"", term.Visible(f.path))
	}
	v := viper.New()
	if err := v.MergeConfigMap(settings); err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(f.path), err)
	}
	keys := v.AllKeys()
	slices.Sort(keys)
	if unknownKey(settingNames(t.Some(commandsOf(keys))), keys) != "" {
		names := settingNames(t.All())
		if key := unknownKey(names, keys); key != "" {
			return nil, term.WithHint(fmt.Errorf("%s: unknown key %q%s", term.Visible(f.path), key, nearest.Suggestion(key, names)), "handoff config lists the keys")
		}
	}
	return v, nil
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

// commandsOf returns the possible names of commands in keys: the first part of each.
func commandsOf(keys []string) []string {
	var names []string
	for _, key := range keys {
		if name, _, ok := strings.Cut(key, "."); ok {
			names = append(names, name)
		}
	}
	return names
}

// unknownKey returns the first key that is not the name of a setting; "" if there is none.
func unknownKey(names, keys []string) string {
	for _, key := range keys {
		if !slices.Contains(names, key) {
			return key
		}
	}
	return ""
}

// settingNames returns the names of the settings of a tree in a file: the flag's name, alone or after that of
// its command.
func settingNames(root *cobra.Command) []string {
	var names []string
	visitConfigurable(root, func(command string, f *pflag.Flag) {
		names = append(names, settingKey(command, f.Name), f.Name)
	})
	return names
}

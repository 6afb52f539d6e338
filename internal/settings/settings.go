// Package settings sets flags that were not given on the command line from the environment and configuration
// files.
package settings

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
)

// notConfigurable are flags about a single call, which are never set from the environment or a file.
var notConfigurable = []string{"help", "output", "in-place", "force", "against", "state", "parent", "set", "restore",
	"each", "train", "index", "message", "handoff-id", "task", "explain", "reverse", "git", "key"}

func configurable(f *pflag.Flag) bool {
	return f.Annotations[cli.OfOneCall] == nil && !slices.Contains(notConfigurable, f.Name)
}

// A Tree creates command trees, whose flags are the settings. Each call creates a new tree.
type Tree struct {
	All func() *cobra.Command
	// Some creates only the commands with these names, which may be unknown, and the flags of all commands.
	Some func(names []string) *cobra.Command
}

// commandKey returns the name of a command in keys, preceded by that of its group, as in "openai.check".
func commandKey(c *cobra.Command) string {
	_, path, _ := strings.Cut(c.CommandPath(), " ")
	return strings.ReplaceAll(path, " ", ".")
}

// WarningsPrinted is the annotation of a command that another command runs after printing the warnings of
// [Tree.Configure].
const WarningsPrinted = "warnings printed"

// Configure sets the flags that were not given on the command line from the environment and the configuration
// files.
func (t Tree) Configure(g *cli.Globals, c *cobra.Command) error {
	list, warnings, err := t.layers(g)
	if err != nil {
		return err
	}
	if len(list) > 0 {
		warnings = append(warnings, t.misspeltVariables(os.Environ(), c)...)
	}
	if _, printed := c.Annotations[WarningsPrinted]; !printed {
		for _, warning := range warnings {
			term.Warn(c.ErrOrStderr(), warning)
		}
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
		_, err := give(f, command, list)
		if errors.Is(err, errLooser) {
			if !showsSettings(c) {
				term.Warn(c.ErrOrStderr(), err.Error())
			}
			return
		}
		problem = err
	})
	return problem
}

// showsSettings reports whether a command itself shows the unused settings.
func showsSettings(c *cobra.Command) bool {
	return c.Name() == "config" || c.Name() == "doctor" || c.Parent() != nil && c.Parent().Name() == "config"
}

// give sets a flag of a command from the first layer that has it, and returns that layer's origin, "" if
// there is none. The error has the place of a value that cannot be set; if it wraps errLooser, the flag has
// the effective value.
func give(f *pflag.Flag, command string, list []layer) (origin string, err error) {
	for i, l := range list {
		texts, key, ok := l.lookup(command, f.Name)
		if !ok {
			continue
		}
		if l.isFile && NamesFile(f) {
			for i, name := range texts {
				if name != "" && name != "-" {
					texts[i] = cli.Beside(l.origin, name)
				}
			}
		}
		if l.unapproved == "" {
			if err := set(f, texts); err != nil {
				return "", l.wrong(key, err)
			}
			return l.origin, nil
		}
		// Whether the value is harmless depends on the value without it.
		origin, looser := give(f, command, list[i+1:])
		if looser != nil && !errors.Is(looser, errLooser) {
			return "", looser
		}
		if err := setHarmless(f, texts); err != nil {
			return origin, l.wrong(key, err)
		}
		return l.origin, looser
	}
	return "", nil
}

// A settingError is an error with the key and the place of the value.
type settingError struct {
	text string
	err  error
}

func (e *settingError) Error() string { return e.text }

func (e *settingError) Unwrap() error { return e.err }

// wrong returns the error for the value of a key. It must not show the value, which may be a password set by
// mistake.
func (l layer) wrong(key string, err error) error {
	e := &settingError{fmt.Sprintf("%s: %s: %s", term.Visible(l.origin), key, cli.ShownSetting(cli.ValueError(err).Error())), err}
	if errors.Is(err, errLooser) || errors.Is(err, errNeedsApproval) {
		e.text += " " + l.unapproved
	}
	if errors.Is(err, errNeedsApproval) {
		return term.WithHint(e, "read the file, then approve it with \"handoff config trust\"; or set this by a flag, in the environment or in your own file")
	}
	return e
}

// NamesFile reports whether the value of a flag is a file name.
func NamesFile(f *pflag.Flag) bool {
	name, _ := pflag.UnquoteUsage(f)
	return name == "FILE"
}

func set(f *pflag.Flag, texts []string) error {
	list, ok := f.Value.(pflag.SliceValue)
	if ok && len(texts) == 1 && !strings.HasPrefix(f.Value.Type(), "stringArray") {
		texts = strings.Split(texts[0], ",")
	}
	if ok {
		texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
		if len(texts) == 0 {
			texts = nil // as without the flag
		}
		return list.Replace(texts)
	}
	return f.Value.Set(strings.Join(texts, ","))
}

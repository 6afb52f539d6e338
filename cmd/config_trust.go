package cmd

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
)

func newConfigTrust(g *cli.Globals) *cobra.Command {
	return &cobra.Command{
		Use:   "trust [FILE]",
		Short: "Approve a project's configuration file as it is now",
		Long: `Trust approves a project's configuration file, the nearest handoff.yaml if none is
named: from then on it sets everything, for you. It prints the settings that
need the approval. Read the file first: what looks like a secret is not printed.

The approval is of the file's path and content. After a change, it has to be approved
again. It is kept in $XDG_STATE_HOME/handoff/approved. What the file names, such as
a key file or a program, is not part of the approval.`,
		Example: `  handoff config trust
  handoff config trust ~/src/agents/handoff.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			path, err := projectArgument(args)
			if err != nil {
				return err
			}
			file, err := readConfig(path)
			if err != nil {
				return err
			}
			settings, err := file.approvable()
			if err != nil {
				return err
			}
			if err := approve(g, file); err != nil {
				return err
			}
			return writeApproval(c.OutOrStdout(), file, settings)
		},
	}
}

func newConfigUntrust() *cobra.Command {
	return &cobra.Command{
		Use:   "untrust [FILE]",
		Short: "Take back the approval of a project's configuration file",
		Long: `Untrust takes back the approval that "handoff config trust" gave to a project's
configuration file, the nearest handoff.yaml if none is named. Exit code 1: it was
not approved.`,
		Example: `  handoff config untrust
  handoff config untrust ~/src/agents/handoff.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			path, err := projectArgument(args)
			if err != nil {
				return err
			}
			found, err := withdraw(path)
			if err != nil {
				return err
			}
			if !found {
				term.Warn(c.ErrOrStderr(), path+": was not approved")
				return cli.ErrNo
			}
			return nil
		},
	}
}

// projectArgument returns the file that an argument names, or the project's.
func projectArgument(args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	files, err := projectConfigs()
	if err != nil {
		return "", err
	}
	if len(files) > 0 {
		return files[0].path, nil
	}
	return "", errors.New("there is no " + projectFile + " here or above, up to the root of the repository: name the file")
}

// A fileSetting is a value that a file gives to a key.
type fileSetting struct {
	key   string
	texts []string
}

// approvable returns what the file sets beyond what may have any value, sorted by key.
func (f configFile) approvable() ([]fileSetting, error) {
	l, err := f.layer()
	if err != nil {
		return nil, err
	}
	found := map[string]fileSetting{}
	visitConfigurable(newRoot(), func(command string, flag *pflag.Flag) {
		if texts, key, ok := l.lookup(command, flag.Name); ok && harms[flag.Name] != harmless {
			found[key] = fileSetting{key, texts}
		}
	})
	list := slices.Collect(maps.Values(found))
	slices.SortFunc(list, func(a, b fileSetting) int { return strings.Compare(a.key, b.key) })
	return list, nil
}

// writeApproval says what has been approved.
func writeApproval(w io.Writer, f configFile, settings []fileSetting) error {
	what := "it sets nothing but what is harmless"
	if len(settings) > 0 {
		what = "it sets"
	}
	if _, err := fmt.Fprintf(w, "%s: approved; %s\n", term.Visible(f.path), what); err != nil {
		return err
	}
	for _, s := range settings {
		for _, text := range s.texts {
			if _, err := fmt.Fprintf(w, "  %s: %s\n", s.key, term.Visible(cli.ShownSetting(text))); err != nil {
				return err
			}
		}
	}
	return nil
}

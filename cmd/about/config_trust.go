package about

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/settings"
	"github.com/eaapl/handoff/internal/term"
)

func newConfigTrust(g *cli.Globals, tree settings.Tree) *cobra.Command {
	return &cobra.Command{
		Use:   "trust [FILE]",
		Short: "Approve a project's configuration file",
		Long: `Trust approves a project's configuration file (default: the nearest handoff.yaml), so
that all of its settings apply for you. It prints the settings that need approval. Read
the file first: apparent secrets are not printed.

The approval covers the path and content of the file; after a change, it must be
approved again. Approvals are stored in $XDG_STATE_HOME/handoff/approved. Files that the
configuration names, such as a key file or a program, are not covered.`,
		Example: `  handoff config trust
  handoff config trust ~/src/agents/handoff.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			path, err := projectArgument(args)
			if err != nil {
				return err
			}
			approved, err := tree.Approve(g, path)
			if err != nil {
				return err
			}
			return writeApproval(c.OutOrStdout(), approved)
		},
	}
}

func newConfigUntrust() *cobra.Command {
	return &cobra.Command{
		Use:   "untrust [FILE]",
		Short: "Withdraw the approval of a project's configuration file",
		Long: `Untrust withdraws the approval that "handoff config trust" gave to a project's
configuration file (default: the nearest handoff.yaml). Exit code 1: the file was not
approved.`,
		Example: `  handoff config untrust
  handoff config untrust ~/src/agents/handoff.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			path, err := projectArgument(args)
			if err != nil {
				return err
			}
			found, err := settings.Withdraw(path)
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

// projectArgument returns the file that an argument names, or else the project's configuration file.
func projectArgument(args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	return settings.ProjectFile()
}

// writeApproval writes the approved file and its settings, with secrets hidden.
func writeApproval(w io.Writer, approved settings.Approved) error {
	what := "no setting needed approval"
	if len(approved.Settings) > 0 {
		what = "these settings needed approval:"
	}
	if _, err := fmt.Fprintf(w, "%s: approved; %s\n", term.Visible(approved.Path), what); err != nil {
		return err
	}
	for _, s := range approved.Settings {
		for _, text := range s.Values {
			if _, err := fmt.Fprintf(w, "  %s: %s\n", s.Key, term.Visible(cli.ShownSetting(text))); err != nil {
				return err
			}
		}
	}
	return nil
}

package about

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
)

// A shell is a shell with a completion script.
type shell struct {
	name     string
	generate func(root *cobra.Command, w io.Writer, descriptions bool) error
	// place returns the script's path, below the user's data or configuration directory.
	place func(data, config string) string
	begin string // the beginning of the script
	// rest returns the remaining steps after the script was written to path.
	rest func(path string) string
}

// shells returns the supported shells.
func shells() []shell {
	return []shell{
		{
			"bash", func(root *cobra.Command, w io.Writer, d bool) error { return root.GenBashCompletionV2(w, d) },
			func(data, _ string) string {
				if dir := os.Getenv("BASH_COMPLETION_USER_DIR"); filepath.IsAbs(dir) {
					return filepath.Join(dir, "completions", "handoff")
				}
				return filepath.Join(data, "bash-completion", "completions", "handoff")
			},
			"# bash completion V2 for handoff ",
			func(string) string {
				return "New shells load it if the package bash-completion is installed."
			},
		},
		{
			"zsh", func(root *cobra.Command, w io.Writer, d bool) error {
				if d {
					return root.GenZshCompletion(w)
				}
				return root.GenZshCompletionNoDesc(w)
			},
			func(data, _ string) string { return filepath.Join(data, "zsh", "site-functions", "_handoff") },
			"#compdef handoff\n",
			func(path string) string {
				return fmt.Sprintf("New shells load it after you add these lines to ~/.zshrc, the first one before any call of compinit:\n\n    fpath=(%s $fpath)\n    autoload -U compinit; compinit", quoted(filepath.Dir(path), `'\''`))
			},
		},
		{
			"fish", func(root *cobra.Command, w io.Writer, d bool) error { return root.GenFishCompletion(w, d) },
			func(_, config string) string { return filepath.Join(config, "fish", "completions", "handoff.fish") },
			"# fish completion for handoff ",
			func(string) string { return "New shells load it." },
		},
		{
			"powershell", func(root *cobra.Command, w io.Writer, d bool) error {
				if d {
					return root.GenPowerShellCompletionWithDesc(w)
				}
				return root.GenPowerShellCompletion(w)
			},
			func(_, config string) string { return filepath.Join(config, "powershell", "handoff.ps1") },
			"# powershell completion for handoff ",
			func(path string) string {
				return fmt.Sprintf("New shells load it after you add this line to the file that $PROFILE names:\n\n    . %s", quoted(path, "''"))
			},
		},
	}
}

// quoted returns a path as a word in single quotes, in which each quote is replaced by quote.
func quoted(path, quote string) string {
	return "'" + strings.ReplaceAll(term.Visible(path), "'", quote) + "'"
}

func NewCompletion(g *cli.Globals) *cobra.Command {
	var names []string
	for _, s := range shells() {
		names = append(names, s.name)
	}
	plain, installs := false, false
	c := &cobra.Command{
		Use:   "completion [" + strings.Join(names, "|") + "]",
		Short: "Generate or install shell completions",
		Long: `Completion prints the completion script of a shell: it completes commands, flags, rules
and ids. With --install, it writes the script to the shell's completion folder and
prints any remaining steps; the default shell is then $SHELL.

  bash        ~/.local/share/bash-completion/completions/handoff
  zsh         ~/.local/share/zsh/site-functions/_handoff
  fish        ~/.config/fish/completions/handoff.fish
  powershell  ~/.config/powershell/handoff.ps1

$XDG_DATA_HOME, $XDG_CONFIG_HOME and, for bash, $BASH_COMPLETION_USER_DIR override these
folders. A file there that handoff did not write is never overwritten: this is an error.`,
		Example: `  handoff completion bash
  handoff completion zsh --install`,
		ValidArgs: names,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		RunE: func(c *cobra.Command, args []string) error {
			i, err := shellOf(args, names, installs)
			if err != nil {
				return err
			}
			var script bytes.Buffer
			s := shells()[i]
			if err := s.generate(c.Root(), &script, !plain); err != nil {
				return err
			}
			if !installs {
				return g.WriteData("", c.OutOrStdout(), script.Bytes())
			}
			data, config := cli.DataHome(), cli.ConfigHome()
			if data == "" || config == "" {
				return errNoHome
			}
			path := s.place(data, config)
			if err := install(g, path, s.begin, script.Bytes()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "wrote %s\n%s\n", term.Visible(path), s.rest(path))
			return err
		},
	}
	c.Flags().BoolVar(&installs, "install", false, "write the script to the shell's completion folder")
	c.Flags().BoolVar(&plain, "no-descriptions", false, "omit descriptions from completions")
	cli.OnlyForCall(c)
	return c
}

// shellOf returns the index in names of the shell in args. Without args, if installs is set, it returns the
// index of the user's shell.
func shellOf(args, names []string, installs bool) (int, error) {
	if len(args) > 0 {
		return slices.Index(names, args[0]), nil
	}
	known := strings.Join(names, ", ")
	if !installs {
		return 0, errors.New("the shell is missing: use one of " + known)
	}
	name := strings.TrimSuffix(filepath.Base(os.Getenv("SHELL")), ".exe")
	if name == "pwsh" {
		name = "powershell"
	}
	i := slices.Index(names, name)
	if i < 0 {
		return 0, fmt.Errorf("$SHELL is %q, which has no completions: name a shell, one of %s", os.Getenv("SHELL"), known)
	}
	return i, nil
}

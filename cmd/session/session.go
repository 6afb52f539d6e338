// Package session implements the commands of "handoff session".
package session

import (
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
)

// New returns the group of commands.
func New(g *cli.Globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "session",
		Short: "Find the sessions of coding agents, and hand their work over",
		Long: `Session reads the sessions that Claude Code and the Codex CLI keep on this machine, and
makes a canonical handoff message of one: what the user asked for, what was done and
what is left, the files that were touched, what was decided, what it took, and the last
turns as they were. Nothing is written but the message, and no model is asked.

Claude Code: $CLAUDE_CONFIG_DIR/projects, or ~/.claude/projects. Codex CLI: sessions and
archived_sessions in $CODEX_HOME, or in ~/.codex. --session-dir names another folder. A SESSION is
an id, the beginning of one that no other session has, or the path of a file.`,
		Example: `  handoff session list
  handoff session show 5f0c
  handoff session handoff 5f0c --to codex > message.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newList(g), newShow(g), newHandoff(g))
	return c
}

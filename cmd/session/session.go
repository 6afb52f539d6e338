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
		Short: "Find sessions of coding agents, and hand over their work",
		Long: `Session reads the sessions that Claude Code, the Codex CLI, the Gemini CLI, OpenCode and
the Copilot CLI store on this machine, and creates a canonical handoff message from one:
the user's request, completed and remaining work, touched files, decisions, costs, and
the last turns unchanged. It calls no model.

Claude Code: $CLAUDE_CONFIG_DIR/projects, or ~/.claude/projects. Codex CLI: sessions and
archived_sessions in $CODEX_HOME, or in ~/.codex. Gemini CLI: .gemini/tmp in
$GEMINI_CLI_HOME, or in ~. OpenCode: opencode/storage in $XDG_DATA_HOME, or in
~/.local/share. Copilot CLI: session-state in $COPILOT_HOME, or in ~/.copilot.
--session-dir sets another folder. A SESSION is an id, a unique prefix of one, or the
path of a file.`,
		Example: `  handoff session list
  handoff session show 5f0c
  handoff session handoff 5f0c --to codex > message.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newList(g), newShow(g), newHandoff(g), newContinue(g), newCompactions(g))
	return c
}

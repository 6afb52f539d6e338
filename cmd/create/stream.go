package create

import (
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
)

func NewStream(g *cli.Globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "stream",
		Short: "Divide messages into chunks, and join them again",
		Long: `Stream works on handoffs that travel in pieces (EAAPL-MAG006, section 14.1), so that the
receiver begins before the sender has ended. A stream is JSON Lines: a first chunk with
a valid message that has what is needed to begin, chunks that append to it, and a last
one that says what the whole is. docs/streaming.md describes the format.`,
		Example: `  handoff stream split --key-file team.key message.json > chunks.jsonl
  handoff stream join --key-file team.key chunks.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newStreamSplit(g), newStreamJoin(g))
	return c
}

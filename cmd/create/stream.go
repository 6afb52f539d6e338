package create

import (
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
)

func NewStream(g *cli.Globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "stream",
		Short: "Split messages into chunks, and join them",
		Long: `Stream works with handoffs that are sent in chunks (EAAPL-MAG006, section 14.1), so that
the receiver can begin before the sender has finished. A stream is JSON Lines: a first
chunk with a valid message, complete enough to begin with; chunks that append to it; and
a last chunk that describes the whole message. docs/streaming.md specifies the format.`,
		Example: `  handoff stream split --key-file team.key message.json > chunks.jsonl
  handoff stream join --key-file team.key chunks.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newStreamSplit(g), newStreamJoin(g))
	return c
}

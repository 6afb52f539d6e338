package cmd

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

// A pruneRecord has the numbers of removed rows.
type pruneRecord struct {
	Before      string `json:"before"`
	Tasks       int    `json:"tasks"`
	Handoffs    int    `json:"handoffs"`
	Checkpoints int    `json:"checkpoints"`
}

// WriteText writes one line.
func (r pruneRecord) WriteText(w io.Writer, _ int, _ term.Palette) error {
	_, err := fmt.Fprintf(w, "%s of %s removed, and %s\n", term.Counted(r.Handoffs, "handoff"), term.Counted(r.Tasks, "task"), term.Counted(r.Checkpoints, "checkpoint"))
	return err
}

func newOutboxPrune(g *cli.Globals) *cobra.Command {
	f := &deliveryFlags{Globals: g}
	var before relayflags.BeforeFlag
	var facts cli.FactsFlags
	c := &cobra.Command{
		Use:   "prune --before PERIOD",
		Short: "Remove from the store what is at its end, with its checkpoints",
		Long: `Prune removes the tasks that were at their end for so long, with messages, answers and
checkpoints: each of their handoffs was accepted or completed, or was rolled back and its
sender has the checkpoint, or has sent the task on in another handoff, which was accepted.
What waits, for its receiver, its sender or a person, stays, however old, and so does
the rest of its task.

The store does not know then what it has removed: rollback and status cannot find it, and
the same message sent again is published again, which its receiver answers by DUPLICATE.
Let outbox flush take the answers before: an agent may have failed.

In SQLite, what is removed is overwritten; that the file of changes (-wal) has none of it any
more is sure when no other process uses the store.`,
		Example: `  handoff outbox prune --before 30d`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			at, err := before.Time(time.Now())
			if err != nil {
				return err
			}
			f.store.Wipe = true
			return f.with(c, false, func(store *deliver.Store, _ *deliver.Sender) error {
				out, err := facts.Open(g, c)
				if err != nil {
					return err
				}
				n, err := store.Prune(c.Context(), at)
				if err == nil || n.Handoffs > 0 {
					err = cli.Closed(err, out.Print(pruneRecord{recorded(at), n.Tasks, n.Handoffs, n.Checkpoints}))
				}
				return out.Close(err)
			})
		},
	}
	f.register(c)
	before.Register(c, "tasks")
	facts.Register(c, "text or json", "write to `FILE` instead of standard output")
	return c
}

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
		Short: "Remove completed tasks and their checkpoints from the store",
		Long: `Prune removes tasks that were completed before the given period, with messages, answers
and checkpoints. A task is completed if each of its handoffs was accepted or completed,
or was rolled back and then restored or sent on in another handoff, which was accepted.
A task with a handoff that waits for its receiver, its sender or a person is kept in
full, however old.

The store then has no memory of removed tasks: rollback and status cannot find them, and
if the same message is sent again, it is published again, and the receiver answers
DUPLICATE. Run outbox flush first to read the answers: an agent may have failed.

In SQLite, removed data is overwritten; the write-ahead log (-wal) is certain to contain
none of it only if no other process uses the store.`,
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
	facts.Register(c, "output format: text, json", "write the output to `FILE` instead of standard output")
	return c
}

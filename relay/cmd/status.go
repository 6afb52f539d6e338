package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

// A taskRecord is the status of a task.
type taskRecord struct {
	TaskID    string          `json:"taskId"`
	Status    string          `json:"status"`
	SW4RM     string          `json:"sw4rmStatus"`
	Escalated bool            `json:"escalated,omitzero"`
	Handoffs  []handoffRecord `json:"handoffs"`
}

func newTaskRecord(id string, list []*deliver.Handoff) taskRecord {
	r := taskRecord{TaskID: id, Status: deliver.TaskStatus(list)}
	newest := list[len(list)-1]
	r.SW4RM = sw4rmStatus(newest.State)
	for _, h := range list {
		r.Handoffs = append(r.Handoffs, newHandoffRecord(h))
		if h.HandoffID == newest.HandoffID {
			r.Escalated = r.Escalated || h.Escalated
		}
	}
	return r
}

// WriteText writes the status of the task, and a line for each handoff.
func (r taskRecord) WriteText(w io.Writer, columns int, colors term.Palette) error {
	status := r.Status
	if r.Escalated {
		status += ", ESCALATED: a person must look at it"
	}
	if _, err := fmt.Fprintf(w, "task %s: %s\n", term.Visible(r.TaskID), colors.Bold(status)); err != nil {
		return err
	}
	for _, h := range r.Handoffs {
		if err := h.WriteText(w, columns, colors); err != nil {
			return err
		}
	}
	return nil
}

// findTask returns a task, and its handoffs, by its id or that of one of its handoffs.
func findTask(ctx context.Context, store *deliver.Store, id string) (task string, list []*deliver.Handoff, err error) {
	list, err = store.FindTask(ctx, id)
	if !errors.As(err, new(*deliver.UnknownError)) {
		return id, list, err
	}
	one, handoffErr := store.Find(ctx, id)
	if errors.As(handoffErr, new(*deliver.UnknownError)) {
		return id, nil, err
	} else if handoffErr != nil {
		return id, nil, handoffErr
	}
	task = one[0].TaskID
	list, err = store.FindTask(ctx, task)
	return task, list, err
}

func newStatus(g *cli.Globals) *cobra.Command {
	f := &deliveryFlags{Globals: g}
	var facts cli.FactsFlags
	var offline bool
	c := &cobra.Command{
		Use:   "status TASK|HANDOFF",
		Short: "Show the state of a task, as known to its sender",
		Long: `Status reads the answers on the transports, and shows the state of a task that was sent
from this store, named by its id or that of one of its handoffs: PENDING_HANDOFF (the
sender has it), DISPATCHED, ACCEPTED or COMPLETED, and each of its handoffs with the
latest answer. JSON output includes SW4RM's status.

Exit code 2: answers could not be read; the output is the state known before.`,
		Example: `  handoff status cc35de8b-6ece-4435-abfd-a60e12baff98
  handoff status --offline -f json cc35de8b-6ece-4435-abfd-a60e12baff98`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.with(c, false, func(store *deliver.Store, sender *deliver.Sender) error {
				ctx := c.Context()
				task, list, err := findTask(ctx, store, args[0])
				if err != nil {
					return err
				}
				var unheard error
				if !offline {
					unheard = sender.SweepFor(ctx, list)
					if err := sender.Settle(ctx); err != nil {
						return err
					}
					if list, err = store.FindTask(ctx, task); err != nil {
						return err
					}
				}
				out, err := facts.Open(g, c)
				if err != nil {
					return err
				}
				return errors.Join(unheard, out.Close(out.Print(newTaskRecord(task, list))))
			})
		},
	}
	c.ValidArgsFunction = relayflags.OneID(f.sentTasks())
	f.register(c)
	f.registerRetries(c)
	f.posting.register(c)
	f.registerTrust(c)
	facts.Register(c, "output format: text, json", "write the output to `FILE` instead of standard output")
	c.Flags().BoolVar(&offline, "offline", false, "read no answers, and show the known state")
	return c
}

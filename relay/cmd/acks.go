package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

// An acksRecord lists the receivers that have acknowledged a handoff, and the others.
type acksRecord struct {
	HandoffID    string   `json:"handoffId"`
	Complete     bool     `json:"complete"`
	Acknowledged []string `json:"acknowledged"`
	Missing      []string `json:"missing"`
}

func newAcks(g *cli.Globals) *cobra.Command {
	f := &deliveryFlags{Globals: g}
	var facts cli.FactsFlags
	var wait time.Duration
	c := &cobra.Command{
		Use:   "acks HANDOFF",
		Short: "Check whether all receivers of a fan-out have acknowledged it",
		Long: `Acks checks that every receiver in the receiverList has accepted its copy of the
message, as required before an aggregation (section 14.2). Exit code 0: all have; 1: at
least one has not, and their names are printed. It reads the answers that are available
on the transports; with --wait, it waits for missing ones.`,
		Example: `  handoff acks 6e7f936b-cafd-4624-8754-0bafc4e8acb3 --wait 30s`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if wait < 0 {
				return fmt.Errorf("--wait %s: use a duration of 0 or more, such as 30s", wait)
			}
			return f.with(c, false, func(store *deliver.Store, sender *deliver.Sender) error {
				r, err := acknowledged(c.Context(), store, sender, args[0], wait)
				if err != nil && !errors.As(err, new(*deliver.UnheardError)) {
					return err
				}
				if err := printAcks(g, c, r, facts); err != nil {
					return err
				}
				if r.Complete { // later answers cannot change it
					return nil
				}
				return cli.Answer(err, 0, true)
			})
		},
	}
	c.ValidArgsFunction = relayflags.OneID(f.sentHandoffs())
	f.register(c)
	f.posting.register(c)
	f.registerTrust(c)
	facts.Register(c, "output format: text, json", "write the output to `FILE`")
	c.Flags().DurationVar(&wait, "wait", 0, "maximum time to wait for missing acknowledgements")
	return c
}

// acknowledged receives the answers to a handoff, and returns its acknowledgments. With a
// [*deliver.UnheardError] these are the previously known ones.
func acknowledged(ctx context.Context, store *deliver.Store, sender *deliver.Sender, id string, wait time.Duration) (r acksRecord, err error) {
	list, err := store.Find(ctx, id)
	if err != nil {
		return r, err
	}
	unheard := sender.SweepFor(ctx, list)
	until, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := sender.Wait(until, list); err != nil {
		return r, err
	}
	if err := sender.Settle(ctx); err != nil {
		return r, err
	}
	r.HandoffID = id
	if r.Acknowledged, r.Missing, err = store.Acknowledged(ctx, id); err != nil {
		return r, err
	}
	r.Complete = len(r.Missing) == 0
	return r, unheard
}

func printAcks(g *cli.Globals, c *cobra.Command, r acksRecord, facts cli.FactsFlags) error {
	out, err := g.Open(facts.Output, c.OutOrStdout())
	if err != nil {
		return err
	}
	if facts.Format == "json" {
		return out.Close(report.WriteJSON(out, r))
	}
	if r.Complete {
		fmt.Fprintf(out, "%s: acknowledged by all: %s\n", term.Visible(r.HandoffID), term.Visible(strings.Join(r.Acknowledged, ", ")))
	} else {
		fmt.Fprintf(out, "%s: not acknowledged by %s\n", term.Visible(r.HandoffID), term.Visible(strings.Join(r.Missing, ", ")))
	}
	return out.Close(nil)
}

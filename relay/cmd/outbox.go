package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

func newOutbox(g *cli.Globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "outbox",
		Short: "See and send what waits to be sent",
		Long: `What send could not publish waits in the outbox, with the sender's checkpoint. flush
tries it again; what fails for good, since there is no such place or the message is too
long for it, waits for retry. prune removes what is at its end.`,
		Example: `  handoff outbox list
  handoff outbox flush`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newOutboxList(g), newOutboxShow(g), newOutboxFlush(g), newOutboxRetry(g), newOutboxPrune(g))
	return c
}

func newOutboxList(g *cli.Globals) *cobra.Command {
	f := &deliveryFlags{Globals: g}
	var facts cli.FactsFlags
	var all bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List what waits to be published; exit code 1 if any of it waits for a person",
		Long: `List shows what was not published: its state, age, failures, the next try, where it goes,
and what was wrong. WAITING is tried again by itself; STOPPED waits for a person, who
corrects what is wrong and calls handoff outbox retry: then the exit code is 1.`,
		Example: `  handoff outbox list
  handoff outbox list --everything -f json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.with(c, false, func(store *deliver.Store, _ *deliver.Sender) error {
				list, err := store.List(c.Context(), all)
				if err != nil {
					return err
				}
				stuck := false
				for _, h := range list {
					stuck = stuck || h.Stuck()
				}
				return cli.Answer(printHandoffs(g, c, facts, list, "nothing waits to be published"), 0, stuck)
			})
		},
	}
	f.register(c)
	facts.Register(c, "text or json", "write to `FILE` instead of standard output")
	c.Flags().BoolVar(&all, "everything", false, "also what was published, answered or rolled back")
	return c
}

// printHandoffs prints handoffs; in text, it prints none if there are no handoffs.
func printHandoffs(g *cli.Globals, c *cobra.Command, f cli.FactsFlags, list []*deliver.Handoff, none string) error {
	out, err := f.Open(g, c)
	if err != nil {
		return err
	}
	if len(list) == 0 && !out.JSON {
		fmt.Fprintln(out, none)
	}
	for _, h := range list {
		if err := out.Print(newHandoffRecord(h)); err != nil {
			return out.Close(err)
		}
	}
	return out.Close(nil)
}

func newOutboxShow(g *cli.Globals) *cobra.Command {
	f := &deliveryFlags{Globals: g}
	var facts cli.FactsFlags
	var message, checkpoint bool
	c := &cobra.Command{
		Use:   "show HANDOFF",
		Short: "Show where a handoff is, its message or its checkpoint",
		Example: `  handoff outbox show 6e7f936b-cafd-4624-8754-0bafc4e8acb3
  handoff outbox show 6e7f936b-cafd-4624-8754-0bafc4e8acb3 --message | handoff inspect`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if message && checkpoint {
				return errors.New("--message and --raw-checkpoint: use one of them")
			}
			return f.with(c, false, func(store *deliver.Store, _ *deliver.Sender) error {
				list, err := store.Find(c.Context(), args[0])
				if err != nil {
					return err
				}
				if !message && !checkpoint {
					return printHandoffs(g, c, facts, list, "")
				}
				read := store.Checkpoint
				if message {
					read = store.Message
				}
				text, err := read(c.Context(), list[0])
				if err != nil {
					return err
				}
				if message {
					text = append(text, '\n')
				}
				return g.WriteData(facts.Output, c.OutOrStdout(), text)
			})
		},
	}
	c.ValidArgsFunction = relayflags.OneID(f.sentHandoffs())
	f.register(c)
	facts.Register(c, "text or json", "write to `FILE` instead of standard output")
	c.Flags().BoolVar(&message, "message", false, "print the message as it came")
	c.Flags().BoolVar(&checkpoint, "raw-checkpoint", false, "print the checkpoint as it came; the handoff goes on")
	cli.OnlyForCall(c, "message", "raw-checkpoint")
	return c
}

func newOutboxRetry(g *cli.Globals) *cobra.Command {
	f := &deliveryFlags{Globals: g}
	c := &cobra.Command{
		Use:     "retry HANDOFF",
		Short:   "Let a message be tried again whose publishing has failed for good, and try it",
		Example: `  handoff outbox retry 6e7f936b-cafd-4624-8754-0bafc4e8acb3`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.with(c, false, func(store *deliver.Store, sender *deliver.Sender) error {
				ctx := c.Context()
				if _, err := store.Find(ctx, args[0]); err != nil {
					return err
				}
				n, err := store.Retry(ctx, args[0], time.Now())
				if err != nil {
					return err
				}
				if n == 0 {
					fmt.Fprintf(c.ErrOrStderr(), "%s: nothing of it waits to be published\n", term.Visible(args[0]))
					return nil
				}
				run := &outboxRun{command: c}
				if err := sender.Flush(ctx, run.count); err != nil {
					return err
				}
				return run.answer(ctx, store, args[0])
			})
		},
	}
	c.ValidArgsFunction = relayflags.OneID(f.stuckHandoffs())
	f.register(c)
	f.registerClaimCheck(c)
	f.posting.register(c)
	f.registerTrust(c)
	return c
}

// An outboxRun counts the messages published by a run, by the transports' confirmations.
type outboxRun struct {
	command            *cobra.Command
	published, dropped int
}

func (r *outboxRun) count(list []*deliver.Handoff) error {
	for _, h := range list {
		switch h.Confirmed {
		case deliver.Taken:
			r.published++
		case deliver.Known:
			r.dropped++
		}
		if h.Problem != "" {
			term.PrintError(r.command.ErrOrStderr(), handoffProblem(h))
		}
	}
	return nil
}

// answer prints the result of the run, and the number of waiting messages of one handoff, or if it is "" of
// all.
func (r *outboxRun) answer(ctx context.Context, store *deliver.Store, handoff string) error {
	list, err := store.List(ctx, false)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(h *deliver.Handoff) bool { return handoff != "" && h.HandoffID != handoff })
	text := fmt.Sprintf("%d published, %d in the outbox", r.published, len(list))
	if r.dropped > 0 {
		text += fmt.Sprintf(", %d dropped by the server as a duplicate: it had them already", r.dropped)
	}
	fmt.Fprintln(r.command.ErrOrStderr(), text)
	return cli.Answer(nil, len(list), false)
}

// flushFlags are the flags of outbox flush.
type flushFlags struct {
	deliveryFlags
	news  newsFlags
	watch bool
}

func newOutboxFlush(g *cli.Globals) *cobra.Command {
	f := &flushFlags{deliveryFlags: deliveryFlags{Globals: g}}
	c := &cobra.Command{
		Use:   "flush",
		Short: "Publish what waits, and take the answers",
		Long: `Flush tries all that waits in the outbox, at once, and goes on where a run stopped that was
killed; several may run at the same time. Then it takes the answers that wait on the
transports: what was rejected for good is rolled back. It asks, at longer and longer
intervals, also what became of messages that were accepted: their agents may have failed
(docs/delivery.md). With --watch it stays, tries again between 1 second and 5 minutes after
a failure, and takes answers as they come.

With --auto the command gets the checkpoint of every task that is the sender's again and
that nobody has restored yet, also by an earlier rollback; HANDOFF_ID, HANDOFF_TASK,
HANDOFF_SENDER and HANDOFF_RECEIVER say which one it is. If the command fails, or dies with
this program, it is run again by the next flush: it may see a checkpoint twice.

It says how many of them the transports have confirmed, and how many wait in the outbox, also
for a person or another process. Exit code 0: nothing waits any more; 2: something does.`,
		Example: `  handoff outbox flush
  handoff outbox flush --auto 'cat > restored.json'`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			f.options.FollowUp = true
			return f.with(c, false, func(store *deliver.Store, sender *deliver.Sender) error { return f.flush(c, store, sender) })
		},
	}
	f.register(c)
	f.registerRetries(c)
	f.registerClaimCheck(c)
	f.posting.register(c)
	f.registerTrust(c)
	f.news.register(c)
	c.Flags().BoolVar(&f.watch, "watch", false, "stay, and do that until a signal comes")
	return c
}

func (f *flushFlags) flush(c *cobra.Command, store *deliver.Store, sender *deliver.Sender) (err error) {
	ctx := c.Context()
	news, err := f.news.start(f.Globals, c, store, sender)
	if err != nil {
		return err
	}
	defer func() { err = news.close(err) }()
	if f.watch {
		return f.stay(ctx, c, store, sender, news)
	}
	if err := sender.Settle(ctx); err != nil {
		return err
	}
	if err := store.Hasten(ctx, time.Now()); err != nil {
		return err
	}
	run := &outboxRun{command: c}
	if err := sender.Flush(ctx, run.count); err != nil {
		return err
	}
	places, err := store.Unanswered(ctx, time.Now())
	if err != nil {
		return err
	}
	unheard := sender.Sweep(ctx, places)
	if err := sender.Settle(ctx); err != nil {
		return err
	}
	if err := f.tell(ctx, c, news); err != nil {
		return err
	}
	return errors.Join(unheard, run.answer(ctx, store, ""))
}

// tell handles news according to the flags and prints rejections.
func (f *flushFlags) tell(ctx context.Context, c *cobra.Command, room *newsroom) error {
	news, err := room.report(ctx, nil)
	for _, h := range news.Handoffs {
		if problem := handoffProblem(h); problem != nil {
			term.PrintError(c.ErrOrStderr(), problem)
		}
	}
	return err
}

// staying is the interval at which a run with --watch looks for due messages.
const staying = time.Second

// stay publishes messages and receives answers until the run is ended. It retries after errors.
func (f *flushFlags) stay(ctx context.Context, c *cobra.Command, store *deliver.Store, sender *deliver.Sender, room *newsroom) error {
	for {
		run := &outboxRun{command: c}
		err := errors.Join(sender.Settle(ctx), sender.Flush(ctx, run.count))
		places, more := store.Unanswered(ctx, time.Now())
		for _, place := range places {
			sender.Listen(place)
		}
		if err = errors.Join(err, more, f.tell(ctx, c, room)); err != nil {
			term.PrintError(c.ErrOrStderr(), err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(staying):
		}
	}
}

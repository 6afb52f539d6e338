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
		Short: "List and send the messages that wait to be published",
		Long: `Outbox works with messages that send could not publish; each waits in the outbox, with
the sender's checkpoint. flush tries them again. After a permanent failure (a
nonexistent address, or a message too long for the transport), a message waits for
retry. prune removes completed tasks.`,
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
		Short: "List unpublished messages; exit with 1 if any needs a person",
		Long: `List shows the unpublished messages: state, age, failures, next try, address, and last
error. WAITING messages are tried again automatically; a STOPPED message waits until a
person corrects the problem and runs handoff outbox retry: the exit code is then 1.`,
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
	facts.Register(c, "output format: text, json", "write the output to `FILE` instead of standard output")
	c.Flags().BoolVar(&all, "everything", false, "also list messages that were published, answered or rolled back")
	return c
}

// printHandoffs prints handoffs; in text, it prints the line none if there are no handoffs.
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
		Short: "Show the place of a handoff, its message or its checkpoint",
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
	facts.Register(c, "output format: text, json", "write the output to `FILE` instead of standard output")
	c.Flags().BoolVar(&message, "message", false, "print the message unchanged")
	c.Flags().BoolVar(&checkpoint, "raw-checkpoint", false, "print the checkpoint unchanged; the handoff continues")
	cli.OnlyForCall(c, "message", "raw-checkpoint")
	return c
}

func newOutboxRetry(g *cli.Globals) *cobra.Command {
	f := &deliveryFlags{Globals: g}
	c := &cobra.Command{
		Use:     "retry HANDOFF",
		Short:   "Retry a message after a permanent failure",
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
					fmt.Fprintf(c.ErrOrStderr(), "%s: it has no message that waits to be published\n", term.Visible(args[0]))
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

// answer prints the result of the run, and the number of waiting messages of a handoff, or of all handoffs
// if it is "".
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
		Short: "Publish the waiting messages, and read the answers",
		Long: `Flush tries to publish all messages in the outbox, now, and continues runs that were
killed; several flushes can run at the same time. Then it reads the answers on the
transports: permanently rejected messages are rolled back. At increasing intervals, it
also asks for the results of accepted messages, because their agents may have failed
(docs/delivery.md). With --watch, it keeps running, retries between 1 second and 5
minutes after a failure, and reads answers as they arrive.

With --auto, a command gets the checkpoint of every task that has returned to the sender
and was not yet restored, even from an earlier rollback; HANDOFF_ID, HANDOFF_TASK,
HANDOFF_SENDER and HANDOFF_RECEIVER identify it. If the command fails or is killed
together with flush, the next flush runs it again: it can see a checkpoint twice.

The summary counts the messages that the transports confirmed, and the messages in the
outbox, including messages that wait for a person or another process. Exit code 0: none
is waiting; 2: at least one is.`,
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
	c.Flags().BoolVar(&f.watch, "watch", false, "keep running until a signal arrives")
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
func (f *flushFlags) tell(ctx context.Context, c *cobra.Command, room *newsHandler) error {
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
func (f *flushFlags) stay(ctx context.Context, c *cobra.Command, store *deliver.Store, sender *deliver.Sender, room *newsHandler) error {
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

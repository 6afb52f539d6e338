package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/internal/relayflags"
	"github.com/eaapl/handoff/relay/receiver"
)

// rollbackFlags are the flags of rollback.
type rollbackFlags struct {
	deliveryFlags
	deliver.Rollback
	alerts       relayflags.AlertFlags
	keys         cli.KeyFlags
	keyID        string
	child        cli.ChildFlags
	answerWithin time.Duration
}

func newRollback(g *cli.Globals) *cobra.Command {
	f := &rollbackFlags{deliveryFlags: deliveryFlags{Globals: g}}
	c := &cobra.Command{
		Use:   "rollback HANDOFF",
		Short: "Take a task back, and print the sender's checkpoint",
		Long: `Rollback restores the sender after a failed handoff (section 6.3): it prints the
checkpoint byte for byte, so that handoff rollback ID | agent --resume continues the
sender's work. It first reads the answers on the transport; with --answer-within, it
waits for missing ones.

If a receiver has accepted the message, or may have got it and has not answered,
rollback prints nothing and exits with 1, because two agents might otherwise have the
task. --force overrides this: the message is revoked, in the audit log and by a message
on the transport, and a receiver that meets it later rejects it (REVOKED); a receiver
that already has it continues. An unpublished message is withdrawn. A receiver with keys
accepts a revocation only if it is signed by a key that may sign for the sender: use
--key-file, as for handoff sign.

Unsigned answers can be forged by any process that can write to the queue. They count,
with a warning. With --answer-trust, a receiver with keys in the profile must sign its
answers.

A repeated rollback prints the checkpoint again.`,
		Example: `  handoff rollback 6e7f936b-cafd-4624-8754-0bafc4e8acb3 --answer-within 10s > state.json`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	c.ValidArgsFunction = relayflags.OneID(f.sentHandoffs())
	flags := c.Flags()
	flags.BoolVar(&f.Force, "force", false, "also take back a message that a receiver has accepted or may have accepted")
	flags.DurationVar(&f.answerWithin, "answer-within", 0, "maximum time to wait for missing answers")
	flags.StringVar(&f.Receiver, "only-receiver", "", "`NAME` of the receiver to roll back, instead of all receivers of a fan-out")
	flags.StringVar(&f.Explanation, "reason", "", "reason, as `TEXT` for the audit log and the receiver")
	f.register(c)
	f.registerRetries(c)
	f.posting.register(c)
	f.registerTrust(c)
	f.alerts.Register(c)
	f.keys.Register(c)
	flags.StringVar(&f.keyID, "key-id", "", "`ID` of the key that signs the revocation; for a key without an ID, the ID to use")
	f.child.Register(c)
	cli.OnlyForCall(c, "only-receiver", "reason", "force")
	return c
}

func (f *rollbackFlags) run(c *cobra.Command, id string) error {
	if f.answerWithin < 0 {
		return fmt.Errorf("--answer-within %s: use a duration of 0 or more, such as 10s", f.answerWithin)
	}
	f.HandoffID = id
	if f.Force {
		keys, err := f.keys.Load(f.Globals, c)
		if err == nil {
			f.Key, err = cli.OptionalSigner(keys, f.keyID)
		}
		if err != nil {
			return err
		}
	}
	return f.with(c, false, func(store *deliver.Store, sender *deliver.Sender) (err error) {
		alerts, err := f.alerts.Start(f.Globals, c, f.child, &f.keys)
		if err != nil {
			return err
		}
		defer func() { err = alerts.Close(err) }()
		out, err := f.OpenData("", c.OutOrStdout())
		if err != nil {
			return err
		}
		ctx := c.Context()
		until, cancel := context.WithTimeout(ctx, f.answerWithin)
		defer cancel()
		checkpoint, err := sender.Rollback(ctx, until, f.Rollback)
		if sent := alerts.Send(sender.News().Alerts); err == nil {
			err = sent
		}
		if refused := (*deliver.RefusedError)(nil); errors.As(err, &refused) {
			term.PrintError(c.ErrOrStderr(), err)
			if len(refused.Busy) == 0 {
				fmt.Fprintln(c.ErrOrStderr(), "handoff: hint: --answer-within 10s waits for answers; --force takes the task back anyway")
			}
			return cli.ErrNo
		}
		if err != nil {
			return err
		}
		_, err = out.Write(checkpoint)
		if err := out.Close(err); err != nil {
			return err
		}
		list, err := store.Find(ctx, id)
		if err != nil {
			return err
		}
		if err := f.warn(c, store, list); err != nil {
			return err
		}
		return store.Restored(ctx, f.Of(list), true)
	})
}

// warn prints the receivers that may still have the task.
func (f *rollbackFlags) warn(c *cobra.Command, store *deliver.Store, list []*deliver.Handoff) error {
	for _, h := range f.Of(list) {
		if h.Answer != nil && h.Answer.Status != "REJECTED" && h.Revoked {
			term.Warn(c.ErrOrStderr(), h.HandoffID+": "+answerLine(h.Answer)+answerCheck(h.AnswerCheck, h.AnswerKey)+": two agents may have the task")
		}
		switch {
		case !h.Revoked:
		case h.Problem != "":
			term.Warn(c.ErrOrStderr(), h.HandoffID+": the revocation waits in the outbox: "+h.Problem)
		case !h.Next.IsZero():
			term.Warn(c.ErrOrStderr(), h.HandoffID+": the revocation waits in the outbox, or another process is sending it")
		default:
			fmt.Fprintf(c.ErrOrStderr(), "%s: revoked at %s\n", term.Visible(h.HandoffID), term.Visible(deliver.Redacted(h.Destination)))
		}
		if !h.Revoked || h.RevocationSigned {
			continue
		}
		text, err := store.Message(c.Context(), h)
		if err != nil {
			return err
		}
		if receiver.IsSigned(text) {
			term.Warn(c.ErrOrStderr(), h.HandoffID+": the message is signed, but its revocation is not: a receiver with keys refuses it; name the key with --key-file")
		}
	}
	return nil
}

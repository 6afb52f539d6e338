package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/internal/relayflags"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/claimcheck"
)

// deliveryFlags are the flags of commands that show or change a sender's handoffs.
type deliveryFlags struct {
	*cli.Globals
	store   relayflags.StoreFlag
	log     relayflags.AuditLogFlag
	options deliver.SenderOptions
	command *cobra.Command // set when it runs

	posting    postingFlags
	claimCheck string // address of the store of bodies, "" for none
	claims     claimcheck.Store
	trust      string // a profile with the keys of receivers, "" for none
	warned     int    // number of warnings about refused answers
}

func (f *deliveryFlags) register(c *cobra.Command) {
	f.store.Register(f.Globals, c)
	f.log.Register(f.Globals, c)
}

// registerRetries registers --retries, for commands that receive answers.
func (f *deliveryFlags) registerRetries(c *cobra.Command) {
	c.Flags().IntVar(&f.options.Retries, "retries", deliver.DefaultRetries, "number of rejected attempts after which the task returns to the sender")
}

// registerTrust registers --answer-trust, for commands that receive answers.
func (f *deliveryFlags) registerTrust(c *cobra.Command) {
	c.Flags().StringVar(&f.trust, "answer-trust", "", "profile `FILE` with keys and trust, YAML or JSON; receivers with keys in it must sign their answers")
}

// maxWarned is the maximum number of warnings about refused answers.
const maxWarned = 10

// warnRefused warns of a refused answer.
func (f *deliveryFlags) warnRefused(h *deliver.Handoff, why string) {
	if f.warned++; f.warned <= maxWarned {
		term.Warn(f.command.ErrOrStderr(), h.HandoffID+": an answer is refused: "+why)
	}
}

// registerClaimCheck registers --claim-check, for commands that publish.
func (f *deliveryFlags) registerClaimCheck(c *cobra.Command) {
	c.Flags().StringVar(&f.claimCheck, "claim-check", "", "`DIR` or URL, shared with the receivers, for messages that are too long for the transport")
}

// with calls use with the store and its sender, and closes both. They are created if create is set.
func (f *deliveryFlags) with(c *cobra.Command, create bool, use func(*deliver.Store, *deliver.Sender) error) (err error) {
	if f.options.Retries < 0 {
		return fmt.Errorf("--retries %d: use 1 or more", f.options.Retries)
	}
	if err := f.posting.load(f.Globals, c); err != nil {
		return err
	}
	if f.options.Verifier, err = cli.TrustVerifier(f.Globals, c, f.trust); err != nil {
		return fmt.Errorf("--answer-trust: %w", err)
	}
	if f.claimCheck != "" {
		if f.claims, err = claimcheck.Open(f.claimCheck); err != nil {
			return fmt.Errorf("--claim-check: %w", err)
		}
	}
	f.command = c
	ctx := c.Context()
	log, err := f.log.Open(ctx, create)
	if err != nil {
		return err
	}
	defer func() { err = cli.Closed(err, log.Store().Close()) }()
	store, err := f.store.Open(ctx, log, create)
	if err != nil {
		return err
	}
	defer func() { err = cli.Closed(err, store.Close()) }()
	f.options.Open, f.options.Refused = f.open, f.warnRefused
	f.options.Transport = func(address string) string {
		row, _, _ := transportOf(address) // checked before it was stored
		return row.name
	}
	sender := deliver.NewSender(store, log, f.options)
	defer func() { err = cli.Closed(err, sender.Close()) }()
	err = use(store, sender)
	if unknown := (*deliver.UnknownError)(nil); errors.As(err, &unknown) {
		return term.WithHint(err, "--store or HANDOFF_STORE names the store that it was sent from")
	}
	return err
}

// open opens the publisher of an address.
func (f *deliveryFlags) open(ctx context.Context, address string) (transport.Publisher, error) {
	row, u, err := transportOf(address)
	if err != nil {
		return nil, &transport.PermanentError{Err: err}
	}
	if row.check != nil { // helpers report such errors themselves
		if err := row.check(u); err != nil {
			return nil, &transport.PermanentError{Err: err}
		}
	}
	o := transport.Options{MaxBytes: f.Limits.MaxBytes}
	p, err := f.posting.publish(ctx, row.startedBy(f.Globals, f.command), u, o)
	if err != nil {
		return nil, err
	}
	return claimcheck.Publisher(p, f.claims, o), nil
}

// newsFlags are the flags for news brought by answers.
type newsFlags struct {
	alerts relayflags.AlertFlags
	keys   cli.KeyFlags
	child  cli.ChildFlags
	auto   string
}

func (f *newsFlags) register(c *cobra.Command) {
	f.alerts.Register(c)
	f.keys.Register(c)
	f.child.Register(c)
	c.Flags().StringVar(&f.auto, "auto", "", "`COMMAND` to run when a task is rolled back; it reads the checkpoint")
}

// A newsHandler handles news according to the flags.
type newsHandler struct {
	*cli.Globals
	command *cobra.Command
	store   *deliver.Store
	sender  *deliver.Sender
	alerts  *relayflags.Alerts
	auto    *child.Options // nil for none
}

// start returns the handler of news. The caller closes it.
func (f *newsFlags) start(g *cli.Globals, c *cobra.Command, store *deliver.Store, sender *deliver.Sender) (*newsHandler, error) {
	n := &newsHandler{Globals: g, command: c, store: store, sender: sender}
	var err error
	if f.auto != "" {
		o, err := f.child.Options(c, "auto", f.auto)
		if err != nil {
			return nil, err
		}
		n.auto = &o
	}
	n.alerts, err = f.alerts.Start(g, c, f.child, &f.keys)
	return n, err
}

// close waits until the alerts are delivered, and returns the error of the run, or of an alert.
func (n *newsHandler) close(err error) error { return n.alerts.Close(err) }

// report sends alerts about changes, and restores the senders of rolled-back handoffs; if own is not nil,
// only for its handoffs. It returns the changes.
func (n *newsHandler) report(ctx context.Context, own map[string]bool) (deliver.News, error) {
	news := n.sender.News()
	if err := n.alerts.Send(news.Alerts); err != nil || n.auto == nil {
		return news, err
	}
	ids := []string{""}
	if own != nil {
		ids = ids[:0]
		for _, h := range news.Handoffs {
			if own[h.HandoffID] && h.State == deliver.RolledBack {
				ids = append(ids, h.HandoffID)
			}
		}
	}
	var problems []error
	for _, id := range ids {
		list, err := n.store.Restore(ctx, id)
		if err != nil {
			return news, err
		}
		for _, h := range list {
			err := n.restore(ctx, h)
			if err != nil {
				problems = append(problems, term.WithHint(fmt.Errorf("%s: %w", term.Visible(h.HandoffID), err), "handoff rollback prints the checkpoint"))
			}
			if err := n.store.Restored(ctx, []*deliver.Handoff{h}, err == nil); err != nil {
				return news, err
			}
		}
	}
	return news, errors.Join(problems...)
}

// restore runs the command of --auto with the checkpoint of a handoff.
func (n *newsHandler) restore(ctx context.Context, h *deliver.Handoff) error {
	checkpoint, err := n.store.Checkpoint(ctx, h)
	if err != nil {
		return err
	}
	o := *n.auto
	o.Env = append(o.Env[:len(o.Env):len(o.Env)], "HANDOFF_ID="+h.HandoffID, "HANDOFF_TASK="+h.TaskID, "HANDOFF_SENDER="+h.Sender, "HANDOFF_RECEIVER="+h.Receiver)
	p, err := n.Children.Start(ctx, o)
	if err != nil {
		return fmt.Errorf("--auto: %w", err)
	}
	go func() {
		_, _ = io.Copy(p, bytes.NewReader(checkpoint)) // a command that does not read all input may still succeed
		_ = p.CloseInput()
	}()
	_, copied := io.Copy(n.command.ErrOrStderr(), p)
	if err := errors.Join(p.Wait(), copied); err != nil {
		return fmt.Errorf("--auto: the command failed; the next handoff outbox flush --auto runs it again: %w", err)
	}
	return nil
}

// handoffProblem returns the reason why a handoff was rejected or could not be published; nil if neither.
func handoffProblem(h *deliver.Handoff) error {
	name := h.HandoffID
	if h.Receivers > 1 {
		name += " to " + h.Receiver
	}
	switch {
	case h.State.Pending() && h.Answer != nil:
		next := "the task has returned to the sender"
		if h.State == deliver.Rejected {
			next = "send a corrected message"
		}
		return fmt.Errorf("%s: rejected: %s; %s", name, h.Answer.Why(), next)
	case h.Problem != "":
		return fmt.Errorf("%s: %s: %s", name, deliver.Redacted(h.Destination), h.Problem)
	default:
		return nil
	}
}

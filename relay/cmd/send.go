package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/deliver"
)

// sendFlags are the flags of send.
type sendFlags struct {
	deliveryFlags
	news       newsFlags
	to         []string
	checkpoint string
	wait       time.Duration
	quiet      bool
	stream     bool

	addresses []deliver.Address // parsed from to; Receiver is empty if none was named
}

func newSend(g *cli.Globals) *cobra.Command {
	f := &sendFlags{deliveryFlags: deliveryFlags{Globals: g}}
	c := &cobra.Command{
		Use:   "send [FILE|DIR|-]... --checkpoint FILE --to [NAME=]URL [--to [NAME=]URL]...",
		Short: "Send messages after saving a checkpoint, and read the answers",
		Long: `Send hands a task over through a transport (EAAPL-MAG006, sections 6.3, 7.1 and 11). It
writes the checkpoint (the sender's state) and the message into the outbox in one
transaction, then the record DISPATCHED into the audit log; then it publishes the
message. After a crash, the next send or outbox flush continues. The agent state for
handoff build can be the checkpoint.

A message is not sent twice: sending it again continues the delivery, or reports that it
was sent or accepted; another address is an error. After a rejection, the same
handoffId, corrected or not, is the next attempt.

With --wait, send waits for the answers and prints them, as accept -f json does.
Otherwise answers wait on the transport for status, rollback, acks or outbox flush.

Several --to send a complete copy to each receiver in receiverList (section 14.2), in
order or by name; handoff build with several --to creates such a list.

With --stream, the input is chunks, from handoff stream split or an agent, and each is
checked and sent at once, for receive --stream-chunks (section 14.1). If the input ends
before the last chunk, the stream stays open (docs/streaming.md).

` + strings.Join(term.Wrap("Addresses: "+addressForms()+".", 88, 4), "\n") + `

Exit code 0: all are delivered, as confirmed by the transports (with --wait, accepted);
1: at least one was rejected; 2: at least one was not delivered (with --wait, not
answered).`,
		Example: `  handoff send message.json --checkpoint state.json --to dir:inbox
  handoff send message.json --checkpoint state.json --to dir:inbox --wait 5s
  producer | handoff send --stream --checkpoint state.json --to dir:inbox`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.to, "to", nil, "address of a receiver, as `[NAME=]URL`; may be repeated, once for each receiver in receiverList")
	flags.StringVar(&f.checkpoint, "checkpoint", "", "`FILE` of the sender's state, to restore if the handoff fails")
	flags.DurationVar(&f.wait, "wait", 0, "maximum time to wait for the answers, which are then printed")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "suppress the errors of rejected messages, and the summary")
	flags.BoolVar(&f.stream, "stream", false, "read chunks of messages, and send each immediately")
	f.deliveryFlags.register(c)
	f.registerRetries(c)
	f.registerClaimCheck(c)
	f.posting.register(c)
	f.registerTrust(c)
	f.news.register(c)
	for _, name := range []string{"to", "checkpoint"} {
		_ = c.MarkFlagRequired(name) // the flag exists
	}
	cli.OnlyForCall(c, "to", "checkpoint")
	return c
}

// addressForms lists the forms of transports' addresses.
func addressForms() string {
	var list []string
	for _, row := range transports() {
		for _, scheme := range row.schemes {
			list = append(list, scheme+":…")
		}
	}
	return strings.Join(list, ", ")
}

// parse parses the addresses. It returns an error for an address that can never work, before anything is
// stored.
func (f *sendFlags) parse(ctx context.Context) error {
	if f.wait < 0 {
		return fmt.Errorf("--wait %s: use a duration of 0 or more, such as 5s", f.wait)
	}
	for _, text := range f.to {
		var to deliver.Address
		to.Destination = text
		// A receiver's name has no colon, and every URL has one before its first "=".
		if name, address, ok := strings.Cut(text, "="); ok && !strings.Contains(name, ":") {
			to.Receiver, to.Destination = name, address
		}
		row, u, err := transportOf(to.Destination)
		if err == nil {
			err = row.usable(ctx, f.Globals, u)
		}
		if err == nil && u.Opaque != "" {
			to.Destination, err = anywhere(u)
		}
		if err != nil {
			return fmt.Errorf("--to: %w", err)
		}
		if len(f.addresses) > 0 && (f.addresses[0].Receiver == "") != (to.Receiver == "") {
			return errors.New("--to: name the receiver of every address, as NAME=URL, or of none")
		}
		f.addresses = append(f.addresses, to)
	}
	return nil
}

// addressed returns the addresses for the copies of a message.
func (f *sendFlags) addressed(o *deliver.Outgoing) ([]deliver.Address, error) {
	if f.addresses[0].Receiver != "" {
		for i, to := range f.addresses {
			if !slices.Contains(o.Receivers, to.Receiver) {
				return nil, fmt.Errorf("--to %s=…: the message is for %s", to.Receiver, strings.Join(o.Receivers, ", "))
			}
			if slices.ContainsFunc(f.addresses[:i], func(a deliver.Address) bool { return a.Receiver == to.Receiver }) {
				return nil, fmt.Errorf("--to %s=… is given twice: a receiver has one address", to.Receiver)
			}
		}
		return f.addresses, nil
	}
	if n := len(f.addresses); n != len(o.Receivers) {
		if !o.Listed {
			return nil, fmt.Errorf("the message has no receiverList, and %d addresses are given: handoff build --add-receiver NAME, once for each receiver, lists them", n)
		}
		return nil, fmt.Errorf("receiverList has %d receivers (%s), and %d addresses are given: give one --to for each, or name them, as NAME=URL",
			len(o.Receivers), strings.Join(o.Receivers, ", "), n)
	}
	list := slices.Clone(f.addresses)
	for i := range list {
		list[i].Receiver = o.Receivers[i]
	}
	return list, nil
}

func (f *sendFlags) run(c *cobra.Command, args []string) error {
	if err := f.parse(c.Context()); err != nil {
		return err
	}
	if f.stream {
		if err := f.checkStream(); err != nil {
			return err
		}
	}
	if err := input.OneStdin(args, append(slices.Clone(f.news.keys.Files), f.checkpoint, f.posting.tokenFile, f.posting.ca)...); err != nil {
		return err
	}
	checkpoint, err := f.ReadAsIs(f.checkpoint, c.InOrStdin(), f.Limits)
	if err != nil {
		return fmt.Errorf("--checkpoint: %w", err)
	}
	if len(checkpoint) == 0 {
		return fmt.Errorf("--checkpoint: %s is empty: the sender could not be restored from it", input.ShownName(f.checkpoint))
	}
	return f.with(c, true, func(store *deliver.Store, sender *deliver.Sender) error {
		return f.send(c, store, sender, args, checkpoint)
	})
}

// anywhere returns the address of a file or folder with an absolute path: the outbox may be flushed from
// another working directory.
func anywhere(u *url.URL) (string, error) {
	path, err := url.PathUnescape(u.Opaque)
	if err != nil {
		return "", fmt.Errorf("%s:%s: %w: a percent sign of a name is written %%25", u.Scheme, u.Opaque, err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	is := *u
	is.Opaque, is.Path, is.OmitHost = "", filepath.ToSlash(path), true
	return is.String(), nil
}

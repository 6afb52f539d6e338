package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/intake"
	"github.com/eaapl/handoff/relay/metrics"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// receiveFlags are the flags of receive.
type receiveFlags struct {
	receptionFlags
	format  string
	stream  bool
	intake  intake.Options
	serving servingFlags
	lease   time.Duration
	chunks  receiveStreamFlags
	// stopped is set when a signal has arrived.
	stopped atomic.Bool
	running atomic.Pointer[intake.Intake]
}

func newReceive(g *cli.Globals) *cobra.Command {
	f := &receiveFlags{receptionFlags: receptionFlags{Globals: g}}
	c := &cobra.Command{
		Use:   "receive URL [flags] [-- AGENT ARGS...]",
		Short: "Receive and accept messages from a queue, and run agents",
		Long: `Receive takes messages from a transport and processes each like accept: every layer of
validate, then the record in the audit log, then the message. It then answers the
sender, and finally acknowledges the message to the transport. If a receiver dies after
it accepted a message but before it handed the message over, the next delivery, or
another receiver of the same place, hands it over.

Without an agent, accepted messages go to standard output, one per line. Otherwise the
program after -- runs once per message, which it reads from standard input, up to
--concurrency at once; with --stream, one agent reads all messages, one per line. If an
agent fails within --fail-within, or the receiver dies while it runs (without --rerun),
the task returns to the sender.

With --stream-chunks, messages may arrive in chunks (handoff send --stream). An agent
starts with the first chunk and reads one chunk per line; it gets the last one only
after the complete message is valid and accepted. If the message never is, or if another
message needs its place, the agent is killed. With --begin-with last, it reads the
complete message. An incomplete stream is rejected after --stream-timeout
(docs/streaming.md).

The first signal (SIGTERM, SIGINT) stops taking: accepted messages are finished, all
others given back. Further signals go to the agents (docs/receiving.md).

Exit code 0: stopped by a signal, or all accepted; 1: with --max or --idle-timeout, at
least one rejected; 2: an error.`,
		Example: `  handoff receive dir:queue | agent
  handoff receive dir:queue --concurrency 4 -- agent --once
  handoff receive dir:queue --max 1 --idle-timeout 30s
  handoff receive http://127.0.0.1:8080/handoffs -- agent --once`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.register(c)
	flags := c.Flags()
	cli.RegisterFormat(c, &f.format, "output: messages (the accepted ones), or with an agent json (the answers to all messages)", []string{acceptMessages, acceptAnswers})
	flags.BoolVar(&f.stream, "stream", false, "run one agent for all messages, which reads them one per line")
	flags.IntVar(&f.intake.Concurrency, "concurrency", 1, "maximum number of concurrent agents")
	flags.IntVar(&f.intake.MaxMessages, "max", 0, "number of messages after which to stop; 0 for no limit")
	flags.DurationVar(&f.intake.IdleTimeout, "idle-timeout", 0, "time without messages after which to stop; 0 for no limit")
	flags.BoolVar(&f.options.Rerun, "rerun", false, "hand over a message again if its receiver died while the agent ran; without this flag, the task returns to the sender")
	flags.DurationVar(&f.failWithin, "fail-within", 30*time.Second, "period in which the failure of an agent rejects its message, so that the task returns to the sender")
	flags.DurationVar(&f.lease, "lease", transport.DefaultLease, "time that a message stays with a dead receiver, if the transport cannot detect the death")
	f.chunks.register(c)
	f.serving.register(c)
	return c
}

// split returns the address of the place, and the agent after "--".
func (f *receiveFlags) split(c *cobra.Command, args []string) (row transportRow, u *url.URL, agent []string, err error) {
	if dash := c.ArgsLenAtDash(); dash >= 0 {
		args, agent = args[:dash], args[dash:]
		if len(agent) == 0 {
			return row, nil, nil, errors.New("name the agent after --, as in: handoff receive dir:queue -- agent")
		}
	}
	switch {
	case len(args) != 1:
		return row, nil, nil, fmt.Errorf("%d addresses are given: name one, such as dir:queue", len(args))
	case agent == nil && f.stream:
		return row, nil, nil, errors.New("--stream: name the agent after --, as in: handoff receive dir:queue --stream -- agent")
	case agent == nil && f.format == acceptAnswers:
		return row, nil, nil, errors.New("-f json: name an agent after --: without one, the messages would be lost")
	case f.intake.Concurrency < 1:
		return row, nil, nil, fmt.Errorf("--concurrency %d: use 1 or more", f.intake.Concurrency)
	case f.intake.Concurrency > 1 && (agent == nil || f.stream):
		return row, nil, nil, errors.New("--concurrency is for agents that run once for each message: name one after --, without --stream")
	case f.intake.MaxMessages < 0:
		return row, nil, nil, fmt.Errorf("--max %d: use 1 or more, or 0 for no limit", f.intake.MaxMessages)
	case f.lease < time.Second:
		return row, nil, nil, fmt.Errorf("--lease %s: use 1s or more", f.lease)
	case f.intake.IdleTimeout < 0 || f.failWithin < 0:
		return row, nil, nil, errors.New("--idle-timeout and --fail-within: use a duration above 0, such as 30s")
	}
	if err := f.chunks.check(args[0], f.early(agent), c.Flags().Changed("begin-with")); err != nil {
		return row, nil, nil, err
	}
	if err := f.check(); err != nil {
		return row, nil, nil, err
	}
	if agent != nil {
		if err := child.FindAgent(agent[0]); err != nil {
			return row, nil, nil, err
		}
	}
	if row, u, err = transportOf(args[0]); err != nil {
		return row, nil, nil, err
	}
	if err := f.serving.check(row); err != nil {
		return row, nil, nil, err
	}
	return row, u, agent, input.OneStdin(nil, append(f.files(), f.serving.tokenFile)...)
}

func (f *receiveFlags) run(c *cobra.Command, args []string) error {
	row, u, agent, err := f.split(c, args)
	if err != nil {
		return err
	}
	if err := f.checkReplies(); err != nil {
		return err
	}
	if f.options.Place, err = placeName(u); err != nil {
		return err
	}
	if f.serving.token, err = loadToken(f.Globals, c, f.serving.tokenFile, secrets.MinBytes); err != nil {
		return err
	}
	var letters receiver.Letters
	counted := metrics.NewReceiver(metrics.Options{
		Transport: row.name, Version: report.ReadVersion().Version, InFlight: f.inFlight,
		DeadLetters: func(ctx context.Context) (int, error) {
			waiting, err := letters.List(ctx)
			return len(waiting), err
		},
	})
	f.measured = counted.Store
	return f.withReceiver(c, true, func(r *receiver.Receiver) (err error) {
		f.alerts.Failed = func(err error) { term.PrintError(c.ErrOrStderr(), err) }
		alerts, err := f.startAlerts(c)
		if err != nil {
			return err
		}
		defer func() { err = alerts.Close(err) }()
		out, err := openAccepted(f.Globals, c, agent, f.format)
		if err != nil {
			return err
		}
		said := newReceiveReport(f, c, out, u, r)
		o := f.intake
		o.Patience, o.Transport, o.Alert = intake.DefaultPatience, row.name, alerts.Send
		o.Observer = intake.Observers{said, counted}
		o.Show = func(raw []byte) ([]byte, error) { return f.show(jsonstream.NewRaw(raw)) }
		to := transport.Options{MaxBytes: f.Limits.MaxBytes, Lease: f.lease, Withhold: r.Withholds()}
		if agent != nil && !f.stream {
			to.Prefetch = o.Concurrency
		}
		f.chunks.set(&f.receptionFlags, &o, &to, f.early(agent))
		letters = r.Letters()
		place := servedPlace{row: row.startedBy(f.Globals, c), url: u, options: to, receiver: r, report: said, metrics: counted}
		if o.Open, err = f.serving.open(place); err != nil {
			return err
		}
		stop, err := f.serving.serveMetrics(c.Context(), place)
		if err != nil {
			return err
		}
		defer stop()
		said.begin()
		err = f.receive(c, r, o, out, agent)
		err = said.end(err)
		err = out.Close(err)
		return cli.Answer(err, 0, !f.stopped.Load() && said.rejected())
	})
}

// early reports whether an agent can begin early: its process can be ended, and it gets the message
// unchanged.
func (f *receiveFlags) early(agent []string) bool {
	return agent != nil && !f.stream && f.render == ""
}

// inFlight returns the number of messages in flight.
func (f *receiveFlags) inFlight() int {
	if i := f.running.Load(); i != nil {
		return i.InFlight()
	}
	return 0
}

// placeName returns a name for the place of the messages, without its secrets.
func placeName(u *url.URL) (string, error) {
	place := *u
	place.User = nil
	if q := u.Query(); q.Has("password") {
		q.Del("password")
		place.RawQuery = q.Encode()
	}
	if u.Opaque != "" { // a file path
		path, err := filepath.Abs(u.Opaque)
		if err != nil {
			return "", err
		}
		place.Opaque, place.Path = "", path
	}
	digest := sha256.Sum256([]byte(place.String()))
	return hex.EncodeToString(digest[:8]), nil
}

package cmd

import (
	"context"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
	auditcmd "github.com/eaapl/handoff/relay/cmd/audit"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/viewer/live"
	"github.com/eaapl/handoff/relay/viewer/records"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	receptionFlags
	listening   listeningFlags
	chains      cli.ChainFlags
	readOnly    bool
	showSecrets bool
}

func newServe(g *cli.Globals) *cobra.Command {
	f := &serveFlags{receptionFlags: receptionFlags{Globals: g, appeal: true}}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Show the audit log in a browser, and decide about dead letters",
		Long: `Serve shows the current content of the audit log in a browser: the tasks, with a search,
the report of each, the metrics of "audit stats", and the messages that wait for a
person. It listens only on 127.0.0.1, unless --listen is set, and runs until a signal
stops it.

It prints its address on standard error, with a new token: a browser that opens the
address gets a cookie; a script sends "Authorization: Bearer" and the token. With
--token-file or HANDOFF_TOKEN, the token is yours, and is not printed. /metrics serves
Prometheus metrics. On the local machine, the host is a unique name below localhost, so
that the cookie reaches no other port. A program that cannot resolve such names can use
the address of --listen.

The log is read-only, except for decisions about dead letters: release and discard, with
the name and the reason of the person. Release checks the message again, so set the
schemas, keys and rules of its receiver; the message then waits, as after the death of
its receiver, until a receiver starts or "accept --resume" hands it over. --read-only
disables decisions.`,
		Example: `  handoff serve
  handoff serve --audit-log postgres://audit@db/handoff --listen 127.0.0.1:9000 --read-only
  handoff serve --listen 10.1.2.3:8320 --tls-cert cert.pem --tls-key key.pem --token-file token`,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args:              cobra.NoArgs,
		RunE:              func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.log.Register(g, c)
	f.log.RegisterArchive(c)
	flags := c.Flags()
	f.listening.register(c, defaultListen, "`HOST:PORT` to serve at; port 0 for any free port")
	flags.BoolVar(&f.readOnly, "read-only", false, "disable decisions about dead letters")
	flags.BoolVar(&f.showSecrets, "show-secrets", false, "show credentials in messages in plain text")
	cli.OnlyForCall(c, "show-secrets")
	f.checks.register(c)
	f.chains.Register(c)
	f.personal.Register(g, c)
	return c
}

// defaultListen is the default address for pages.
const defaultListen = "127.0.0.1:8320"

func (f *serveFlags) run(c *cobra.Command) (err error) {
	if err := input.OneStdin(nil, append(f.files(), f.listening.tokenFile)...); err != nil {
		return err
	}
	chains, err := f.chains.Options(nil, false)
	if err != nil {
		return err
	}
	listener, err := f.listening.listen(f.Globals, c)
	if err != nil {
		return err
	}
	defer listener.Close() // already closed after serving
	log, err := f.log.Open(c.Context(), false)
	if err != nil {
		return err
	}
	defer func() { err = cli.Closed(err, log.Store().Close()) }()
	o := live.Options{
		Store: log.Store(), Secrets: f.showSecrets, HandOver: f.handOver, Guard: listener.guard, Version: report.BuildVersion(),
		Records: func(r audit.Reader) records.Options {
			return auditcmd.PageOptions(f.Globals, r, chains, f.showSecrets)
		},
		Log: func(line string) { printLine(c, line) },
	}
	finish, err := f.decisions(c, log, &o)
	if err != nil {
		return err
	}
	defer func() { err = finish(err) }()
	at := "listening at " + listener.page("/")
	if listener.token == "" {
		at += ", to be opened in a browser with ?token= and the token"
	} else {
		at += "?token=" + listener.token
	}
	return listener.serve(f.Globals, c, live.New(o), at)
}

// decisions adds the options for reading dead letters and deciding about them. The caller calls finish with
// the error of the run.
func (f *serveFlags) decisions(c *cobra.Command, log *audit.Log, o *live.Options) (finish func(error) error, err error) {
	if f.readOnly {
		sealer := f.personal.Keys.Sealer(log)
		o.Restored = restored(sealer)
		o.Letters = receiver.NewLetters(log, sealer)
		return func(err error) error { return cli.Closed(err, sealer.Close()) }, nil
	}
	validator, scanner, err := f.checks.validator(f.Globals, c, true)
	if err != nil {
		return nil, err
	}
	sealer, err := f.personal.Sealer(f.Globals, c, log)
	if err != nil {
		return nil, scanner.Close(err)
	}
	f.options.Limits, f.options.Personal, f.options.As = f.Limits, sealer, f.checks.as
	o.Restored = restored(sealer)
	o.Letters = receiver.NewLetters(log, sealer)
	o.Release = func(ctx context.Context, name string, d receiver.Decision) (audit.Stored, error) {
		// A receiver announces itself to other processes, so it is created only when needed.
		r, err := receiver.New(ctx, validator, log, f.options)
		if err != nil {
			return audit.Stored{}, err
		}
		return r.ReleaseToResume(ctx, name, d)
	}
	return func(err error) error { return scanner.Close(cli.Closed(err, sealer.Close())) }, nil
}

func restored(sealer *personal.Sealer) func(context.Context, audit.Reader) audit.Reader {
	return func(ctx context.Context, r audit.Reader) audit.Reader {
		return personal.NewReader(ctx, r, sealer, false)
	}
}

// handOver returns the command that hands over a released message.
func (f *serveFlags) handOver(audit.Stored) string {
	line := "handoff accept --resume"
	if f.log.Address != "" {
		line += " --audit-log " + cli.ShellWord(term.Visible(withoutPassword(f.log.Address)))
	}
	return line
}

// withoutPassword returns the address of a database without its password, if any.
func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	q := u.Query()
	q.Del("password")
	u.RawQuery = q.Encode()
	return u.String()
}

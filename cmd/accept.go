package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/pkg/child"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/receiver"
	"github.com/eaapl/handoff/pkg/render"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/validate"
)

// acceptFlags are the flags of accept.
type acceptFlags struct {
	*cli.Globals
	checks   acceptChecks
	log      cli.AuditLogFlag
	alerts   cli.AlertFlags
	personal cli.PersonalFlags
	options  receiver.Options
	appeal   bool // a dead letter is looked at again: for all that is wrong, in a log that is there

	format     string
	replies    string
	render     string // target, "" for the message itself
	quiet      bool
	resume     bool
	exec       bool
	failWithin time.Duration
}

func newAccept(g *cli.Globals) *cobra.Command {
	f := &acceptFlags{Globals: g}
	c := &cobra.Command{
		Use:   "accept [FILE|DIR|-]... [flags] [-- AGENT ARGS...]",
		Short: "Accept messages as their receiver, and record it",
		Long: `Accept is the receiver of EAAPL-MAG006 (sections 6.1 to 6.3, 7.2 and 11): every layer
of validate, then the record in the audit log, then the message. Accepted messages go to
standard output as they came, one a line, in the order of the input, and none before its
record is durable; if the record cannot be written, nothing passes.

A message that was accepted before is a duplicate, and not printed again, whatever the
number of processes that get it. One that was accepted by a process that died before it
had handed the message over is handed over by the next attempt that brings it, or by
--resume. So a message may come twice after a crash: agents use its handoffId as their
idempotency key (docs/accepting.md).

With --personal-data, what a policy names is kept apart in the audit log, encrypted, so
that it can be erased (docs/audit.md); what is printed is the message as it came.

With --exec the program after -- runs once for every message, which it reads from its
standard input.

Exit code 0: all accepted, or duplicates; 1: at least one was rejected; 2: trouble.`,
		Example: `  consumer | handoff accept | agent
  handoff accept -f json --audit-log team.db queue/
  handoff accept --resume
  handoff accept --exec message.json -- agent --once`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	f.checks.register(c)
	f.log.Register(c)
	f.alerts.Register(c)
	f.personal.Register(c)
	cli.RegisterFormat(c, &f.format, "what to print: messages (those accepted), or json (the answers to all)", []string{acceptMessages, acceptAnswers})
	flags.StringVar(&f.replies, "replies", "", "also append the answers, as JSON Lines, to `FILE`")
	flags.StringVar(&f.render, "render", "", "print what the receiving model is to see of a message, `FOR` text, openai, anthropic or gemini, in place of it")
	flags.Lookup("render").NoOptDefVal = string(render.Text)
	cli.Complete(c, "render", cli.Names(render.Targets())...)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no errors of rejected messages, and no summary")
	flags.BoolVar(&f.resume, "resume", false, "first hand over what was accepted by processes that died; without FILE that is all")
	flags.BoolVar(&f.options.AtMostOnce, "at-most-once", false, "never hand over again what another process had accepted: it may be lost then")
	flags.IntVar(&f.options.EscalateAfter, "escalate-after", receiver.DefaultEscalateAfter, "the failed attempt at which a person is called")
	flags.BoolVar(&f.exec, "exec", false, "run the program after -- for every message")
	flags.DurationVar(&f.failWithin, "fail-within", 30*time.Second, "with --exec: an agent that fails so soon rejects the message, and the task is the sender's again")
	return c
}

// What accept prints.
const (
	acceptMessages = "messages"
	acceptAnswers  = "json"
)

// split separates the arguments from the agent after "--".
func (f *acceptFlags) split(c *cobra.Command, args []string) (files, agent []string, err error) {
	files = args
	if dash := c.ArgsLenAtDash(); dash >= 0 {
		files, agent = args[:dash], args[dash:]
	}
	targets := cli.Names(render.Targets())
	switch {
	case f.exec && len(agent) == 0:
		return nil, nil, errors.New("--exec: name the agent after --, as in: handoff accept --exec message.json -- agent")
	case !f.exec && len(agent) > 0:
		return nil, nil, fmt.Errorf("%q after --: add --exec to run it", agent[0])
	case f.render != "" && !slices.Contains(targets, f.render):
		return nil, nil, fmt.Errorf("--render=%s: use one of %s", f.render, strings.Join(targets, ", "))
	case f.render != "" && len(files) > 0 && slices.Contains(targets, files[0]):
		return nil, nil, fmt.Errorf("--render %[1]s: write --render=%[1]s, or ./%[1]s for a file of this name", files[0])
	case f.resume && f.options.AtMostOnce:
		return nil, nil, errors.New("--resume hands over again what another process had accepted, and --at-most-once never does: use one of them")
	case f.options.EscalateAfter < 1:
		return nil, nil, fmt.Errorf("--escalate-after %d: use 1 or more", f.options.EscalateAfter)
	}
	if f.exec {
		if err := child.FindAgent(agent[0]); err != nil {
			return nil, nil, fmt.Errorf("--exec: %w", err)
		}
	}
	return files, agent, input.OneStdin(files, append(f.checks.files(), f.personal.Policy)...)
}

// acceptChecks are the flags that say which messages are accepted.
type acceptChecks struct {
	receiver cli.ReceiverFlags
	scanner  cli.ScannerFlags
	privacy  cli.PolicyFlag
	fresh    sign.Freshness
	strict   bool
	off      []string
}

func (f *acceptChecks) register(c *cobra.Command) {
	f.receiver.Register(c)
	f.scanner.Register(c)
	f.privacy.Register(c)
	registerFreshness(c, &f.fresh)
	c.Flags().BoolVar(&f.strict, "strict", false, "make warnings errors")
	c.Flags().StringSliceVar(&f.off, "off", nil, "rules whose warnings are not wanted")
}

// files returns the files that flags name, of which one may be standard input.
func (f *acceptChecks) files() []string {
	return append(f.receiver.Keys.Files, f.receiver.Profile, f.scanner.Rules)
}

// validator returns what the flags describe, and the scanner, which the caller closes.
func (f *acceptChecks) validator(g *cli.Globals, c *cobra.Command, all bool) (*validate.Validator, *cli.Scanner, error) {
	o := validate.Options{Formats: []format.Format{format.EAAPL}, Limits: g.Limits, Strict: f.strict, All: all}
	err := checkFreshness(f.fresh)
	if err != nil {
		return nil, nil, err
	}
	if o.Off, err = cli.RuleIDs("off", f.off, "warning", warningRules); err != nil {
		return nil, nil, err
	}
	if o.Receiver, err = f.receiver.Load(g, c.InOrStdin()); err != nil {
		return nil, nil, err
	}
	if o.Receiver != nil {
		o.Formats = nil
	}
	if o.Verifier, err = f.receiver.Verifier(g, c, o.Receiver); err != nil {
		return nil, nil, err
	}
	if o.Verifier == nil && f.fresh.MaxAge > 0 {
		return nil, nil, fmt.Errorf("--max-age: anybody can change a timestamp that is not signed: %w", cli.ErrNoKey)
	}
	if o.Privacy, err = f.privacy.Load(g, c); err != nil {
		return nil, nil, err
	}
	scanner, err := f.scanner.Load(g, c)
	if err != nil {
		return nil, nil, err
	}
	o.Freshness = f.fresh
	o.Scanner, o.Allow = scanner.Scanner, scanner.Allow
	return validate.New(o), scanner, nil
}

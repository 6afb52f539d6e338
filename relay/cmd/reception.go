package cmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/render"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
	"github.com/eaapl/handoff/relay/internal/relayflags"
	"github.com/eaapl/handoff/relay/receiver"
)

// receptionFlags are the flags of a receiver, for any source of messages.
type receptionFlags struct {
	*cli.Globals
	checks   receptionChecks
	log      relayflags.AuditLogFlag
	alerts   relayflags.AlertFlags
	personal relayflags.PersonalFlags
	options  receiver.Options
	appeal   bool // a dead letter is examined again: for all errors, in an existing log

	replies    string
	render     string // target, "" for the message itself
	keepLayout bool
	quiet      bool
	failWithin time.Duration
	answerKey  string // file, "" for none
	// measured returns a replacement for the audit log's store; nil to use the store itself.
	measured func(audit.Store) audit.Store
}

func (f *receptionFlags) register(c *cobra.Command) {
	f.checks.register(c)
	f.log.Register(f.Globals, c)
	f.alerts.Register(c)
	f.personal.Register(f.Globals, c)
	flags := c.Flags()
	flags.StringVar(&f.replies, "replies", "", "also append the answers to `FILE`, as JSON Lines")
	flags.StringVar(&f.render, "render", "", "print messages as input for a model, in the form `FOR`: text, openai, anthropic or gemini")
	cli.RegisterKeepLayout(c, &f.keepLayout)
	flags.Lookup("render").NoOptDefVal = string(render.Text)
	flags.StringVar(&f.answerKey, "answer-key-file", "", "`FILE` with the private key, or the secret, to sign answers with")
	flags.Int64Var(&f.options.RejectedPerDay, "rejected-per-day", receiver.DefaultRejectedPerDay, "maximum bytes per day in the audit log for rejected or repeated messages, per signing key and for all unsigned ones together; -1 for no limit")
	cli.Complete(c, "render", cli.Names(render.Targets())...)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "suppress the errors of rejected messages, and the summary")
	flags.BoolVar(&f.options.AtMostOnce, "at-most-once", false, "never hand over a message again that another process accepted: it can be lost")
	flags.IntVar(&f.options.EscalateAfter, "escalate-after", receiver.DefaultEscalateAfter, "number of failed attempts after which a person is alerted")
}

// check returns an error if a flag has an invalid value.
func (f *receptionFlags) check() error {
	targets := cli.Names(render.Targets())
	switch {
	case f.render != "" && !slices.Contains(targets, f.render):
		return fmt.Errorf("--render=%s: use one of %s", f.render, strings.Join(targets, ", "))
	case f.options.Rerun && f.options.AtMostOnce:
		return errors.New("--rerun hands over messages again that another process accepted, and --at-most-once never does: use one of them")
	case f.options.RejectedPerDay < -1 || f.options.RejectedPerDay == 0:
		return fmt.Errorf("--rejected-per-day %d: use 1 or more, or -1 for no limit", f.options.RejectedPerDay)
	case f.options.EscalateAfter < 1:
		return fmt.Errorf("--escalate-after %d: use 1 or more", f.options.EscalateAfter)
	}
	return nil
}

// files returns the files that flags name; one of them may be standard input.
func (f *receptionFlags) files() []string {
	return append(f.checks.files(), f.personal.Policy, f.answerKey)
}

// checkReplies returns an error if answers could not be appended to their file. It is called before the first
// message is accepted.
func (f *receptionFlags) checkReplies() error {
	if f.replies == "" {
		return nil
	}
	if err := f.ClaimAppended("--replies", f.replies); err != nil {
		return err
	}
	if err := output.CheckAppending(f.replies); err != nil {
		return fmt.Errorf("--replies %w", err)
	}
	return nil
}

// appendReplies appends answers to their file, if there is one.
func (f *receptionFlags) appendReplies(replies []byte) error {
	if f.replies == "" || len(replies) == 0 {
		return nil
	}
	return f.AppendLocked(f.replies, replies)
}

// startAlerts returns the sender of alerts. The caller closes it.
func (f *receptionFlags) startAlerts(c *cobra.Command) (*relayflags.Alerts, error) {
	return f.alerts.Start(f.Globals, c, f.checks.scanner.Child, &f.checks.receiver.Keys)
}

// withReceiver calls use with the receiver of the flags, and closes its resources. incoming reports that
// messages may come that are not in the audit log.
func (f *receptionFlags) withReceiver(c *cobra.Command, incoming bool, use func(*receiver.Receiver) error) (err error) {
	validator, scanner, err := f.checks.validator(f.Globals, c, f.appeal)
	if err != nil {
		return err
	}
	defer func() { err = scanner.Close(err) }()
	log, err := f.log.Open(c.Context(), !f.appeal)
	if err != nil {
		return err
	}
	defer func() { err = cli.Closed(err, log.Store().Close()) }()
	if incoming {
		if err := f.personal.CheckNamed(c.Context(), log); err != nil {
			return err
		}
	}
	sealer, err := f.personal.Sealer(f.Globals, c, log)
	if err != nil {
		return err
	}
	defer func() { err = cli.Closed(err, sealer.Close()) }()
	f.options.Limits, f.options.Personal, f.options.As = f.Limits, sealer, f.checks.as
	if s, ok := log.Store().(interface{ Stay(context.Context) }); ok {
		ctx, cancel := context.WithCancel(c.Context())
		var staying sync.WaitGroup
		staying.Go(func() { s.Stay(ctx) })
		defer staying.Wait()
		defer cancel()
	}
	if f.measured != nil {
		log = audit.NewLog(f.measured(log.Store()), nil)
	}
	if f.options.AnswerKey, err = cli.LoadSigner(f.Globals, c, "--answer-key-file", f.answerKey); err != nil {
		return err
	}
	r, err := receiver.New(c.Context(), validator, log, f.options)
	if err != nil {
		return err
	}
	err = use(r)
	return cli.Closed(err, r.Close(context.WithoutCancel(c.Context())))
}

// show returns the form of a message that its receiver gets: one line, its bytes, or the output of --render.
func (f *receptionFlags) show(raw jsonstream.Raw) ([]byte, error) {
	switch {
	case f.render == "" && f.keepLayout:
		return raw.Bytes, nil
	case f.render == "":
		return jsonstream.Line(raw.Bytes), nil
	}
	doc, err := jsonstream.Parse(raw, f.Limits)
	if err != nil {
		return nil, err
	}
	r := render.Renderer{For: render.Target(f.render), From: format.EAAPL, Limits: f.Limits}
	text, err := r.Append(nil, doc)
	if err != nil && f.options.Personal.TakesApart() { // errors quote the message
		err = errors.New("the message cannot be rendered; " + personal.Withheld)
	}
	return text, err
}

// answerCounts counts answers by status.
type answerCounts struct {
	statuses map[receiver.Status]int
	reasons  map[finding.Reason]int
	unread   int // sources that could not be read
}

func newAnswerCounts() answerCounts {
	return answerCounts{statuses: map[receiver.Status]int{}, reasons: map[finding.Reason]int{}}
}

func (t *answerCounts) add(a receiver.Answer) {
	t.statuses[a.Status]++
	if a.Status == receiver.Rejected {
		t.reasons[a.Reason]++
	}
}

// summary returns a summary of the run.
func (t *answerCounts) summary() string {
	total := 0
	for _, n := range t.statuses {
		total += n
	}
	text := fmt.Sprintf("%s: %d accepted, %d rejected", term.Counted(total, "message"), t.statuses[receiver.Accepted], t.statuses[receiver.Rejected])
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(t.reasons)) {
		reasons = append(reasons, fmt.Sprintf("%d %s", t.reasons[reason], reason))
	}
	if len(reasons) > 0 {
		text += " (" + strings.Join(reasons, ", ") + ")"
	}
	if n := t.statuses[receiver.Duplicate]; n > 0 {
		text += ", " + term.Counted(n, "duplicate")
	}
	if t.unread > 0 {
		text += "; " + term.Counted(t.unread, "source") + " could not be read"
	}
	return text
}

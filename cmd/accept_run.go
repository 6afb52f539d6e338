package cmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/receiver"
	"github.com/eaapl/handoff/pkg/render"
)

// An acceptance is one run of accept.
type acceptance struct {
	*acceptFlags
	ctx       context.Context
	receiver  *receiver.Receiver
	handovers *handovers
	alerts    *cli.Alerts
	out       *output.File
	agent     []string // the program to run with its arguments, nil for none
	progress  *term.Progress
	command   *cobra.Command

	waiting  []examined // in the order of the input
	bytes    int        // of those
	statuses map[receiver.Status]int
	reasons  map[finding.Reason]int
	unread   int
	// signalled is a [*cli.SignalError] if a signal came while an agent ran: then nothing more
	// is handed over.
	signalled error
}

// examined is a message that waits to be recorded, or why it could not be looked at.
type examined struct {
	*receiver.Delivery
	shown  []byte // what its receiver gets
	origin input.Origin
	err    error
}

// What is recorded together: so many messages, or bytes of them, and never more than are
// there when nothing else can be read without waiting.
const (
	groupMessages = 512
	groupBytes    = 4 << 20
)

func (f *acceptFlags) run(c *cobra.Command, args []string) (err error) {
	files, agent, err := f.split(c, args)
	if err != nil {
		return err
	}
	if f.replies != "" {
		if err := f.ClaimAppended("--replies", f.replies); err != nil {
			return err
		}
		if err := output.CheckAppending(f.replies); err != nil { // before a message passes
			return fmt.Errorf("--replies %w", err)
		}
	}
	return f.withReceiver(c, len(files) > 0 || !f.resume, func(r *receiver.Receiver) error { return f.accept(c, r, files, agent) })
}

// withReceiver calls use with the receiver that the flags describe, and closes what it needs.
// incoming says that messages may come which the audit log does not have.
func (f *acceptFlags) withReceiver(c *cobra.Command, incoming bool, use func(*receiver.Receiver) error) (err error) {
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
	f.options.Limits, f.options.Personal = f.Limits, sealer
	r, err := receiver.New(c.Context(), validator, log, f.options)
	if err != nil {
		return err
	}
	return use(r)
}

// accept accepts what was left, if that is asked for, and what the files bring.
func (f *acceptFlags) accept(c *cobra.Command, r *receiver.Receiver, files, agent []string) (err error) {
	keys, err := f.checks.receiver.Keys.Load(f.Globals, c)
	if err != nil {
		return err
	}
	alerts, err := f.alerts.Start(f.Globals, c, f.checks.scanner.Child, keys)
	if err != nil {
		return err
	}
	defer func() { err = alerts.Close(err) }()
	out, err := f.OpenData("", c.OutOrStdout())
	if err != nil {
		return err
	}
	a := &acceptance{
		acceptFlags: f, ctx: c.Context(), receiver: r, handovers: newHandovers(c.Context(), r), alerts: alerts, out: out, agent: agent, command: c,
		progress: f.NewProgress(c.ErrOrStderr(), !term.IsTerminal(c.OutOrStdout())),
		statuses: map[receiver.Status]int{}, reasons: map[finding.Reason]int{},
	}
	err = a.acceptAll(files)
	err = errors.Join(err, a.handovers.close())
	err = out.Close(err)
	if err == nil && !f.quiet {
		fmt.Fprintln(c.ErrOrStderr(), a.summary())
	}
	return cli.Answer(err, a.unread, a.statuses[receiver.Rejected] > 0)
}

// acceptAll accepts what was left, if that is asked for, and what the arguments name.
func (a *acceptance) acceptAll(files []string) error {
	if a.resume {
		err := a.receiver.Resume(a.ctx, func(left receiver.Left) error {
			shown, err := a.show(jsonstream.NewRaw(left.Raw))
			if err != nil {
				return err
			}
			return a.handOver([]receiver.Answer{left.Answer}, [][]byte{shown})
		})
		if err != nil || len(files) == 0 {
			return err
		}
	}
	list := a.Sources(files, a.command.InOrStdin(), a.command.ErrOrStderr())
	return input.Process(list, a.Limits, a.progress, a.examine, a.add, a.record)
}

// examine looks at a batch, on any core.
func (a *acceptance) examine(batch []input.Document) []examined {
	list := make([]examined, len(batch))
	for i, d := range batch {
		list[i].origin = d.Origin()
		if d.Unreadable() {
			list[i].err = d.Err
			continue
		}
		damage := (*jsonstream.SyntaxError)(nil)
		errors.As(d.Err, &damage)
		list[i].Delivery, list[i].err = a.receiver.Examine(a.ctx, d.Raw, damage)
		if list[i].err == nil && list[i].Result.Valid {
			list[i].shown, list[i].err = a.show(d.Raw)
		}
	}
	return list
}

// show returns what the receiver of a message gets: its bytes, or what --render makes of them.
func (a *acceptance) show(raw jsonstream.Raw) ([]byte, error) {
	if a.render == "" {
		return raw.Bytes, nil
	}
	doc, err := jsonstream.Parse(raw, a.Limits)
	if err != nil {
		return nil, err
	}
	r := render.Renderer{For: render.Target(a.render), From: format.EAAPL, Limits: a.Limits}
	return r.Append(nil, doc)
}

// add takes a batch to what waits, and records that when it is enough.
func (a *acceptance) add(list []examined) error {
	for _, e := range list {
		a.progress.Message()
		if cli.ClassifierFailed(e.err) {
			return e.err
		}
		a.waiting = append(a.waiting, e)
		if e.err == nil {
			a.bytes += len(e.Raw)
		}
		if len(a.waiting) == groupMessages || a.bytes >= groupBytes {
			if err := a.record(); err != nil {
				return err
			}
		}
	}
	return nil
}

// record records what waits, lets the accepted messages pass, and prints the answers.
func (a *acceptance) record() error {
	var deliveries []*receiver.Delivery
	var shown [][]byte
	for _, e := range a.waiting {
		if e.err == nil {
			deliveries, shown = append(deliveries, e.Delivery), append(shown, e.shown)
		}
	}
	var answers []receiver.Answer
	if len(deliveries) > 0 {
		err := a.handovers.with(func(noted []receiver.Handover) (err error) {
			answers, err = a.receiver.Record(a.ctx, deliveries, noted)
			return err
		})
		if err != nil {
			return fmt.Errorf("the audit log has not taken the record, so nothing passes: %w", err)
		}
	}
	a.printFailures(answers)
	a.waiting, a.bytes = a.waiting[:0], 0
	if a.agent == nil {
		return a.handOver(answers, shown)
	}
	for i := range answers { // an agent may take long, and the answer waits for no other
		if err := a.handOver(answers[i:i+1], shown[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// printFailures prints, in the order of the input, what could not be read and what was rejected.
func (a *acceptance) printFailures(answers []receiver.Answer) {
	for _, e := range a.waiting {
		if e.err != nil {
			a.unread++
			a.progress.Fail(fmt.Errorf("%s: %w", term.Visible(e.origin.Source), e.err))
			continue
		}
		answer := answers[0]
		answers = answers[1:]
		if answer.Status == receiver.Rejected && !a.quiet {
			a.progress.Fail(fmt.Errorf("%s: rejected: %s: %s", e.origin, answer.Reason, answer.Details))
		}
	}
}

// handOver lets messages pass that were recorded, and notes that they have. After a signal
// while an agent ran, its answer is given first, and the error is a [*cli.SignalError].
func (a *acceptance) handOver(answers []receiver.Answer, shown [][]byte) error {
	var passed []receiver.Handover
	var replies []byte
	for i := range answers {
		answer := &answers[i]
		if answer.Status == receiver.Accepted {
			handover := receiver.Handover{Accepted: answer.Record, Resumed: answer.Resumed}
			switch {
			case a.agent != nil:
				ended, err := a.runAgent(handover, *answer, shown[i])
				if err != nil {
					return err
				}
				*answer = ended
			case a.format == acceptMessages:
				a.out.Write(shown[i])
				a.out.WriteByte('\n')
				passed = append(passed, handover)
			default:
				passed = append(passed, handover)
			}
		}
		a.statuses[answer.Status]++
		if answer.Status == receiver.Rejected {
			a.reasons[answer.Reason]++
		}
		if err := a.alerts.Send(answer.Alerts); err != nil {
			return err
		}
		var err error
		if replies, err = answer.AppendJSON(replies); err != nil {
			return err
		}
		replies = append(replies, '\n')
	}
	if a.format == acceptAnswers {
		a.out.Write(replies)
	}
	if err := a.out.FlushDurably(); err != nil {
		return err
	}
	a.handovers.add(passed)
	if a.replies != "" && len(replies) > 0 {
		if err := a.AppendLocked(a.replies, replies); err != nil {
			return err
		}
	}
	return a.signalled
}

// summary says how the run went.
func (a *acceptance) summary() string {
	total := 0
	for _, n := range a.statuses {
		total += n
	}
	text := fmt.Sprintf("%s: %d accepted, %d rejected", term.Counted(total, "message"), a.statuses[receiver.Accepted], a.statuses[receiver.Rejected])
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(a.reasons)) {
		reasons = append(reasons, fmt.Sprintf("%d %s", a.reasons[reason], reason))
	}
	if len(reasons) > 0 {
		text += " (" + strings.Join(reasons, ", ") + ")"
	}
	if n := a.statuses[receiver.Duplicate]; n > 0 {
		text += ", " + term.Counted(n, "duplicate")
	}
	if a.unread > 0 {
		text += "; " + term.Counted(a.unread, "source") + " could not be read"
	}
	return text
}

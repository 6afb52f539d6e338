package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/intake"
	"github.com/eaapl/handoff/relay/internal/relayflags"
	"github.com/eaapl/handoff/relay/receiver"
)

// An acceptance is one run of accept.
type acceptance struct {
	*acceptFlags
	ctx       context.Context
	receiver  *receiver.Receiver
	handovers *intake.Handovers
	alerts    *relayflags.Alerts
	out       *output.File
	agent     []string // the program and its arguments, nil for none
	progress  *term.Progress
	command   *cobra.Command

	waiting []examinedMessage // in input order
	bytes   int               // total size of these
	answerCounts
	// signalled is a [*cli.SignalError] if a signal arrived while an agent ran: then no more messages are
	// handed over.
	signalled error
}

// examinedMessage is a message waiting to be recorded, or the error of examining it.
type examinedMessage struct {
	*receiver.Delivery
	shown  []byte // the message as handed over
	origin input.Origin
	index  int // in its source
	err    error
}

func (f *acceptFlags) run(c *cobra.Command, args []string) (err error) {
	files, agent, err := f.split(c, args)
	if err != nil {
		return err
	}
	if err := f.checkReplies(); err != nil {
		return err
	}
	return f.withReceiver(c, len(files) > 0 || !f.resume, func(r *receiver.Receiver) error { return f.accept(c, r, files, agent) })
}

// accept accepts messages left by dead processes, if requested, and the messages of the files.
func (f *acceptFlags) accept(c *cobra.Command, r *receiver.Receiver, files, agent []string) (err error) {
	alerts, err := f.startAlerts(c)
	if err != nil {
		return err
	}
	defer func() { err = alerts.Close(err) }()
	out, err := openAccepted(f.Globals, c, agent, f.format)
	if err != nil {
		return err
	}
	stderr := c.ErrOrStderr()
	if agent != nil { // the agent writes there, too
		stderr = term.Unscreened(stderr)
	}
	a := &acceptance{
		acceptFlags: f, ctx: c.Context(), receiver: r, handovers: intake.NewHandovers(c.Context(), r), alerts: alerts, out: out, agent: agent, command: c,
		progress:     f.NewProgress(stderr),
		answerCounts: newAnswerCounts(),
	}
	err = a.acceptAll(files)
	err = errors.Join(err, a.handovers.Close())
	err = out.Close(err)
	if err == nil && !f.quiet {
		fmt.Fprintln(c.ErrOrStderr(), a.summary())
	}
	return cli.Answer(err, a.unread, a.statuses[receiver.Rejected] > 0)
}

// acceptAll accepts messages left by dead processes, if requested, and the messages of the arguments.
func (a *acceptance) acceptAll(files []string) error {
	if a.resume {
		err := a.receiver.Resume(a.ctx, func(left receiver.Left) error {
			if left.Answer.Status == receiver.Rejected {
				if !a.quiet {
					a.progress.Fail(fmt.Errorf("%s: rejected: %s", term.Visible(left.Answer.HandoffID), left.Answer.Why()))
				}
				return a.handOver([]receiver.Answer{left.Answer}, [][]byte{nil})
			}
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

// examine examines a batch, on all cores.
func (a *acceptance) examine(batch []input.Document) []examinedMessage {
	list := make([]examinedMessage, len(batch))
	for i, d := range batch {
		list[i].origin, list[i].index = d.Origin(), d.Index
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

// add appends a batch to the waiting messages, and records them when there are enough.
func (a *acceptance) add(list []examinedMessage) error {
	for _, e := range list {
		a.progress.Message()
		if cli.ClassifierFailed(e.err) {
			return e.err
		}
		a.waiting = append(a.waiting, e)
		if e.err == nil {
			a.bytes += len(e.Raw)
		}
		if len(a.waiting) == intake.GroupMessages || a.bytes >= intake.GroupBytes {
			if err := a.record(); err != nil {
				return err
			}
		}
	}
	return nil
}

// record records the waiting messages, hands over the accepted ones, and prints the answers.
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
		var err error
		if answers, err = a.handovers.Record(deliveries); err != nil {
			return &intake.LogError{Err: err}
		}
	}
	a.printFailures(answers)
	a.waiting, a.bytes = a.waiting[:0], 0
	if a.agent == nil {
		return a.handOver(answers, shown)
	}
	for i := range answers { // one at a time: an agent may take long
		if err := a.handOver(answers[i:i+1], shown[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// printFailures prints read errors and rejections, in input order. In JSON, read errors have records.
func (a *acceptance) printFailures(answers []receiver.Answer) {
	for _, e := range a.waiting {
		if e.err != nil {
			a.unread++
			if a.progress.Fail(fmt.Errorf("%s: %w", term.Visible(e.origin.Source), e.err)) && a.format == acceptAnswers {
				_ = report.WriteJSON(a.out, report.Unread{Source: e.origin.Source, Index: e.index, Err: e.err}) // sticky: flushing returns the error
			}
			continue
		}
		answer := answers[0]
		answers = answers[1:]
		if answer.Status == receiver.Rejected && !a.quiet {
			a.progress.Fail(fmt.Errorf("%s: rejected: %s", e.origin, answer.Why()))
		}
	}
}

// handOver hands over recorded messages, and notes that. After a signal while an agent ran, it first prints
// its answer; the error is a [*cli.SignalError].
func (a *acceptance) handOver(answers []receiver.Answer, shown [][]byte) error {
	var passed []receiver.Handover
	var replies []byte
	for i := range answers {
		answer := &answers[i]
		if answer.Status == receiver.Accepted {
			handover := receiver.Handover{Accepted: answer.Record, Resumed: answer.Resumed, Running: a.agent != nil}
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
		a.answerCounts.add(*answer)
		if err := a.alerts.Send(answer.Alerts); err != nil {
			return err
		}
		var err error
		if replies, err = a.receiver.AppendAnswer(replies, *answer); err != nil {
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
	a.handovers.Add(passed)
	if err := a.appendReplies(replies); err != nil {
		return err
	}
	return a.signalled
}

package receiver

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
)

// ExecutionFailed is the reason of a message whose agent failed at once (section 6.3).
const ExecutionFailed finding.Reason = "EXECUTION_FAILED"

// An Execution is how an agent ended that had a message.
type Execution struct {
	ExitCode int // of the agent; 128 and the number of the signal that ended it
	Duration time.Duration
	AtOnce   bool   // it failed so soon that the task is the sender's again
	Problem  string // what is known beside the exit code, "" for nothing
}

// Finished makes durable how an agent ended that had an accepted message: COMPLETED or
// EXECUTION_FAILED, if that came at once ROLLED_BACK, and if it is the failure at which a person
// is called ESCALATED. The answer is what the sender is told; that of an agent that has failed later
// is the one that it was.
//
// If the sender waits for the answer, and is to be told of this end, that stays to be done until
// [Receiver.Told]: [Receiver.Resume] has it if this process dies before.
func (r *Receiver) Finished(ctx context.Context, accepted Answer, e Execution) (Answer, error) {
	a := accepted
	err := r.log.Append(ctx, func(b *audit.Batch) error {
		before, err := endOf(b, accepted.Record)
		if err != nil {
			return err
		}
		if before != nil { // recorded by a try of which nobody knew that
			a = answerToEnd(accepted, *before, e.AtOnce)
			a.Alerts, err = follows(b, *before)
			a.Escalated = slices.ContainsFunc(a.Alerts, func(s audit.Stored) bool { return s.Event == audit.Escalated })
			return err
		}
		details := audit.Details{ExitCode: &e.ExitCode, DurationMicros: e.Duration.Microseconds(), Explanation: e.Problem}
		if err := clearRunning(b, accepted.Record, func(p audit.Pending) bool {
			return replyName(p.ReplyTo) == "" || e.ExitCode != 0 && !e.AtOnce
		}); err != nil {
			return err
		}
		if e.ExitCode == 0 {
			completed, err := b.Add(ended(accepted.Record, audit.Completed, details), nil)
			a = answerToEnd(accepted, completed, false)
			return err
		}
		a, err = r.fail(b, accepted, details, e.AtOnce)
		return err
	})
	return a, err
}

// endOf returns the record of how the agent has ended that had an accepted message, nil if there is
// none.
func endOf(b *audit.Batch, accepted audit.Stored) (*audit.Stored, error) {
	for s, err := range b.Records(audit.Filter{Handoffs: []string{accepted.HandoffID}, Events: []audit.Event{audit.Completed, audit.ExecutionFailed}, From: accepted.Sequence + 1}) {
		if err != nil {
			return nil, err
		}
		if s.Copy() == accepted.Copy() {
			return &s, nil
		}
	}
	return nil, nil
}

// answerToEnd returns what the sender of an accepted message is told when its agent has ended.
func answerToEnd(accepted Answer, end audit.Stored, atOnce bool) Answer {
	a := accepted
	switch {
	case end.Event == audit.Completed:
		a = answerTo(end, Completed)
		a.Resumed = accepted.Resumed
	case atOnce:
		a = answerTo(end, Rejected)
		a.Details, a.Retryable = end.Details.Explanation, true
	}
	return a
}

// follows returns the records that follow from the end of an agent, of which people have to hear.
func follows(b *audit.Batch, ended audit.Stored) ([]audit.Stored, error) {
	list, err := audit.List(b, audit.Filter{Handoffs: []string{ended.HandoffID}, Events: []audit.Event{audit.RolledBack, audit.Escalated}, From: ended.Sequence})
	return slices.DeleteFunc(list, func(s audit.Stored) bool { return s.Details.Concerns == nil || *s.Details.Concerns != ended.Sequence }), err
}

// Told makes durable that the sender of an accepted message knows how its agent has ended.
func (r *Receiver) Told(ctx context.Context, accepted audit.Stored) error {
	return r.log.Append(ctx, func(b *audit.Batch) error {
		return clearRunning(b, accepted, func(p audit.Pending) bool { return p.Instance == r.instance })
	})
}

// clearRunning notes that nobody waits for the agent of an accepted message any more, if a
// condition holds.
func clearRunning(b *audit.Batch, accepted audit.Stored, holds func(audit.Pending) bool) error {
	list, err := b.Pending(accepted.HandoffID)
	for _, p := range list {
		if p.Running && p.Sequence == accepted.Sequence && holds(p) {
			err = errors.Join(err, b.ClearPending([]audit.Copy{p.Copy()}))
		}
	}
	return err
}

// ended returns the record of how it ended with an accepted message.
func ended(accepted audit.Stored, event audit.Event, details audit.Details) audit.Record {
	return audit.Record{
		Event: event, HandoffID: accepted.HandoffID, TaskID: accepted.TaskID, Sender: accepted.Sender, Receiver: accepted.Receiver,
		Attempt: accepted.Attempt, Details: details,
	}
}

// fail records that an agent has failed that had an accepted message, and what follows from that.
func (r *Receiver) fail(b *audit.Batch, accepted Answer, details audit.Details, atOnce bool) (Answer, error) {
	record := ended(accepted.Record, audit.ExecutionFailed, details)
	record.Reason = ExecutionFailed
	failed, err := b.Add(record, nil)
	a := answerToEnd(accepted, failed, atOnce)
	if err != nil {
		return a, err
	}
	var events []audit.Event
	if atOnce {
		events = append(events, audit.RolledBack)
	}
	if failed.Attempt == r.options.EscalateAfter { // a late failure counts like any other
		a.Escalated = true
		events = append(events, audit.Escalated)
	}
	for _, event := range events {
		if err := a.follow(b, failed, event); err != nil {
			return a, err
		}
	}
	return a, nil
}

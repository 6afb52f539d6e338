package receiver

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
)

// ExecutionFailed is the reason for a message whose agent failed at once (section 6.3).
const ExecutionFailed finding.Reason = "EXECUTION_FAILED"

// An Execution is the result of an agent's run.
type Execution struct {
	ExitCode int // of the agent; 128 plus the number of the signal that ended it
	Duration time.Duration
	AtOnce   bool   // it failed so early that the sender has the task again
	Problem  string // details beside the exit code, "" for none
}

// Finished durably records the end of the agent of an accepted message: COMPLETED or EXECUTION_FAILED,
// ROLLED_BACK after a failure at once, and ESCALATED at the failure after which a person is called. It
// returns the answer for the sender; after a late failure of the agent, the answer is unchanged.
//
// If the sender waits for the answer and must get it, it remains pending until [Receiver.Told]: if this
// process dies first, [Receiver.Resume] returns it.
func (r *Receiver) Finished(ctx context.Context, accepted Answer, e Execution) (Answer, error) {
	a := accepted
	err := r.log.Append(ctx, func(b *audit.Batch) error {
		before, err := endOf(b, accepted.Record)
		if err != nil {
			return err
		}
		if before != nil { // recorded by an earlier try with an unknown result
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

// endOf returns the record of the end of an accepted message's agent, nil if there is none.
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

// answerToEnd returns the answer for the sender of an accepted message after the end of its agent.
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

// follows returns the records that follow from the end of an agent and that people must be alerted to.
func follows(b *audit.Batch, ended audit.Stored) ([]audit.Stored, error) {
	list, err := audit.List(b, audit.Filter{Handoffs: []string{ended.HandoffID}, Events: []audit.Event{audit.RolledBack, audit.Escalated}, From: ended.Sequence})
	return slices.DeleteFunc(list, func(s audit.Stored) bool { return s.Details.Concerns == nil || *s.Details.Concerns != ended.Sequence }), err
}

// Told durably records that the sender of an accepted message knows the result of its agent.
func (r *Receiver) Told(ctx context.Context, accepted audit.Stored) error {
	return r.log.Append(ctx, func(b *audit.Batch) error {
		return clearRunning(b, accepted, func(p audit.Pending) bool { return p.Instance == r.instance })
	})
}

// clearRunning clears the note that a process waits for the agent of an accepted message, if a condition
// holds.
func clearRunning(b *audit.Batch, accepted audit.Stored, holds func(audit.Pending) bool) error {
	list, err := b.Pending(accepted.HandoffID)
	for _, p := range list {
		if p.Running && p.Sequence == accepted.Sequence && holds(p) {
			err = errors.Join(err, b.ClearPending([]audit.Copy{p.Copy()}))
		}
	}
	return err
}

// ended returns the record of the end of an accepted message's agent.
func ended(accepted audit.Stored, event audit.Event, details audit.Details) audit.Record {
	return audit.Record{
		Event: event, HandoffID: accepted.HandoffID, TaskID: accepted.TaskID, Sender: accepted.Sender, Receiver: accepted.Receiver,
		Attempt: accepted.Attempt, Details: details,
	}
}

// fail records the failure of an accepted message's agent, and its consequences.
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
	if failed.Attempt == r.options.EscalateAfter { // a late failure counts too
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

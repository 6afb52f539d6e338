package receiver

import (
	"context"
	"errors"
	"time"

	"github.com/eaapl/handoff/pkg/audit"
	"github.com/eaapl/handoff/pkg/finding"
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
		details := audit.Details{ExitCode: &e.ExitCode, DurationMicros: e.Duration.Microseconds(), Explanation: e.Problem}
		if err := clearRunning(b, accepted.Record, func(p audit.Pending) bool {
			return replyName(p.ReplyTo) == "" || e.ExitCode != 0 && !e.AtOnce
		}); err != nil {
			return err
		}
		if e.ExitCode == 0 {
			completed, err := b.Add(ended(accepted.Record, audit.Completed, details), nil)
			a = answerTo(completed, Completed)
			a.Resumed = accepted.Resumed
			return err
		}
		var err error
		a, err = r.fail(b, accepted, details, e.AtOnce)
		return err
	})
	return a, err
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
	a := accepted
	record := ended(accepted.Record, audit.ExecutionFailed, details)
	record.Reason = ExecutionFailed
	failed, err := b.Add(record, nil)
	if err != nil {
		return a, err
	}
	var events []audit.Event
	if atOnce {
		a = answerTo(failed, Rejected)
		a.Details, a.Retryable = details.Explanation, true
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

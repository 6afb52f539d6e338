package receiver

import (
	"context"
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
// is called ESCALATED. The answer is what the sender is told.
func (r *Receiver) Finished(ctx context.Context, accepted Answer, e Execution) (Answer, error) {
	a := accepted
	err := r.log.Append(ctx, func(b *audit.Batch) error {
		of := accepted.Record
		record := audit.Record{
			Event: audit.Completed, HandoffID: of.HandoffID, TaskID: of.TaskID, Sender: of.Sender, Receiver: of.Receiver, Attempt: of.Attempt,
			Details: audit.Details{ExitCode: &e.ExitCode, DurationMicros: e.Duration.Microseconds(), Explanation: e.Problem},
		}
		if e.ExitCode == 0 {
			_, err := b.Add(record, nil)
			return err
		}
		record.Event, record.Reason = audit.ExecutionFailed, ExecutionFailed
		failed, err := b.Add(record, nil)
		if err != nil {
			return err
		}
		var events []audit.Event
		if e.AtOnce {
			a = answerTo(failed, Rejected)
			a.Details, a.Retryable = e.Problem, true
			events = append(events, audit.RolledBack)
		}
		if of.Attempt == r.options.EscalateAfter { // a late failure counts like any other
			a.Escalated = true
			events = append(events, audit.Escalated)
		}
		for _, event := range events {
			if err := a.follow(b, failed, event); err != nil {
				return err
			}
		}
		return nil
	})
	return a, err
}

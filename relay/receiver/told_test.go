package receiver_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/receiver"
)

// TestTold checks that Resume returns the result of an agent until the sender was told, whatever dies in
// between, and not afterwards.
func TestTold(t *testing.T) {
	for name, e := range map[string]receiver.Execution{
		"COMPLETED": {},
		"REJECTED":  {ExitCode: 3, AtOnce: true, Problem: "the agent ended with exit status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.db")
			first := born(t, path, receiver.Options{})
			accepted := first.bring(t, example(t, "6e7f936b"))
			first.handOver(t, accepted, true)
			if _, err := first.Finished(t.Context(), accepted, e); err != nil {
				t.Fatal(err)
			}
			// The receiver dies before it has told the sender, and so does the next one.
			for range 2 {
				first.die(t)
				first = born(t, path, receiver.Options{})
				left := first.left(t)
				if len(left) != 1 || string(left[0].Answer.Status) != name || left[0].ReplyTo != "answers" || left[0].Accepted.Sequence != accepted.Record.Sequence {
					t.Fatalf("%d answers are left", len(left))
				}
			}
			if err := first.Told(t.Context(), accepted.Record); err != nil {
				t.Fatal(err)
			}
			first.die(t)
			first = born(t, path, receiver.Options{})
			if left := first.left(t); len(left) > 0 {
				t.Errorf("%d answers are left after the sender was told", len(left))
			}
			first.die(t)
		})
	}
}

// TestStale checks that a copy that was sent before the rollback of its task is not accepted after it, and that
// a further attempt, or a later copy, is.
func TestStale(t *testing.T) {
	r, message := start(t)
	accepted := bring(t, r, message, nil)
	failed, err := r.Finished(t.Context(), accepted, receiver.Execution{ExitCode: 3, AtOnce: true})
	if err != nil {
		t.Fatal(err)
	}
	before := failed.Record.RecordedAt.Add(-time.Second)
	a := bring(t, r, message, func(d *receiver.Delivery) { d.DispatchedAt, d.Attempt = before, 1 })
	if a.Status != receiver.Rejected || a.Reason != receiver.ExecutionFailed || !a.Retryable || a.Record.Event != audit.Duplicate {
		t.Errorf("the answer is %+v", a)
	}
	if a := bring(t, r, message, func(d *receiver.Delivery) { d.DispatchedAt, d.Attempt = before, 2 }); a.Status != receiver.Accepted {
		t.Errorf("the answer to the next attempt is %+v", a)
	}
}

// TestStaleByAttempt checks that, if the sender counts its attempts, a copy of a rolled back attempt is not
// accepted, although the receiver has another number for it, or the sender's clock is ahead.
func TestStaleByAttempt(t *testing.T) {
	r, message := start(t)
	a := bring(t, r, message, func(d *receiver.Delivery) { d.Attempt = 4 }) // the receiver does not know the first three
	if a.Attempt != 1 || a.Record.Details.SenderAttempt != 4 {
		t.Errorf("the answer is %+v", a)
	}
	audittest.CheckSchema(t, &a.Record.Record)
	failed, err := r.Finished(t.Context(), a, receiver.Execution{ExitCode: 3, AtOnce: true})
	if err != nil {
		t.Fatal(err)
	}
	at := failed.Record.RecordedAt
	for _, late := range []struct {
		sent    time.Time
		attempt int
	}{{at.Add(-time.Second), 4}, {at.Add(5 * time.Second), 4}, {at.Add(5 * time.Second), 3}} {
		if a := bring(t, r, message, func(d *receiver.Delivery) { d.DispatchedAt, d.Attempt = late.sent, late.attempt }); a.Status != receiver.Rejected {
			t.Errorf("%+v: the answer is %+v", late, a)
		}
	}
	if a := bring(t, r, message, func(d *receiver.Delivery) { d.DispatchedAt, d.Attempt = at.Add(5*time.Second), 5 }); a.Status != receiver.Accepted {
		t.Errorf("the answer to the next attempt is %+v", a)
	}
}

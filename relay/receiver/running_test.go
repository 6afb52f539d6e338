package receiver_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
)

// TestAgentDiesWithReceiver checks that a message whose agent ran when its receiver died returns to the sender
// or, with Rerun, is handed over again, whether it is delivered again or the receiver starts.
func TestAgentDiesWithReceiver(t *testing.T) {
	message := example(t, "6e7f936b")
	for name, tt := range map[string]struct {
		options receiver.Options
		resume  bool
		revoked bool
		status  receiver.Status
		alerts  []audit.Event
	}{
		"comes again":           {status: receiver.Rejected, alerts: []audit.Event{audit.RolledBack}},
		"starts":                {resume: true, status: receiver.Rejected, alerts: []audit.Event{audit.RolledBack}},
		"starts, at most once":  {options: receiver.Options{AtMostOnce: true, Rerun: true}, resume: true, status: receiver.Rejected, alerts: []audit.Event{audit.RolledBack}},
		"escalates":             {options: receiver.Options{EscalateAfter: 1}, resume: true, status: receiver.Rejected, alerts: []audit.Event{audit.RolledBack, audit.Escalated}},
		"comes again and rerun": {options: receiver.Options{Rerun: true}, status: receiver.Accepted},
		"starts and reruns":     {options: receiver.Options{Rerun: true}, resume: true, status: receiver.Accepted},
		"revoked meanwhile":     {options: receiver.Options{Rerun: true}, resume: true, revoked: true, status: receiver.Rejected, alerts: []audit.Event{audit.RolledBack}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.db")
			first := born(t, path, receiver.Options{})
			accepted := first.bring(t, message)
			first.handOver(t, accepted, true)
			want := []audit.Event{audit.Accepted, audit.HandedOver}
			first.recorded(t, want...)
			expect(t, born(t, path, tt.options).bring(t, message), receiver.Duplicate, "") // it is alive
			want = append(want, audit.Duplicate)
			if tt.revoked {
				a, err := first.Revoke(t.Context(), receiver.Revocation{HandoffID: accepted.HandoffID})
				if err != nil {
					t.Fatal(err)
				}
				expect(t, a, receiver.Accepted, "")
				want = append(want, audit.Revoked)
			}
			first.die(t)

			next := born(t, path, tt.options)
			var a receiver.Answer
			if tt.resume {
				left := next.left(t)
				if len(left) != 1 || left[0].ReplyTo != "answers" || (left[0].Raw != nil) != (tt.status == receiver.Accepted) {
					t.Fatalf("%+v", left)
				}
				a = left[0].Answer
			} else {
				a = next.bring(t, message)
			}
			if tt.status == receiver.Accepted {
				expect(t, a, receiver.Accepted, "")
				next.recorded(t, want...)
				next.handOver(t, a, true)
				next.recorded(t, append(want, audit.HandedOver)...)
				if _, err := next.Finished(t.Context(), a, receiver.Execution{}); err != nil || !a.Resumed {
					t.Errorf("%+v, %v", a, err)
				}
				next.recorded(t, append(want, audit.HandedOver, audit.Completed)...)
				expect(t, next.bring(t, message), receiver.Duplicate, "")
				return
			}
			expect(t, a, tt.status, "EXECUTION_FAILED", tt.alerts...)
			if a.Retryable == tt.revoked || a.Details != "the receiver ended while its agent was running" || a.Record.Details.ExitCode != nil {
				t.Errorf("%+v", a)
			}
			next.recorded(t, append(append(want, audit.ExecutionFailed), tt.alerts...)...)
			if again := next.bring(t, message); !tt.revoked && (again.Status != receiver.Accepted || again.Attempt != 2) {
				t.Errorf("sent again: %+v", again)
			} else if tt.revoked {
				expect(t, again, receiver.Rejected, "REVOKED")
			}
		})
	}
}

// TestRerunKeepsReplyTo checks that a message is handed over after each death of its receiver, and that the
// place of its answer is kept.
func TestRerunKeepsReplyTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	message := example(t, "6e7f936b")
	l := born(t, path, receiver.Options{})
	l.handOver(t, l.bring(t, message), true)
	for range 2 {
		l.die(t)
		l = born(t, path, receiver.Options{Rerun: true})
		left := l.left(t)
		if len(left) != 1 || left[0].ReplyTo != "answers" || !left[0].Answer.Resumed {
			t.Fatalf("%+v", left)
		}
		l.handOver(t, left[0].Answer, true)
	}
	l.recorded(t, audit.Accepted, audit.HandedOver, audit.HandedOver, audit.HandedOver)
	// Delivered again from another place, it is answered there.
	l.die(t)
	l = born(t, path, receiver.Options{Rerun: true})
	bring(t, l.Receiver, message, func(d *receiver.Delivery) { d.ReplyTo = "elsewhere" })
	l.die(t)
	if left := born(t, path, receiver.Options{Rerun: true}).left(t); len(left) != 1 || left[0].ReplyTo != "elsewhere" {
		t.Errorf("%+v", left)
	}
}

// TestResumeStops checks that, if the result of one message cannot be passed on, the following ones stay
// unchanged.
func TestResumeStops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l := born(t, path, receiver.Options{})
	for _, id := range []string{"6e7f936b", "7e7f936b", "8e7f936b"} {
		l.handOver(t, l.bring(t, example(t, id)), true)
	}
	l.die(t)
	l = born(t, path, receiver.Options{})
	broken := errors.New("broken")
	told := 0
	err := l.Resume(t.Context(), func(receiver.Left) error {
		if told++; told == 2 {
			return broken
		}
		return nil
	})
	if !errors.Is(err, broken) || told != 2 {
		t.Errorf("%v, %d were told", err, told)
	}
	if left := l.left(t); len(left) != 1 || left[0].Answer.HandoffID != "8e7f936b-cafd-4624-8754-0bafc4e8acb3" {
		t.Errorf("%+v", left)
	}
}

// TestReplyToIsText checks that a place for answers that a database cannot store is left out, and the message
// accepted.
func TestReplyToIsText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l := born(t, path, receiver.Options{})
	for id, place := range map[string]string{"6e7f936b": "a\x00b", "7e7f936b": "\xff", "8e7f936b": strings.Repeat("a", 4097)} {
		expect(t, bring(t, l.Receiver, example(t, id), func(d *receiver.Delivery) { d.ReplyTo = place }), receiver.Accepted, "")
	}
	l.die(t)
	for _, left := range born(t, path, receiver.Options{}).left(t) {
		if left.ReplyTo != "" {
			t.Errorf("%q", left.ReplyTo)
		}
	}
}

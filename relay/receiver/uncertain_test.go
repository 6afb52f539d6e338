package receiver_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/receiver"
)

// lossy is a store that loses the connection during a commit on request: the data is added.
type lossy struct {
	audit.Store
	loses bool
}

func (l *lossy) Update(ctx context.Context, f func(audit.Tx) error) error {
	err := l.Store.Update(ctx, f)
	if err == nil && l.loses {
		l.loses = false
		return &audit.UncertainError{Err: errors.New("the connection is lost")}
	}
	return err
}

// startLossy is start with a lossy store.
func startLossy(t *testing.T) (*receiver.Receiver, *lossy, []byte) {
	t.Helper()
	l := &lossy{Store: audittest.New(t).Store()}
	r, message := startOn(t, audit.NewLog(l, nil))
	return r, l, message
}

// again repeats an action whose first result is uncertain.
func again(t *testing.T, l *lossy, do func() error) {
	t.Helper()
	l.loses = true
	if err := do(); !errors.As(err, new(*audit.UncertainError)) {
		t.Fatalf("the error is %v", err)
	}
	if err := do(); err != nil {
		t.Fatal(err)
	}
}

func (l *lossy) want(t *testing.T, want ...audit.Event) {
	t.Helper()
	var got []audit.Event
	err := l.View(t.Context(), func(r audit.Reader) error {
		list, err := audit.List(r, audit.Filter{})
		for _, s := range list {
			got = append(got, s.Event)
		}
		return err
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the log has %v, want %v; error %v", got, want, err)
	}
}

// TestUncertainEnd checks that the result of an agent is recorded once, and reported with its consequences,
// although the connection is lost during the record.
func TestUncertainEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		end    receiver.Execution
		status receiver.Status
		alerts []audit.Event
		events []audit.Event
	}{
		"well":    {receiver.Execution{}, receiver.Completed, nil, []audit.Event{audit.Completed}},
		"at once": {receiver.Execution{ExitCode: 3, AtOnce: true, Problem: "why"}, receiver.Rejected, []audit.Event{audit.RolledBack}, []audit.Event{audit.ExecutionFailed, audit.RolledBack}},
		"late":    {receiver.Execution{ExitCode: 3, Problem: "why"}, receiver.Accepted, nil, []audit.Event{audit.ExecutionFailed}},
	} {
		t.Run(name, func(t *testing.T) {
			r, l, message := startLossy(t)
			accepted := bring(t, r, message, func(d *receiver.Delivery) { d.ReplyTo = "s" })
			handover := []receiver.Handover{{Accepted: accepted.Record, Running: true}}
			if err := r.HandedOver(t.Context(), handover); err != nil {
				t.Fatal(err)
			}
			var a receiver.Answer
			again(t, l, func() (err error) {
				a, err = r.Finished(t.Context(), accepted, tt.end)
				return err
			})
			if a.Status != tt.status || !slices.Equal(events(a), tt.alerts) || tt.status == receiver.Rejected && (a.Details != "why" || !a.Retryable) {
				t.Errorf("the answer is %+v", a)
			}
			l.want(t, append([]audit.Event{audit.Accepted, audit.HandedOver}, tt.events...)...)
		})
	}
}

// TestUncertainHandover checks that a handover is recorded once.
func TestUncertainHandover(t *testing.T) {
	for _, running := range []bool{true, false} {
		r, l, message := startLossy(t)
		list := []receiver.Handover{{Accepted: bring(t, r, message, nil).Record, Running: running}}
		again(t, l, func() error { return r.HandedOver(t.Context(), list) })
		l.want(t, audit.Accepted, audit.HandedOver)
	}
}

// TestUncertainDuplicate checks that a copy of a message during its handover is a duplicate, even if the record
// of the handover is uncertain.
func TestUncertainDuplicate(t *testing.T) {
	r, l, message := startLossy(t)
	accepted := bring(t, r, message, nil)
	if err := r.HandedOver(t.Context(), []receiver.Handover{{Accepted: accepted.Record, Running: true}}); err != nil {
		t.Fatal(err)
	}
	d, err := r.Examine(t.Context(), jsonstream.NewRaw(message), nil)
	if err != nil {
		t.Fatal(err)
	}
	var answers []receiver.Answer
	again(t, l, func() (err error) {
		answers, err = r.Record(t.Context(), []*receiver.Delivery{d}, nil)
		return err
	})
	if answers[0].Status != receiver.Duplicate {
		t.Errorf("the answer is %+v", answers[0])
	}
	l.want(t, audit.Accepted, audit.HandedOver, audit.Duplicate, audit.Duplicate)
}

// TestUncertainAcceptance checks that a message whose uncertain acceptance was recorded is handed over by the
// process that tried it.
func TestUncertainAcceptance(t *testing.T) {
	r, l, message := startLossy(t)
	d, err := r.Examine(t.Context(), jsonstream.NewRaw(message), nil)
	if err != nil {
		t.Fatal(err)
	}
	var answers []receiver.Answer
	again(t, l, func() (err error) {
		answers, err = r.Record(t.Context(), []*receiver.Delivery{d}, nil)
		return err
	})
	if answers[0].Status != receiver.Accepted {
		t.Errorf("the answer is %+v", answers[0])
	}
	l.want(t, audit.Accepted)
}

// TestUncertainRejection checks that a rejection is recorded once and causes an alert, although the connection
// is lost during the record.
func TestUncertainRejection(t *testing.T) {
	r, l, message := startLossy(t)
	bring(t, r, message, nil)
	reused := strings.Replace(string(message), "Score the", "Score all the", 1)
	d, err := r.Examine(t.Context(), jsonstream.NewRaw([]byte(reused)), nil)
	if err != nil {
		t.Fatal(err)
	}
	var answers []receiver.Answer
	again(t, l, func() (err error) {
		answers, err = r.Record(t.Context(), []*receiver.Delivery{d}, nil)
		return err
	})
	expect(t, answers[0], receiver.Rejected, "HANDOFF_ID_REUSED", audit.DeadLettered)
	l.want(t, audit.Accepted, audit.Rejected, audit.DeadLettered)
}

// TestUncertainLoss checks that the loss of an agent with its receiver is recorded once, and reported with its
// consequences, when the message is delivered again and the connection is lost meanwhile.
func TestUncertainLoss(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	first := born(t, path, receiver.Options{})
	first.handOver(t, first.bring(t, example(t, "6e7f936b")), true)
	first.die(t)
	next, store := bornOn(t, path, receiver.Options{EscalateAfter: 1})
	d, err := next.Examine(t.Context(), jsonstream.NewRaw(example(t, "6e7f936b")), nil)
	if err != nil {
		t.Fatal(err)
	}
	store.plan = []fate{unheard}
	if _, err := next.Record(t.Context(), []*receiver.Delivery{d}, nil); !errors.Is(err, errAway) {
		t.Fatal(err)
	}
	answers, err := next.Record(t.Context(), []*receiver.Delivery{d}, nil)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, answers[0], receiver.Rejected, "EXECUTION_FAILED", audit.RolledBack, audit.Escalated)
	next.recorded(t, audit.Accepted, audit.HandedOver, audit.ExecutionFailed, audit.RolledBack, audit.Escalated)
}

// TestUncertainWithdrawal checks that a withdrawn message causes one alert, although the connection is lost
// during the record of its revocation.
func TestUncertainWithdrawal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	first := born(t, path, receiver.Options{})
	first.bring(t, example(t, "6e7f936b"))
	first.die(t)
	next, store := bornOn(t, path, receiver.Options{})
	v, err := next.ReadRevocation(revocation(t, nil, nil), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	store.plan = []fate{unheard}
	if _, err := next.Revoke(t.Context(), v); !errors.Is(err, errAway) {
		t.Fatal(err)
	}
	a, err := next.Revoke(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, a, receiver.Rejected, "REVOKED", audit.RolledBack)
	if a, err = next.takeBack(t, revocation(t, nil, nil)); err != nil {
		t.Fatal(err)
	}
	expect(t, a, receiver.Rejected, "REVOKED")
	next.recorded(t, audit.Accepted, audit.Revoked, audit.RolledBack)
}

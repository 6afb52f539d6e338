package receiver_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/receiver"
)

var errAway = errors.New("the log is away")

// breaking is a store whose uses have the planned results; without a plan, it works.
type breaking struct {
	audit.Store
	plan []fate
}

type fate int

const (
	works fate = iota
	fails
	unheard // it happens, but an error is returned
)

func (b *breaking) next() fate {
	if len(b.plan) == 0 {
		return works
	}
	f := b.plan[0]
	b.plan = b.plan[1:]
	return f
}

func (b *breaking) Update(ctx context.Context, f func(audit.Tx) error) error {
	what := b.next()
	err := b.Store.Update(ctx, func(tx audit.Tx) error {
		if err := f(tx); err != nil || what != fails {
			return err
		}
		return errAway
	})
	if err == nil && what == unheard {
		return &audit.UncertainError{Err: errAway}
	}
	return err
}

func (b *breaking) View(ctx context.Context, f func(audit.Reader) error) error {
	if b.next() != works {
		return errAway
	}
	return b.Store.View(ctx, f)
}

// bornOn returns a receiver process with a store that fails as planned.
func bornOn(t *testing.T, path string, o receiver.Options) (life, *breaking) {
	t.Helper()
	b := &breaking{Store: audittest.Open(t, path).Store()}
	log := audit.NewLog(b, nil)
	r, err := receiver.New(t.Context(), validate.New(validate.Options{}), log, o)
	if err != nil {
		t.Fatal(err)
	}
	return life{r, log}, b
}

// TestTakeoverFails checks that a message left by a dead receiver is taken over once, whatever fails in the
// connection to the log.
func TestTakeoverFails(t *testing.T) {
	ran := []audit.Event{audit.Accepted, audit.HandedOver}
	lost := append(ran[:2:2], audit.ExecutionFailed, audit.RolledBack)
	for name, tt := range map[string]struct {
		running bool
		replyTo string
		options receiver.Options
		plan    []fate // results of the uses of the log: the takeover, then each message
		status  receiver.Status
		events  []audit.Event
	}{
		"taking over fails":                      {plan: []fate{fails}, status: receiver.Accepted, events: ran[:1]},
		"taking over is unheard":                 {plan: []fate{unheard}, status: receiver.Accepted, events: ran[:1]},
		"twice":                                  {plan: []fate{unheard, unheard}, status: receiver.Accepted, events: ran[:1]},
		"unheard, then the message is not read":  {plan: []fate{unheard, works, fails, works, fails}, status: receiver.Accepted, events: ran[:1]},
		"the message is not read":                {plan: []fate{works, fails}, status: receiver.Accepted, events: ran[:1]},
		"an agent that is to run again":          {running: true, options: receiver.Options{Rerun: true}, plan: []fate{unheard, works, fails}, status: receiver.Accepted, events: ran},
		"settling fails":                         {running: true, replyTo: "answers", plan: []fate{works, fails}, status: receiver.Rejected, events: lost},
		"settling is unheard":                    {running: true, replyTo: "answers", plan: []fate{works, unheard}, status: receiver.Rejected, events: lost},
		"settling is unheard, and nobody waits":  {running: true, plan: []fate{works, unheard}, status: receiver.Rejected, events: lost},
		"settling is unheard, and then all else": {running: true, plan: []fate{works, unheard, fails, unheard}, status: receiver.Rejected, events: lost},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.db")
			first := born(t, path, receiver.Options{})
			accepted := bring(t, first.Receiver, example(t, "6e7f936b"), func(d *receiver.Delivery) { d.ReplyTo = tt.replyTo })
			if tt.running {
				first.handOver(t, accepted, true)
			}
			first.die(t)

			next, store := bornOn(t, path, tt.options)
			store.plan = tt.plan
			var list []receiver.Left
			resume := func() error {
				return next.Resume(t.Context(), func(l receiver.Left) error {
					list = append(list, l)
					return nil
				})
			}
			for len(store.plan) > 0 {
				if err := resume(); !errors.Is(err, errAway) {
					t.Fatalf("the error is %v", err)
				}
			}
			if len(list) > 0 {
				t.Errorf("left, in spite of an error: %+v", list)
			}
			for range 2 { // the second process gets nothing
				if err := resume(); err != nil {
					t.Fatal(err)
				}
			}
			if len(list) != 1 || list[0].ReplyTo != tt.replyTo || (list[0].Raw != nil) != (tt.status == receiver.Accepted) {
				t.Fatalf("left: %+v", list)
			}
			if tt.status == receiver.Rejected {
				expect(t, list[0].Answer, tt.status, "EXECUTION_FAILED", audit.RolledBack)
				if list[0].Accepted.HandoffID != "" {
					if err := next.Told(t.Context(), list[0].Accepted); err != nil {
						t.Fatal(err)
					}
				}
			} else {
				expect(t, list[0].Answer, tt.status, "")
				expect(t, next.bring(t, example(t, "6e7f936b")), receiver.Duplicate, "")
				next.handOver(t, list[0].Answer, false)
				tt.events = append(tt.events[:len(tt.events):len(tt.events)], audit.Duplicate, audit.HandedOver)
			}
			next.recorded(t, tt.events...)
			next.die(t)
			if left := born(t, path, tt.options).left(t); len(left) > 0 {
				t.Errorf("left after all: %+v", left)
			}
		})
	}
}

// TestTakeoverGoesOn checks that messages after one that cannot be read, or that the caller does not take, stay
// for the next try.
func TestTakeoverGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	first := born(t, path, receiver.Options{})
	ids := []string{"6e7f936b", "7e7f936b", "8e7f936b", "9e7f936b"}
	for _, id := range ids {
		first.bring(t, example(t, id))
	}
	first.die(t)
	next, store := bornOn(t, path, receiver.Options{})
	var got []string
	refused := errors.New("refused")
	resume := func(n int) error {
		return next.Resume(t.Context(), func(l receiver.Left) error {
			got = append(got, l.Answer.HandoffID[:8])
			if len(got) == n {
				return refused
			}
			return nil
		})
	}
	store.plan = []fate{works, works, fails}
	if err := resume(0); !errors.Is(err, errAway) {
		t.Fatal(err)
	}
	if err := resume(2); !errors.Is(err, refused) {
		t.Fatal(err)
	}
	if err := resume(0); err != nil {
		t.Fatal(err)
	}
	if want := strings.Join(ids, " "); strings.Join(got, " ") != want {
		t.Errorf("left were %v, want %s", got, want)
	}
}

// TestTakeoverByDelivery checks that a message whose takeover failed, and that is delivered again, is handed
// over once: for the delivery, or by an earlier Resume.
func TestTakeoverByDelivery(t *testing.T) {
	for _, resumedFirst := range []bool{false, true} {
		for _, what := range []fate{fails, unheard} {
			path := filepath.Join(t.TempDir(), "audit.db")
			message := example(t, "6e7f936b")
			first := born(t, path, receiver.Options{})
			first.bring(t, message)
			first.die(t)
			next, store := bornOn(t, path, receiver.Options{})
			d, err := next.Examine(t.Context(), jsonstream.NewRaw(message), nil)
			if err != nil {
				t.Fatal(err)
			}
			record := func() (receiver.Answer, error) {
				list, err := next.Record(t.Context(), []*receiver.Delivery{d}, nil)
				if err != nil {
					return receiver.Answer{}, err
				}
				return list[0], nil
			}
			if resumedFirst {
				store.plan = []fate{what}
				if _, err := record(); !errors.Is(err, errAway) {
					t.Fatal(err)
				}
				if left := next.left(t); len(left) != 1 {
					t.Errorf("left: %+v", left)
				}
			} else {
				store.plan = []fate{what}
				if err := next.Resume(t.Context(), nil); !errors.Is(err, errAway) {
					t.Fatal(err)
				}
			}
			a, err := record()
			if err != nil {
				t.Fatal(err)
			}
			if resumedFirst {
				expect(t, a, receiver.Duplicate, "")
			} else if expect(t, a, receiver.Accepted, ""); !a.Resumed {
				t.Errorf("%+v", a)
			}
			if left := next.left(t); len(left) > 0 {
				t.Errorf("left: %+v", left)
			}
		}
	}
}

// TestRevokeAfterFailedTakeover checks that a sender can take back a message whose takeover failed.
func TestRevokeAfterFailedTakeover(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	first := born(t, path, receiver.Options{})
	accepted := first.bring(t, example(t, "6e7f936b"))
	first.die(t)
	next, store := bornOn(t, path, receiver.Options{})
	store.plan = []fate{unheard}
	if err := next.Resume(t.Context(), nil); !errors.Is(err, errAway) {
		t.Fatal(err)
	}
	a, err := next.Revoke(t.Context(), receiver.Revocation{HandoffID: accepted.HandoffID})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, a, receiver.Rejected, "REVOKED", audit.RolledBack)
	if left := next.left(t); len(left) > 0 {
		t.Errorf("left: %+v", left)
	}
	next.recorded(t, audit.Accepted, audit.Revoked, audit.RolledBack)
}

// TestEndIsToldWhateverCameSince checks that the end of an agent is reported after the death of its receiver,
// without a second record, whatever else has happened to the handoff.
func TestEndIsToldWhateverCameSince(t *testing.T) {
	for name, end := range map[string]receiver.Execution{"well": {}, "at once": {ExitCode: 3, AtOnce: true, Problem: "why"}} {
		for _, rerun := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "audit.db")
				first := born(t, path, receiver.Options{})
				accepted := first.bring(t, example(t, "6e7f936b"))
				first.handOver(t, accepted, true)
				if _, err := first.Finished(t.Context(), accepted, end); err != nil {
					t.Fatal(err)
				}
				broken := strings.Replace(string(example(t, "6e7f936b")), "2026-06-12T09:30:00.000Z", "yesterday", 1)
				first.bring(t, []byte(broken))
				// Its sender has the task again, by a forced rollback in the same log.
				if err := first.log.Append(t.Context(), func(b *audit.Batch) error {
					_, err := b.Add(audit.Record{Event: audit.RolledBack, HandoffID: accepted.HandoffID, TaskID: accepted.TaskID}, nil)
					return err
				}); err != nil {
					t.Fatal(err)
				}
				first.die(t)
				next := born(t, path, receiver.Options{Rerun: rerun})
				left := next.left(t)
				if len(left) != 1 || left[0].Accepted.HandoffID == "" || left[0].ReplyTo != "answers" {
					t.Fatalf("left: %+v", left)
				}
				if a := left[0].Answer; end.ExitCode == 0 {
					expect(t, a, receiver.Completed, "")
				} else if expect(t, a, receiver.Rejected, "EXECUTION_FAILED"); a.Details != "why" || !a.Retryable {
					t.Errorf("%+v", a)
				}
				if err := next.Told(t.Context(), left[0].Accepted); err != nil {
					t.Fatal(err)
				}
				if left := next.left(t); len(left) > 0 {
					t.Errorf("left: %+v", left)
				}
				ends := 0
				if err := next.log.Store().View(t.Context(), func(r audit.Reader) error {
					list, err := audit.List(r, audit.Filter{Events: []audit.Event{audit.Completed, audit.ExecutionFailed}})
					ends = len(list)
					return err
				}); err != nil || ends != 1 {
					t.Errorf("%d ends are recorded; error %v", ends, err)
				}
			})
		}
	}
}

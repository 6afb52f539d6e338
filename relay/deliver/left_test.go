package deliver_test

import (
	"context"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// ending is a place in which a message arrives at the moment when the context of its sender ends.
type ending struct {
	transport.Publisher
	end func()
}

func (e *ending) Publish(ctx context.Context, m transport.Message) (transport.Receipt, error) {
	defer e.end()
	return e.Publisher.Publish(ctx, m)
}

// TestLeftBySameProcess checks that a process continues the publication whose result it could not record.
func TestLeftBySameProcess(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		ctx, cancel := context.WithCancel(b.Context())
		e := &ending{place.Publisher(), cancel}
		b.put("memory:a", e)
		if _, err := b.sender.Send(ctx, []*deliver.Outgoing{b.outgoing(example(b), "memory:a")}); err == nil {
			b.Fatal("it was noted that it was published")
		}
		e.end = func() {}
		b.wantState(exampleID, deliver.Waiting)
		if err := b.sender.Flush(b.Context(), func([]*deliver.Handoff) error { return nil }); err != nil {
			b.Fatal(err)
		}
		b.wantState(exampleID, deliver.Dispatched)
	})
}

// TestAnswersOfSkewedClocks checks that a failed agent counts as accepted before, whatever the clocks of
// receivers show, and that an answer to a later attempt is newer.
func TestAnswersOfSkewedClocks(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		b.put("memory:a", place.Publisher())
		c := place.Consumer()
		b.send(b.outgoing(example(b), "memory:a"))
		m := b.next(c).Message()
		old := answerText(exampleID, receiver.Completed, func(a *receiver.Answer) { a.Attempt = 2 })
		early := answerText(exampleID, receiver.Rejected, func(a *receiver.Answer) { a.Reason, a.Retryable = receiver.ExecutionFailed, true })
		sweep := func(text []byte, attempt int, want deliver.State) {
			b.Helper()
			if err := c.Reply(b.Context(), m.ReplyTo, transport.Message{Kind: transport.Answer, Key: m.Key, Attempt: attempt, Body: text}); err != nil {
				b.Fatal(err)
			}
			b.reopen()
			if err := b.sender.Sweep(b.Context(), []string{"memory:a"}); err != nil {
				b.Fatal(err)
			}
			b.wantState(exampleID, want)
		}
		sweep(early, 0, deliver.RolledBack)
		sweep(answerText(exampleID, receiver.Accepted, nil), 1, deliver.RolledBack)
		b.send(b.outgoing(example(b), "memory:a"))
		ahead := answerText(exampleID, receiver.Duplicate, func(a *receiver.Answer) { a.RecordedAt = "2026-06-12T10:01:00.000Z" })
		sweep(ahead, 1, deliver.Dispatched) // a copy of the first attempt
		sweep(old, 0, deliver.Completed)
	})
}

// TestOrderOfAnswers checks that the answers to one attempt count in the order of the events, whatever the
// order of their arrival and the clocks.
func TestOrderOfAnswers(t *testing.T) {
	failed := func(a *receiver.Answer) { a.Reason, a.Retryable = receiver.ExecutionFailed, true }
	revoked := func(a *receiver.Answer) { a.Reason, a.Attempt = receiver.Revoked, 0 }
	type answer struct {
		status receiver.Status
		change func(*receiver.Answer)
		late   bool // by the clock, it is later than the next one
	}
	for name, tt := range map[string]struct {
		answers []answer
		force   int // number of the answer before which a rollback is forced; 0 for none
		want    deliver.State
	}{
		"failed by a clock that is behind":    {[]answer{{receiver.Accepted, nil, true}, {receiver.Rejected, failed, false}}, 0, deliver.RolledBack},
		"accepted before it was revoked":      {[]answer{{receiver.Rejected, revoked, true}, {receiver.Accepted, nil, false}}, 1, deliver.RolledBack},
		"the same, and its clock is ahead":    {[]answer{{receiver.Rejected, revoked, false}, {receiver.Duplicate, nil, false}}, 1, deliver.RolledBack},
		"completed before it was revoked":     {[]answer{{receiver.Rejected, revoked, true}, {receiver.Completed, nil, false}}, 1, deliver.Completed},
		"came again after it was completed":   {[]answer{{receiver.Completed, nil, false}, {receiver.Duplicate, nil, false}}, 0, deliver.Completed},
		"the same, and it was rolled back":    {[]answer{{receiver.Completed, nil, false}, {receiver.Duplicate, nil, false}}, 2, deliver.RolledBack},
		"accepted after it was rolled back":   {[]answer{{receiver.Accepted, nil, false}}, 1, deliver.Accepted},
		"withdrawn after it was accepted":     {[]answer{{receiver.Accepted, nil, true}, {receiver.Rejected, revoked, false}}, 1, deliver.RolledBack},
		"the same, and it came again":         {[]answer{{receiver.Duplicate, nil, false}, {receiver.Rejected, revoked, false}, {receiver.Duplicate, nil, false}}, 1, deliver.RolledBack},
		"completed, and then revoked":         {[]answer{{receiver.Completed, nil, false}, {receiver.Rejected, revoked, false}}, 1, deliver.Completed},
		"revoked by somebody else":            {[]answer{{receiver.Accepted, nil, false}, {receiver.Rejected, revoked, false}}, 0, deliver.Accepted},
		"completed by a clock that is behind": {[]answer{{receiver.Duplicate, nil, true}, {receiver.Completed, nil, false}}, 2, deliver.Completed},
		"completed after it was rolled back":  {[]answer{{receiver.Accepted, nil, false}, {receiver.Completed, nil, false}}, 2, deliver.Completed},
	} {
		t.Run(name, func(t *testing.T) {
			onStores(t, func(b *bench) {
				place := b.sent()
				for i, x := range tt.answers {
					if tt.force == i+1 {
						b.rollsBack(deliver.Rollback{HandoffID: exampleID, Force: true})
					}
					b.forge(place, nil, func(a *receiver.Answer, m *transport.Message) {
						a.Status = x.status
						if x.late {
							a.RecordedAt = audit.FormatTime(b.now.Add(time.Minute))
						}
						if m.Attempt = 0; x.change != nil {
							x.change(a)
						}
					})
				}
				if h := b.first(exampleID); h.State != tt.want || h.State == deliver.RolledBack && h.Problem != "" {
					b.Errorf("it is %s (%s), want %s", h.State, h.Problem, tt.want)
				}
			})
		})
	}
}

// TestLeftByDeadSender checks that a message that was in flight when its sender died counts as possibly
// published, even if the next sender cannot reach the transport: its task is not returned before a receiver has
// answered.
func TestLeftByDeadSender(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		ctx, cancel := context.WithCancel(b.Context())
		b.put("memory:a", &ending{place.Publisher(), cancel})
		if _, err := b.sender.Send(ctx, []*deliver.Outgoing{b.outgoing(example(b), "memory:a")}); err == nil {
			b.Fatal("it was noted that it was published")
		}
		b.put("memory:a", nil) // without a receiver
		b.reopen()
		if err := b.sender.Flush(b.Context(), func([]*deliver.Handoff) error { return nil }); err != nil {
			b.Fatal(err)
		}
		b.wantState(exampleID, deliver.Waiting)
		b.refuses(deliver.Rollback{HandoffID: exampleID})
		b.rollsBack(deliver.Rollback{HandoffID: exampleID, Force: true, Explanation: "nobody answers"})
	})
}

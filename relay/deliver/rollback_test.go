package deliver_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

func (b *bench) rollback(r deliver.Rollback) ([]byte, error) {
	b.Helper()
	until, cancel := context.WithCancel(b.Context())
	cancel() // does not wait for answers
	return b.sender.Rollback(b.Context(), until, r)
}

func (b *bench) rollsBack(r deliver.Rollback) {
	b.Helper()
	got, err := b.rollback(r)
	if err != nil || !bytes.Equal(got, checkpoint) {
		b.Errorf("the checkpoint is %q, error %v", got, err)
	}
}

func (b *bench) refuses(r deliver.Rollback) {
	b.Helper()
	got, err := b.rollback(r)
	if got != nil || err == nil {
		b.Errorf("the checkpoint is %q, error %v", got, err)
	}
}

func TestRollback(t *testing.T) {
	id := deliver.Rollback{HandoffID: exampleID}
	forced := deliver.Rollback{HandoffID: exampleID, Force: true, Explanation: "nobody answers"}
	t.Run("never published", func(t *testing.T) {
		onStores(t, func(b *bench) {
			b.send(b.outgoing(example(b), "memory:a"))
			b.rollsBack(id)
			b.rollsBack(id)
			b.wantState(exampleID, deliver.RolledBack)
			b.wantEvents("DISPATCHED ROLLED_BACK")
			b.reopen() // listeners look for the place meanwhile
			var place transport.Memory
			b.put("memory:a", place.Publisher())
			b.set(b.now.Add(time.Hour))
			if err := b.sender.Flush(b.Context(), func(list []*deliver.Handoff) error { b.Errorf("published: %+v", list); return nil }); err != nil {
				b.Error(err)
			}
			if r := b.send(b.outgoing(example(b), "memory:a"))[0]; r.State != deliver.Dispatched || r.Attempt != 2 {
				b.Errorf("again: %+v", r)
			}
		})
	})
	t.Run("rejected", func(t *testing.T) {
		onStores(t, func(b *bench) {
			var place transport.Memory
			b.put("memory:a", place.Publisher())
			b.send(b.outgoing(example(b), "memory:a"))
			b.refuses(id)
			b.answer(b.next(place.Consumer()), receiver.Rejected, func(a *receiver.Answer) { a.Reason = "SAFETY_VIOLATION" })
			b.reopen()
			b.rollsBack(id)
			b.rollsBack(forced)
			b.wantState(exampleID, deliver.RolledBack)
			b.wantEvents("DISPATCHED ROLLED_BACK")
		})
	})
	t.Run("forced", func(t *testing.T) {
		onStores(t, func(b *bench) {
			var place transport.Memory
			b.put("memory:a", place.Publisher())
			c := place.Consumer()
			b.send(b.outgoing(example(b), "memory:a"))
			b.next(c)
			b.refuses(id)
			b.rollsBack(forced)
			b.rollsBack(forced)
			b.wantState(exampleID, deliver.RolledBack)
			b.wantEvents("DISPATCHED REVOKED ROLLED_BACK")
			m := b.next(c).Message()
			if want := `{"handoffRevocation":"1.0","handoffId":"` + exampleID + `","taskId":"` + exampleTask + `","receiver":"","explanation":"nobody answers","fromAgent":{"agentId":"legal-analysis-agent"},"timestamp":"2026-06-12T10:00:00.000000Z"}`; m.Kind != transport.Revocation || m.Key != exampleID || string(m.Body) != want {
				b.Errorf("%s %s", m.Kind, m.Body)
			}
			if r := b.send(b.outgoing(example(b), "memory:a"))[0]; r.Err == nil {
				b.Error("what was taken back was sent again")
			}
		})
	})
	t.Run("accepted", func(t *testing.T) {
		onStores(t, func(b *bench) {
			var place transport.Memory
			b.put("memory:a", place.Publisher())
			b.send(b.outgoing(example(b), "memory:a"))
			b.answer(b.next(place.Consumer()), receiver.Accepted, nil)
			b.refuses(id)
			b.rollsBack(forced)
			b.wantEvents("DISPATCHED REVOKED ROLLED_BACK")
		})
	})
	t.Run("unknown", func(t *testing.T) {
		onStores(t, func(b *bench) { b.refuses(id) })
	})
}

// TestAcceptedAfterRollback checks that an acceptance of a message that was taken back is reported, because a
// person must decide.
func TestAcceptedAfterRollback(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		b.put("memory:a", place.Publisher())
		b.send(b.outgoing(example(b), "memory:a"))
		d := b.next(place.Consumer())
		b.rollsBack(deliver.Rollback{HandoffID: exampleID, Force: true})
		b.reopen() // the listener here has the news
		b.answer(d, receiver.Accepted, nil)
		list, err := b.store.Find(b.Context(), exampleID)
		if err == nil {
			err = b.sender.Sweep(b.Context(), deliver.Addresses(list))
		}
		if err != nil {
			b.Fatal(err)
		}
		b.wantState(exampleID, deliver.Accepted)
		if news := b.sender.News(); len(news.Handoffs) != 1 || !strings.Contains(news.Handoffs[0].Problem, "two agents") {
			b.Errorf("%+v", news)
		}
		b.rollsBack(deliver.Rollback{HandoffID: exampleID, Force: true})
		b.wantEvents("DISPATCHED REVOKED ROLLED_BACK")
	})
}

func TestRedacted(t *testing.T) {
	for _, address := range []string{"amqp://u:secret@h/q", "postgres://h/db?password=secret&queue=q", "nats://u:sec%zzret@h/secret"} {
		if got := deliver.Redacted(address); strings.Contains(got, "secret") || got == "" {
			t.Errorf("%s is shown as %s", address, got)
		}
	}
}

package deliver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// saying is a place that answers each message by its key: keys with "accept" or "reject" give that answer,
// "closed" gives a permanent error, and others no answer.
type saying struct {
	transport.Publisher
	b *bench
}

func (s saying) Publish(_ context.Context, m transport.Message) (transport.Receipt, error) {
	name, _, _ := strings.Cut(m.Key, "-")
	now := func(a *receiver.Answer) { a.RecordedAt = audit.FormatTime(s.b.now) }
	reject := func(a *receiver.Answer) {
		now(a)
		a.Reason, a.Retryable = "SCHEMA_INVALID", name == "reject"
	}
	answer := func(text []byte) (transport.Receipt, error) {
		return transport.Receipt{Answer: &transport.Message{Kind: transport.Answer, Key: m.Key, Body: text}}, nil
	}
	switch name {
	case "accept":
		return answer(answerText(m.Key, receiver.Accepted, now))
	case "complete":
		return answer(answerText(m.Key, receiver.Completed, now))
	case "reject", "fail":
		return answer(answerText(m.Key, receiver.Rejected, reject))
	case "closed":
		return transport.Receipt{}, &transport.PermanentError{Err: errors.New("closed")}
	case "away":
		return transport.Receipt{}, errors.New("away")
	}
	return transport.Receipt{}, nil
}

func (saying) Answers(context.Context, string) (transport.Consumer, error) {
	return nil, transport.ErrNoAnswers
}

// named sends a message of a task, with its own checkpoint.
func (b *bench) named(id, task string) {
	b.Helper()
	o := b.outgoing(example(b, exampleID, id, exampleTask, task), "memory:a")
	o.Checkpoint = []byte("checkpoint of " + id)
	if r := b.send(o)[0]; r.Err != nil {
		b.Fatal(r.Err)
	}
	b.set(b.now.Add(time.Second))
}

// kept returns the ids in the store.
func (b *bench) kept() (ids []string) {
	b.Helper()
	list, err := b.store.List(b.Context(), true)
	if err != nil {
		b.Fatal(err)
	}
	for _, h := range list {
		ids = append(ids, h.HandoffID)
	}
	slices.Sort(ids)
	return ids
}

// restored gives a sender the checkpoint of a handoff.
func (b *bench) restored(id string) {
	b.Helper()
	list, err := b.store.Restore(b.Context(), id)
	if err == nil {
		err = b.store.Restored(b.Context(), list, true)
	}
	if err != nil || len(list) != 1 {
		b.Fatal(list, err)
	}
}

// TestPrune checks that tasks with a waiting handoff stay completely, that all others are removed with their
// checkpoints, and that the remaining ones still work.
func TestPrune(t *testing.T) {
	onStores(t, func(b *bench) {
		b.put("memory:a", saying{new(transport.Memory).Publisher(), b})
		for _, h := range []struct{ id, task string }{
			{"accept-1", "accepted"}, {"complete-1", "completed"}, {"fail-restored", "restored"},
			{"fail-sent-on", "sent on"}, {"reject-sent-on", "sent on"}, {"accept-sent-on", "sent on"},

			{"away-1", "waiting"}, {"closed-1", "stopped"}, {"silent-1", "dispatched"}, {"reject-1", "rejected"}, {"fail-1", "rolled back"},
			{"accept-2", "open"}, {"silent-2", "open"},
			{"accept-3", "sent back"}, {"fail-3", "sent back"},
			{"fail-4", "sent on and away"}, {"away-4", "sent on and away"},
		} {
			b.named(h.id, h.task)
		}
		b.restored("fail-restored")
		before := b.now
		b.named("accept-young", "young")
		b.set(before.Add(1000 * time.Hour))
		all := b.kept()
		for _, nothing := range []time.Time{{}, before.Add(-1000 * time.Hour)} {
			if n, err := b.store.Prune(b.Context(), nothing); err != nil || n != (deliver.Pruned{}) {
				b.Errorf("%+v, %v", n, err)
			}
		}
		n, err := b.store.Prune(b.Context(), before)
		if want := (deliver.Pruned{Tasks: 4, Handoffs: 6, Checkpoints: 6}); err != nil || n != want {
			b.Errorf("removed %+v, want %+v; error %v", n, want, err)
		}
		gone := []string{"accept-1", "accept-sent-on", "complete-1", "fail-restored", "fail-sent-on", "reject-sent-on"}
		want := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(gone, id) })
		if got := b.kept(); !slices.Equal(got, want) {
			b.Errorf("%q are left, want %q", got, want)
		}
		for _, id := range want {
			h, err := b.store.Find(b.Context(), id)
			if err != nil {
				b.Fatal(err)
			}
			text, err := b.store.Checkpoint(b.Context(), h[0])
			if err != nil || string(text) != "checkpoint of "+id {
				b.Errorf("%s: %q, %v", id, text, err)
			}
		}
		for _, id := range []string{"closed-1", "reject-1", "fail-1", "fail-4"} {
			if text, err := b.sender.Rollback(b.Context(), b.Context(), deliver.Rollback{HandoffID: id}); err != nil || !bytes.HasSuffix(text, []byte(id)) {
				b.Errorf("rolling %s back: %q, %v", id, text, err)
			}
		}
		b.named("accept-1", "accepted") // the store treats it as new
		b.wantState("accept-1", deliver.Accepted)
		if n := strings.Count(b.events(), "DISPATCHED"); n != len(all) {
			b.Errorf("%d records of dispatches, want one for each of %d attempts", n, len(all))
		}
	})
}

// TestPruneAttempts checks that the checkpoints of corrected attempts are removed, and that of the last attempt
// is kept.
func TestPruneAttempts(t *testing.T) {
	onStores(t, func(b *bench) {
		b.put("memory:a", saying{new(transport.Memory).Publisher(), b})
		b.named("reject-1", "a task")
		o := b.outgoing(example(b, exampleID, "reject-1", exampleTask, "a task"), "memory:a")
		o.Checkpoint = []byte("another")
		b.send(o)
		if n, err := b.store.Prune(b.Context(), b.now.Add(time.Hour)); err != nil || n != (deliver.Pruned{Checkpoints: 1}) {
			b.Errorf("%+v, %v", n, err)
		}
		list, err := b.store.Find(b.Context(), "reject-1")
		if err != nil {
			b.Fatal(err)
		}
		if text, err := b.store.Checkpoint(b.Context(), list[0]); err != nil || string(text) != "another" {
			b.Errorf("%q, %v", text, err)
		}
	})
}

// TestSeveralPrune checks that several processes that prune one store at the same time, during sends, remove
// each handoff once.
func TestSeveralPrune(t *testing.T) {
	onStores(t, func(b *bench) {
		b.put("memory:a", saying{new(transport.Memory).Publisher(), b})
		const handoffs, pruners = 600, 3
		var list []*deliver.Outgoing
		for i := range handoffs {
			o := b.outgoing(example(b, exampleID, fmt.Sprintf("accept-%03d", i), exampleTask, fmt.Sprint("task ", i/2)), "memory:a")
			o.Checkpoint = fmt.Append(nil, "checkpoint ", i/3)
			list = append(list, o)
		}
		b.send(list...)
		before := b.now.Add(time.Second)
		b.set(b.now.Add(time.Hour))
		removed := make([]deliver.Pruned, pruners)
		var running sync.WaitGroup
		for i := range pruners {
			store, err := deliver.Open(b.Context(), b.address, deliver.Options{Wipe: true})
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			running.Go(func() {
				var err error
				if removed[i], err = store.Prune(b.Context(), before); err != nil {
					b.Error(err)
				}
			})
		}
		again := b.outgoing(example(b, exampleID, "accept-young", exampleTask, "young"), "memory:a")
		again.Checkpoint = []byte("checkpoint 1") // one that is being removed
		b.send(again)
		running.Wait()
		var sum deliver.Pruned
		for _, n := range removed {
			sum.Tasks, sum.Handoffs, sum.Checkpoints = sum.Tasks+n.Tasks, sum.Handoffs+n.Handoffs, sum.Checkpoints+n.Checkpoints
		}
		if sum.Tasks != handoffs/2 || sum.Handoffs != handoffs || sum.Checkpoints < handoffs/3-1 {
			b.Errorf("removed %+v", removed)
		}
		h, err := b.store.Find(b.Context(), "accept-young")
		if err != nil {
			b.Fatal(err)
		}
		if text, err := b.store.Checkpoint(b.Context(), h[0]); err != nil || string(text) != "checkpoint 1" {
			b.Errorf("%q, %v", text, err)
		}
		if got := b.kept(); len(got) != 1 {
			b.Errorf("%q are left", got)
		}
	})
}

// TestPruneStream checks that a stream stays until its end, and is removed with its chunks.
func TestPruneStream(t *testing.T) {
	onStores(t, func(b *bench) {
		b.put("memory:a", saying{new(transport.Memory).Publisher(), b})
		list := parts(b.outgoing(example(b, exampleID, "silent-1"), "memory:a"))
		b.partly(list[0])
		later := b.now.Add(time.Hour)
		if n, err := b.store.Prune(b.Context(), later); err != nil || n != (deliver.Pruned{}) {
			b.Errorf("%+v, %v", n, err)
		}
		b.put("memory:a", &asked{Publisher: new(transport.Memory).Publisher()}) // accepts
		b.reopen()
		b.partly(list[0])
		b.partly(list[1])
		b.wantState("silent-1", deliver.Accepted)
		if n, err := b.store.Prune(b.Context(), later); err != nil || n != (deliver.Pruned{Tasks: 1, Handoffs: 1, Checkpoints: 1}) {
			b.Errorf("%+v, %v", n, err)
		}
		if r := b.partly(list[0]); r.Err != nil || r.Chunks != 2 {
			b.Errorf("again, it has %d chunks: %v", r.Chunks, r.Err)
		}
	})
}

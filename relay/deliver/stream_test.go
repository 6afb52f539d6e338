package deliver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// parts returns the chunks of a message, in two parts. Their content does not matter to the sender.
func parts(o *deliver.Outgoing) []deliver.Part {
	return []deliver.Part{
		{Outgoing: o, Chunks: [][]byte{[]byte("chunk 0"), []byte("chunk 1")}},
		{Outgoing: o, From: 2, Chunks: [][]byte{[]byte("chunk 2"), []byte("chunk 3")}, Whole: o},
	}
}

// crashStream sends a message in chunks, as a sender that is killed.
func crashStream(ctx context.Context, folder string, store *deliver.Store, sender *deliver.Sender) error {
	message, err := os.ReadFile(filepath.Join(folder, "m.json"))
	if err != nil {
		return err
	}
	o, err := store.Examine(jsonstream.NewRaw(message), jsonstream.Limits{})
	if err != nil {
		return err
	}
	o.Checkpoint, o.To = checkpoint, []deliver.Address{{Receiver: o.Receivers[0], Destination: filepath.Join(folder, "queue")}}
	for _, p := range parts(o) {
		r, err := sender.SendPart(ctx, p)
		if err == nil {
			err = r.Err
		}
		if err == nil && r.Problem != "" {
			err = errors.New(r.Problem)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestKilledWhileStreaming checks that a sender that is killed between any two steps of sending chunks leaves
// no chunk without its checkpoint and its record, and that others continue: flush with the stored chunks, and
// another send with the complete stream.
func TestKilledWhileStreaming(t *testing.T) {
	t.Parallel()
	for _, next := range []string{"stream", "flush"} {
		for at := 1; ; at += tier.Count(4, 1) {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "m.json"), example(t), 0o600); err != nil {
				t.Fatal(err)
			}
			killed := killedAt(t, at, folder, "stream")
			before := queued(t, folder)
			if len(before) > 0 && len(eventsIn(t, folder)) != 1 {
				t.Errorf("killed at step %d: %d chunks in the queue, and the log has %v", at, len(before), eventsIn(t, folder))
			}
			if killedAt(t, 0, folder, next) {
				t.Fatal("killed")
			}
			if n := len(queued(t, folder)); next == "flush" && killed && n != 2 && n != 4 {
				t.Errorf("killed at step %d: flush has brought it to %d chunks of 4", at, n)
			}
			if killedAt(t, 0, folder, "stream") {
				t.Fatal("killed")
			}
			if got := eventsIn(t, folder); len(got) != 1 || got[0] != "DISPATCHED" {
				t.Errorf("killed at step %d: the log has %v", at, got)
			}
			got := queued(t, folder)
			for n := range 4 {
				m := got[fmt.Sprintf("%s/risk-scoring-agent/1/%d", exampleID, n)]
				if m.Kind != transport.Chunk || m.Key != exampleID || m.Group != exampleTask || string(m.Body) != fmt.Sprintf("chunk %d", n) {
					t.Errorf("killed at step %d: chunk %d is %+v", at, n, m)
				}
			}
			if len(got) != 4 {
				t.Errorf("killed at step %d: the queue has %d messages", at, len(got))
			}
			if !killed {
				if at < 11 {
					t.Errorf("only %d steps", at)
				}
				break
			}
		}
	}
}

// partly sends part of a message.
func (b *bench) partly(p deliver.Part) deliver.Result {
	b.Helper()
	r, err := b.sender.SendPart(b.Context(), p)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// TestParts checks that a message in chunks is one handoff, which is dispatched with its last chunk, and that
// unpublished chunks are published later, in order.
func TestParts(t *testing.T) {
	onStores(t, func(b *bench) {
		var memory transport.Memory
		o := b.outgoing(example(t), "memory:a")
		list := parts(o)
		if r := b.partly(list[0]); r.Problem == "" || r.State != deliver.Waiting || r.Streaming() {
			t.Errorf("with nobody there: %+v", r.Handoff)
		}
		b.put("memory:a", memory.Publisher())
		b.reopen() // the sender has died
		if err := b.store.Hasten(t.Context(), b.now); err != nil {
			t.Fatal(err)
		}
		if err := b.sender.Flush(t.Context(), func([]*deliver.Handoff) error { return nil }); err != nil {
			t.Fatal(err)
		}
		h := b.find(exampleID)
		if !h.Streaming() || h.Published != 2 || h.InFlight() || !h.Next.IsZero() {
			t.Errorf("after a flush: %+v", h)
		}
		if s := deliver.TaskStatus([]*deliver.Handoff{h}); s != "DISPATCHED" {
			t.Errorf("the task is %s", s)
		}
		refused := &deliver.RefusedError{}
		if _, err := b.sender.Rollback(t.Context(), t.Context(), deliver.Rollback{HandoffID: "nobody's"}); err == nil {
			t.Error("what was not sent is rolled back")
		}
		expired, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := b.sender.Rollback(t.Context(), expired, deliver.Rollback{HandoffID: exampleID}); !errors.As(err, &refused) {
			t.Errorf("a stream that has begun is rolled back: %v", err)
		}
		for _, p := range list {
			if r := b.partly(p); r.Err != nil || r.Problem != "" {
				t.Fatalf("sent again: %+v, %v", r.Handoff, r.Err)
			}
		}
		b.wantState(exampleID, deliver.Dispatched)
		b.wantEvents("DISPATCHED")
		c := memory.Consumer()
		for n := range 4 {
			d := b.next(c)
			if m := d.Message(); string(m.Body) != fmt.Sprintf("chunk %d", n) || m.Attempt != 1 {
				t.Errorf("message %d is %+v", n, m)
			}
			if n == 3 {
				b.answer(d, receiver.Accepted, nil)
			}
		}
		b.heard(exampleID)
		b.wantState(exampleID, deliver.Accepted)
		if text, err := b.store.Message(t.Context(), b.find(exampleID)); err != nil || !bytes.Equal(text, example(t)) {
			t.Errorf("the message is %q, %v", text, err)
		}
		if r := b.partly(list[0]); r.Before != deliver.Accepted || r.Err != nil {
			t.Errorf("what was accepted is sent again: %+v, %v", r.Handoff, r.Err)
		}
	})
}

// heard waits until a handoff is answered.
func (b *bench) heard(id string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	if err := b.sender.Wait(ctx, []*deliver.Handoff{b.find(id)}); err != nil {
		b.Fatal(err)
	}
}

// find finds a handoff with one receiver.
func (b *bench) find(id string) *deliver.Handoff {
	b.Helper()
	list, err := b.store.Find(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	return list[0]
}

// TestPartsRejected checks that a receiver may reject an incomplete message: no more is published, and the next
// attempt begins with the first chunk.
func TestPartsRejected(t *testing.T) {
	onStores(t, func(b *bench) {
		var memory transport.Memory
		b.put("memory:a", memory.Publisher())
		o := b.outgoing(example(t), "memory:a")
		list := parts(o)
		b.partly(list[0])
		c := memory.Consumer()
		d := b.next(c)
		b.answer(d, receiver.Rejected, func(a *receiver.Answer) { a.Reason, a.Retryable = "SCHEMA_INVALID", true })
		b.heard(exampleID)
		if r := b.partly(list[1]); r.Before != deliver.Rejected || r.State != deliver.Rejected {
			t.Errorf("after the rejection: %+v", r.Handoff)
		}
		d = b.next(c)
		if err := d.Ack(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, p := range list {
			p.Chunks[0] = []byte(fmt.Sprintf("corrected %d", i))
			if r := b.partly(p); r.Err != nil || r.Problem != "" || r.Attempt != 2 {
				t.Fatalf("the next attempt: %+v, %v", r.Handoff, r.Err)
			}
		}
		b.wantState(exampleID, deliver.Dispatched)
		var bodies []string
		for range 4 {
			d := b.next(c)
			bodies = append(bodies, string(d.Message().Body))
			if d.Message().Attempt != 2 {
				t.Errorf("a chunk is of attempt %d", d.Message().Attempt)
			}
		}
		if got := strings.Join(bodies, ", "); got != "corrected 0, chunk 1, corrected 1, chunk 3" {
			t.Errorf("the chunks are %s", got)
		}
		b.wantEvents("DISPATCHED DISPATCHED")
	})
}

// TestPartsBusy checks that a handoff is only one message, at only one place, at a time.
func TestPartsBusy(t *testing.T) {
	onStores(t, func(b *bench) {
		var memory transport.Memory
		b.put("memory:a", memory.Publisher())
		b.put("memory:b", memory.Publisher())
		list := parts(b.outgoing(example(t), "memory:a"))
		b.partly(list[0])
		for name, p := range map[string]deliver.Part{
			"another first chunk": {Outgoing: list[0].Outgoing, Chunks: [][]byte{[]byte("other")}},
			"another chunk":       {Outgoing: list[0].Outgoing, From: 1, Chunks: [][]byte{[]byte("other")}},
			"another URL":         {Outgoing: b.outgoing(example(t), "memory:b"), Chunks: list[0].Chunks},
		} {
			if r := b.partly(p); !errors.As(r.Err, new(*deliver.BusyError)) {
				t.Errorf("%s: %v", name, r.Err)
			}
		}
		if _, err := b.sender.SendPart(t.Context(), deliver.Part{Outgoing: list[0].Outgoing, From: 7, Chunks: list[0].Chunks}); err == nil {
			t.Error("a chunk is sent before those before it")
		}
		whole := b.outgoing([]byte(strings.Replace(string(example(t)), exampleID, "6e7f936b-cafd-4624-8754-000000000009", 1)), "memory:a")
		b.send(whole)
		if r := b.partly(parts(whole)[0]); !errors.As(r.Err, new(*deliver.BusyError)) {
			t.Errorf("sent as one message: %v", r.Err)
		}
	})
}

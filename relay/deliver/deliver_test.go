package deliver_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

func TestSend(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		b.put("memory:a", place.Publisher())
		message := example(b)
		results := b.send(b.outgoing(message, "memory:a"))
		if r := results[0]; r.Err != nil || r.Before != "" || r.State != deliver.Dispatched || r.Attempt != 1 || r.Confirmed != deliver.Taken {
			b.Errorf("%+v", r)
		}
		b.wantEvents("DISPATCHED")
		d := b.next(place.Consumer())
		m := d.Message()
		if !bytes.Equal(m.Body, message) {
			b.Errorf("the body is not the message: %q", m.Body)
		}
		if want := b.store.Name() + "/" + exampleID + "/risk-scoring-agent/1"; m.ID != want || m.Key != exampleID || m.Group != exampleTask || m.Kind != transport.Handoff || m.Attempt != 1 {
			b.Errorf("it goes with %+v", m)
		}
		if m.ReplyTo != b.store.Name() || !transport.IsName(m.ReplyTo) || m.DispatchedAt.IsZero() || m.Traceparent == "" {
			b.Errorf("it goes with %+v", m)
		}
		b.reopen() // the name does not change, so that answers find the sender
		if m.ReplyTo != b.store.Name() {
			b.Errorf("the name was %s, and is %s", m.ReplyTo, b.store.Name())
		}
		if r := b.send(b.outgoing(message, "memory:a"))[0]; r.Before != deliver.Dispatched || r.State != deliver.Dispatched {
			b.Errorf("again: %+v", r)
		}
		b.answer(d, receiver.Accepted, nil)
		b.wait(exampleID)
		b.wantState(exampleID, deliver.Accepted)
		if r := b.send(b.outgoing(message, "memory:a"))[0]; r.Before != deliver.Accepted || r.State != deliver.Accepted || r.Err != nil {
			b.Errorf("after its acceptance: %+v", r)
		}
		if r := b.send(b.outgoing(example(b, "Score the", "Skip the"), "memory:a"))[0]; r.Err == nil {
			b.Error("other content under an accepted id was sent")
		}
		b.wantEvents("DISPATCHED")
	})
}

func TestUnreachable(t *testing.T) {
	onStores(t, func(b *bench) {
		message := example(b)
		r := b.send(b.outgoing(message, "memory:a"))[0]
		if r.State != deliver.Waiting || r.Problem != "nobody is at memory:a" || r.Tries != 1 || !r.Next.After(b.now) {
			b.Errorf("%+v", r)
		}
		b.wantEvents("DISPATCHED")
		none := func([]*deliver.Handoff) error { b.Error("it was tried before it was due"); return nil }
		if err := b.sender.Flush(b.Context(), none); err != nil {
			b.Error(err)
		}
		b.set(r.Next)
		if err := b.sender.Flush(b.Context(), func(list []*deliver.Handoff) error {
			if len(list) != 1 || list[0].Tries != 2 {
				b.Errorf("%+v", list)
			}
			return nil
		}); err != nil {
			b.Error(err)
		}
		if r := b.send(b.outgoing(example(b, "Score the", "Skip the"), "memory:a"))[0]; r.Err == nil {
			b.Error("other content in flight was sent")
		}
		var place transport.Memory
		b.put("memory:a", place.Publisher())
		b.reopen()
		if err := b.store.Hasten(b.Context(), b.now); err != nil {
			b.Fatal(err)
		}
		if err := b.sender.Flush(b.Context(), func([]*deliver.Handoff) error { return nil }); err != nil {
			b.Error(err)
		}
		b.next(place.Consumer())
		b.wantState(exampleID, deliver.Dispatched)
		b.wantEvents("DISPATCHED")
	})
}

func TestAttempts(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		b.put("memory:a", place.Publisher())
		c := place.Consumer()
		for attempt, want := range []deliver.State{deliver.Rejected, deliver.Rejected, deliver.RolledBack} {
			message := example(b, "Score the", fmt.Sprint("Score ", attempt))
			if r := b.send(b.outgoing(message, "memory:a"))[0]; r.Before != "" || r.Attempt != attempt+1 {
				b.Errorf("%+v", r)
			}
			d := b.next(c)
			if !bytes.Equal(d.Message().Body, message) || d.Message().Attempt != attempt+1 {
				b.Errorf("attempt %d: %+v", attempt+1, d.Message())
			}
			b.answer(d, receiver.Rejected, func(a *receiver.Answer) { a.Reason, a.Retryable = "SCHEMA_INVALID", true })
			b.wait(exampleID)
			if err := b.sender.Settle(b.Context()); err != nil {
				b.Error(err)
			}
			b.wantState(exampleID, want)
		}
		b.wantEvents("DISPATCHED DISPATCHED DISPATCHED ROLLED_BACK ESCALATED")
		if news := b.sender.News(); len(news.Alerts) != 2 {
			b.Errorf("alerts: %+v", news.Alerts)
		}
	})
}

// TestAnswers checks that the newest answer of a receiver counts.
func TestAnswers(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		b.put("memory:a", place.Publisher())
		c := place.Consumer()
		b.send(b.outgoing(example(b), "memory:a"))
		m := b.next(c).Message()
		reply := func(text []byte, attempt int) {
			b.Helper()
			if err := c.Reply(b.Context(), m.ReplyTo, transport.Message{Kind: transport.Answer, Key: m.Key, Attempt: attempt, Body: text}); err != nil {
				b.Fatal(err)
			}
		}
		sweep := func(want ...deliver.State) {
			b.Helper()
			list, err := b.store.Find(b.Context(), exampleID)
			if err == nil {
				b.reopen() // a silent listener could otherwise take more
				err = b.sender.Sweep(b.Context(), deliver.Addresses(list))
			}
			if err != nil {
				b.Fatal(err)
			}
			if err := b.sender.Settle(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.wantState(exampleID, want...)
		}
		reply([]byte("no answer"), 1)
		reply(answerText("another", receiver.Accepted, nil), 1)
		sweep(deliver.Dispatched)
		old := answerText(exampleID, receiver.Rejected, func(a *receiver.Answer) { a.Reason, a.Retryable = "SCHEMA_INVALID", true })
		reply(old, 1)
		sweep(deliver.Rejected)
		b.send(b.outgoing(example(b, "Score the", "Score all"), "memory:a"))
		reply(old, 1)
		// A late copy of the first attempt, as a receiver answers it now.
		reply(answerText(exampleID, receiver.Rejected, func(a *receiver.Answer) { a.Reason = receiver.ExecutionFailed }), 1)
		sweep(deliver.Dispatched)
		early := answerText(exampleID, receiver.Duplicate, nil)
		reply(answerText(exampleID, receiver.Accepted, nil), 2)
		sweep(deliver.Accepted)
		reply(early, 2)
		reply(answerText(exampleID, receiver.Rejected, func(a *receiver.Answer) { a.Reason = "HANDOFF_ID_REUSED" }), 2)
		sweep(deliver.Accepted)
		reply(answerText(exampleID, receiver.Rejected, func(a *receiver.Answer) { a.Reason, a.Retryable = receiver.ExecutionFailed, true }), 2)
		sweep(deliver.RolledBack)
		b.send(b.outgoing(example(b, "Score the", "Score all"), "memory:a"))
		reply(answerText(exampleID, receiver.Completed, nil), 3)
		reply(answerText(exampleID, receiver.Duplicate, nil), 3)
		sweep(deliver.Completed)
		b.wantEvents("DISPATCHED DISPATCHED ROLLED_BACK DISPATCHED")
	})
}

func TestFanOut(t *testing.T) {
	onStores(t, func(b *bench) {
		var left, right transport.Memory
		b.put("memory:left", left.Publisher())
		b.put("memory:right", right.Publisher())
		message := example(b, `"timestamp"`, `"receiverList": [{"agentType":"risk-scoring-agent"}, "report-agent"], "timestamp"`)
		b.send(b.outgoing(message, "memory:left", "memory:right"))
		b.wantEvents("DISPATCHED DISPATCHED")
		missing := func(want ...string) {
			b.Helper()
			_, got, err := b.store.Acknowledged(b.Context(), exampleID)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				b.Errorf("%v are missing, want %v; error %v", got, want, err)
			}
		}
		missing("risk-scoring-agent", "report-agent")
		for _, place := range []*transport.Memory{&left, &right} {
			d := b.next(place.Consumer())
			if !bytes.Equal(d.Message().Body, message) {
				b.Errorf("the copy is %s", d.Message().Body)
			}
			b.answer(d, receiver.Accepted, nil)
		}
		b.wait(exampleID)
		if err := b.sender.Settle(b.Context()); err != nil {
			b.Error(err)
		}
		missing()
		b.wantEvents("DISPATCHED DISPATCHED ACKNOWLEDGED ACKNOWLEDGED")
	})
}

// TestAnswersAtAnotherAddress checks that the receiver at one address cannot answer for that at another.
func TestAnswersAtAnotherAddress(t *testing.T) {
	onStores(t, func(b *bench) {
		var here, there transport.Memory
		b.put("memory:a", here.Publisher())
		b.put("memory:b", there.Publisher())
		other := strings.Replace(exampleID, "6e7f936b", "6e7f936c", 1)
		b.send(b.outgoing(example(b), "memory:a"), b.outgoing(example(b, exampleID, other), "memory:b"))
		c := there.Consumer()
		forged := answerText(exampleID, receiver.Rejected, func(a *receiver.Answer) { a.Reason = receiver.ExecutionFailed })
		if err := c.Reply(b.Context(), b.next(c).Message().ReplyTo, transport.Message{Kind: transport.Answer, Key: exampleID, Attempt: 1, Body: forged}); err != nil {
			b.Fatal(err)
		}
		list, err := b.store.Find(b.Context(), other)
		if err == nil {
			err = b.sender.Sweep(b.Context(), deliver.Addresses(list))
		}
		if err == nil {
			err = b.sender.Settle(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
		b.wantState(exampleID, deliver.Dispatched)
	})
}

// TestAnswersElsewhere checks that a place with two spellings has one queue of answers, in which the listener
// of one spelling leaves the answers for the other, and that no place can answer for another one.
func TestAnswersElsewhere(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		b.put("memory:a", place.Publisher())
		b.put("memory://a", place.Publisher())
		other := strings.Replace(exampleID, "6e7f936b", "6e7f936c", 1)
		b.send(b.outgoing(example(b), "memory:a"), b.outgoing(example(b, exampleID, other), "memory://a"))
		c := place.Consumer()
		b.answer(b.next(c), receiver.Accepted, nil)
		b.answer(b.next(c), receiver.Accepted, nil)
		b.sender.Listen("memory:a")
		b.wait(exampleID)
		b.wait(other)
	})
}

package deliver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// asked is a place that accepts each message immediately, and returns the answer now when asked.
type asked struct {
	transport.Publisher
	now  []byte // nil for no newer answer
	err  error
	asks atomic.Int64
}

func (a *asked) Publish(_ context.Context, m transport.Message) (transport.Receipt, error) {
	return transport.Receipt{Answer: &transport.Message{Kind: transport.Answer, Key: m.Key, Body: answerText(m.Key, receiver.Accepted, nil)}}, nil
}

func (a *asked) Answers(context.Context, string) (transport.Consumer, error) {
	return nil, transport.ErrNoAnswers
}

func (a *asked) Ask(_ context.Context, key string) (*transport.Message, error) {
	a.asks.Add(1)
	if a.err != nil || a.now == nil {
		return nil, a.err
	}
	return &transport.Message{Kind: transport.Answer, Key: key, Body: a.now}, nil
}

// TestAskedAgain checks that, if answers come only with the message, the sender asks for the result of the
// agent of an accepted message.
func TestAskedAgain(t *testing.T) {
	onStores(t, func(b *bench) {
		place := &asked{Publisher: new(transport.Memory).Publisher()}
		b.put("memory:a", place)
		b.send(b.outgoing(example(b), "memory:a"))
		b.wantState(exampleID, deliver.Accepted)
		place.now = failedAnswer()
		list, err := b.store.Find(b.Context(), exampleID)
		if err == nil {
			err = b.sender.SweepFor(b.Context(), list)
		}
		if err == nil {
			err = b.sender.Settle(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
		b.wantState(exampleID, deliver.RolledBack)
	})
}

// failedAnswer returns the answer for a failed agent of the example message.
func failedAnswer() []byte {
	return answerText(exampleID, receiver.Rejected, func(a *receiver.Answer) { a.Reason, a.Retryable = receiver.ExecutionFailed, true })
}

// followUp handles answers as outbox flush does in a separate process.
func (b *bench) followUp() error {
	b.Helper()
	b.options.FollowUp = true
	b.reopen()
	places, err := b.store.Unanswered(b.Context(), b.now)
	if err != nil {
		b.Fatal(err)
	}
	unheard := b.sender.Sweep(b.Context(), places)
	if err := b.sender.Settle(b.Context()); err != nil {
		b.Fatal(err)
	}
	return unheard
}

// TestFollowedUp checks that the next collection of answers reports an agent that failed after the acceptance,
// whether the transport has a place for answers or its receiver is asked.
func TestFollowedUp(t *testing.T) {
	onStores(t, func(b *bench) {
		place := &asked{Publisher: new(transport.Memory).Publisher()}
		b.put("memory:a", place)
		b.send(b.outgoing(example(b), "memory:a"))
		b.wantState(exampleID, deliver.Accepted)
		place.now = failedAnswer()
		if err := b.followUp(); err != nil {
			b.Fatal(err)
		}
		b.wantState(exampleID, deliver.RolledBack)
		b.wantEvents("DISPATCHED ROLLED_BACK")
	})
	onStores(t, func(b *bench) {
		var place transport.Memory
		b.put("memory:a", place.Publisher())
		b.send(b.outgoing(example(b), "memory:a"))
		c := place.Consumer()
		d := b.next(c)
		b.answer(d, receiver.Accepted, nil)
		if err := b.followUp(); err != nil {
			b.Fatal(err)
		}
		b.wantState(exampleID, deliver.Accepted)
		if err := c.Reply(b.Context(), d.Message().ReplyTo, transport.Message{Kind: transport.Answer, Key: exampleID, Attempt: 1, Body: failedAnswer()}); err != nil {
			b.Fatal(err)
		}
		b.set(b.now.Add(time.Second))
		if err := b.followUp(); err != nil {
			b.Fatal(err)
		}
		b.wantState(exampleID, deliver.RolledBack)
	})
}

// TestFollowedUpSeldom checks that a receiver is asked about an accepted handoff at once, then at intervals
// that double each time, with or without an answer, and finally no more.
func TestFollowedUpSeldom(t *testing.T) {
	onStores(t, func(b *bench) {
		place := &asked{Publisher: new(transport.Memory).Publisher()}
		b.put("memory:a", place)
		b.send(b.outgoing(example(b), "memory:a"))
		begin := b.now
		var asks []string
		for day := 30 * 24 * time.Hour; b.now.Sub(begin) < day; {
			before := place.asks.Load()
			place.err = nil
			if len(asks) == 3 {
				place.err = errors.New("away")
			}
			if err := b.followUp(); (err != nil) != (place.err != nil) {
				b.Fatal(err)
			}
			if n := place.asks.Load() - before; n > 0 {
				asks = append(asks, fmt.Sprint(n, " after ", b.now.Sub(begin)))
			}
			b.set(b.now.Add(max(time.Second, b.now.Sub(begin))))
		}
		if len(asks) != 21 || asks[0] != "1 after 0s" || asks[1] != "1 after 1s" || asks[20] != "1 after 291h16m16s" {
			b.Errorf("it was asked %q", asks)
		}
	})
}

// TestFollowedUpInGroups checks that a receiver is asked about at most a thousand accepted handoffs at a time.
func TestFollowedUpInGroups(t *testing.T) {
	onStores(t, func(b *bench) {
		place := &asked{Publisher: new(transport.Memory).Publisher()}
		b.put("memory:a", place)
		var list []*deliver.Outgoing
		for i := range 1030 {
			list = append(list, b.outgoing(example(b, "0bafc4e8acb3", fmt.Sprintf("%012d", i)), "memory:a"))
		}
		for half := range slices.Chunk(list, len(list)-30) { // accepted at the same time, and later
			b.send(half...)
			b.set(b.now.Add(time.Microsecond))
		}
		for _, want := range []int64{1000, 30, 0} {
			before := place.asks.Load()
			if err := b.followUp(); err != nil {
				b.Fatal(err)
			}
			if n := place.asks.Load() - before; n != want {
				b.Errorf("it was asked %d times, want %d", n, want)
			}
		}
	})
}

package deliver_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// late is a place whose next answer always arrives at the moment when the wait for it ends.
type late struct {
	transport.Publisher
	waited chan struct{} // gets a value at each wait
}

func (l late) Answers(ctx context.Context, name string) (transport.Consumer, error) {
	c, err := l.Publisher.Answers(ctx, name)
	return lateConsumer{c, l.waited}, err
}

type lateConsumer struct {
	transport.Consumer
	waited chan struct{}
}

func (c lateConsumer) Next(ctx context.Context) (transport.Delivery, error) {
	select {
	case c.waited <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	<-ctx.Done()
	return c.Consumer.Next(context.WithoutCancel(ctx))
}

// TestCloseWhileAnswersCome checks that a sender can be closed while an answer arrives, and that the next
// sender gets the answer.
func TestCloseWhileAnswersCome(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		waited := make(chan struct{})
		b.put("memory:a", late{place.Publisher(), waited})
		b.send(b.outgoing(example(b), "memory:a"))
		b.answer(b.next(place.Consumer()), receiver.Accepted, nil)
		for range 20 { // both orders are equally likely
			b.sender.Listen("memory:a")
			<-waited
			b.reopen()
		}
		b.put("memory:a", place.Publisher())
		b.wait(exampleID)
		b.wantState(exampleID, deliver.Accepted)
	})
}

// TestSettleBesideAnswers checks that answers that another goroutine settled are in the news when Settle
// returns.
func TestSettleBesideAnswers(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		b.put("memory:a", place.Publisher())
		c := place.Consumer()
		for n := range 100 {
			id := fmt.Sprintf("6e7f936b-cafd-4624-8754-%012x", n)
			b.send(b.outgoing(example(b, exampleID, id), "memory:a"))
			b.sender.Listen("memory:a")
			b.answer(b.next(c), receiver.Rejected, func(a *receiver.Answer) { a.Reason = "SAFETY_VIOLATION" })
			b.wait(id)
			if err := b.sender.Settle(b.Context()); err != nil {
				b.Fatal(err)
			}
			news := b.sender.News()
			if !slices.ContainsFunc(news.Handoffs, func(h *deliver.Handoff) bool { return h.HandoffID == id && h.State == deliver.RolledBack }) {
				b.Fatalf("the rollback of %s is not in the news: %+v", id, news)
			}
		}
	})
}

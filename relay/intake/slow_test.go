package intake_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// slow is a consumer whose first answer exceeds the time limit.
type slow struct {
	transport.Consumer
	answers int
}

func (c *slow) Next(ctx context.Context) (transport.Delivery, error) {
	d, err := c.Consumer.Next(ctx)
	return slowDelivery{d, c}, err
}

type slowDelivery struct {
	transport.Delivery
	consumer *slow
}

func (d slowDelivery) Answer(ctx context.Context, m transport.Message) error {
	if d.consumer.answers++; d.consumer.answers == 1 {
		<-ctx.Done()
		return ctx.Err()
	}
	return d.Delivery.Answer(ctx, m)
}

func (d slowDelivery) Return(ctx context.Context, after time.Duration) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return d.Delivery.Return(ctx, after)
}

// TestAnswerTooSlow checks that a message whose answer exceeded the time limit is returned, delivered again,
// and answered.
func TestAnswerTooSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		open := b.options.Open
		b.options.Open = func(ctx context.Context) (transport.Consumer, error) {
			return &slow{Consumer: first(open(ctx))}, nil
		}
		b.options.IdleTimeout = 40 * time.Second
		b.send(message(1))
		if err := b.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if a := b.answers(1); a[0].Status != receiver.Duplicate {
			t.Errorf("the answer is %+v", a)
		}
	})
}

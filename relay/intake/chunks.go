package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// settleAll acknowledges chunks that need no answer.
func (s *streams) settleAll(ctx context.Context, st *stream) {
	s.each(ctx, st, func(ctx context.Context, d transport.Delivery) error { return d.Ack(ctx) })
}

// giveBack gives chunks back, for another receiver.
func (s *streams) giveBack(ctx context.Context, st *stream) {
	s.each(ctx, st, func(ctx context.Context, d transport.Delivery) error { return d.Return(ctx, returnAfter) })
}

// dispose makes a chunk a dead letter of the transport.
func (s *streams) dispose(taking, running context.Context, it *item, why string) error {
	why, err := s.withheld(taking, why, func() *receiver.Delivery { return s.receiver.ExamineUnusable(it.message.Body, why) })
	if err != nil {
		return err
	}
	s.Intake.options.Observer.Trouble(fmt.Errorf("a chunk became a dead letter: %s", why))
	s.each(running, &stream{deliveries: []transport.Delivery{it.Delivery}}, func(ctx context.Context, d transport.Delivery) error { return d.DeadLetter(ctx, why) })
	return nil
}

func (s *streams) each(ctx context.Context, st *stream, do func(context.Context, transport.Delivery) error) {
	list := st.deliveries
	s.settling.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, settleTimeout)
		defer cancel()
		for _, d := range list {
			if err := do(ctx, d); err != nil {
				s.Intake.options.Observer.Trouble(err)
				return
			}
		}
	})
}

// delivery returns one delivery that ends the deliveries of all chunks, in order: if this process dies
// before it has ended all of them, the remaining chunks are recognized by their missing beginning.
func (st *stream) delivery() transport.Delivery { return chunkDeliveries(st.deliveries) }

type chunkDeliveries []transport.Delivery

func (list chunkDeliveries) Message() transport.Message { return list[0].Message() }

func (list chunkDeliveries) Answer(ctx context.Context, answer transport.Message) error {
	return list[0].Answer(ctx, answer)
}

func (list chunkDeliveries) Ack(ctx context.Context) error {
	return list.all(func(d transport.Delivery) error { return d.Ack(ctx) })
}

func (list chunkDeliveries) Return(ctx context.Context, after time.Duration) error {
	return list.all(func(d transport.Delivery) error { return d.Return(ctx, after) })
}

func (list chunkDeliveries) DeadLetter(ctx context.Context, reason string) error {
	return list.all(func(d transport.Delivery) error { return d.DeadLetter(ctx, reason) })
}

func (list chunkDeliveries) all(do func(transport.Delivery) error) error {
	var errs []error
	for _, d := range list {
		errs = append(errs, do(d))
	}
	return errors.Join(errs...)
}

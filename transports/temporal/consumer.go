package temporal

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"github.com/eaapl/handoff/relay/transport"
)

// A consumer is a worker whose activities are deliveries.
type consumer struct {
	place
	worker  worker.Worker
	ready   chan *delivery
	closing chan struct{}
	close   sync.Once
}

func newConsumer(p place, o transport.Options) (*consumer, error) {
	c := &consumer{place: p, ready: make(chan *delivery), closing: make(chan struct{})}
	c.worker = worker.New(p.client, p.TaskQueue, worker.Options{
		MaxConcurrentActivityExecutionSize: o.Prefetch, WorkerStopTimeout: 5 * time.Second, DisableRegistrationAliasing: true,
	})
	Register(c.worker, p.Names, o, c.accept)
	if err := c.worker.Start(); err != nil {
		p.client.Close()
		return nil, plain(err)
	}
	return c, nil
}

// accept returns when its message was acknowledged or given back.
func (c *consumer) accept(ctx context.Context, m transport.Message) (*transport.Message, error) {
	d := &delivery{consumer: c, message: m, ended: make(chan error, 1)}
	ready := c.ready
	for {
		select {
		case ready <- d:
			ready = nil // it was taken
		case err := <-d.ended:
			return d.answer, err
		case <-c.closing:
			return nil, givenBack(0)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// givenBack returns the error that makes a server retry after a delay. It is benign, and therefore
// not logged.
func givenBack(after time.Duration) error {
	return temporal.NewApplicationErrorWithOptions("given back", "GivenBack", temporal.ApplicationErrorOptions{
		NextRetryDelay: max(after, time.Millisecond), Category: temporal.ApplicationErrorCategoryBenign,
	})
}

// Next implements [transport.Consumer].
func (c *consumer) Next(ctx context.Context) (transport.Delivery, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case d := <-c.ready:
		return d, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.closing:
		return nil, errClosed
	}
}

var errClosed = errors.New("the consumer was closed")

// Reply implements [transport.Consumer]: it signals the answer to the workflow of the message.
func (c *consumer) Reply(ctx context.Context, _ string, answer transport.Message) error {
	return c.signal(ctx, key(&answer), answerSignal, answer)
}

// Close implements [transport.Consumer].
func (c *consumer) Close() error {
	c.close.Do(func() {
		close(c.closing)
		c.worker.Stop()
		c.client.Close()
	})
	return nil
}

type delivery struct {
	consumer *consumer
	message  transport.Message
	answer   *transport.Message
	ended    chan error
}

func (d *delivery) Message() transport.Message { return d.message }

// Answer keeps the answer until the end of the delivery, which returns it to the workflow.
func (d *delivery) Answer(_ context.Context, answer transport.Message) error {
	d.answer = &answer
	return nil
}

// end ends the activity. Only the first call has an effect.
func (d *delivery) end(err error) error {
	select {
	case d.ended <- err:
	default:
	}
	return nil
}

func (d *delivery) Ack(context.Context) error { return d.end(nil) }

func (d *delivery) Return(_ context.Context, after time.Duration) error {
	return d.end(givenBack(after))
}

// DeadLetter acknowledges the message: Temporal has no place for dead letters, and the audit log has
// them.
func (d *delivery) DeadLetter(context.Context, string) error { return d.end(nil) }

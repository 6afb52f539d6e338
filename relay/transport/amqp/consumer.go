package amqp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/eaapl/handoff/relay/internal/broker"
	"github.com/eaapl/handoff/relay/transport"
)

// A consumer takes messages through a connection of its own. Answers, dead letters and returned
// messages go through the sender: a server that is short of memory stops reading from connections
// that publish.
type consumer struct {
	*sender
	options   transport.Options
	from      string // the queue
	arguments amqp.Table
	owns      bool // whether closing the consumer closes the sender
	held      *broker.Held[*delivery]
	ctx       context.Context
	cancel    context.CancelFunc
	running   sync.WaitGroup
	moving    sync.WaitGroup // deliveries that the consumer itself moves
}

func newConsumer(s *sender, o transport.Options, from string, arguments amqp.Table, owns bool) *consumer {
	c := &consumer{sender: s, options: o, from: from, arguments: arguments, owns: owns, held: broker.NewHeld[*delivery](o.Prefetch)}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// start starts taking messages.
func (c *consumer) start(ctx context.Context) error {
	var t *consumeConn
	err := broker.Retry(ctx, c.address, func() (err error) {
		t, err = c.begin(ctx)
		return explain(err)
	})
	if err != nil {
		c.cancel()
		return err
	}
	c.running.Go(func() { c.take(t) })
	return nil
}

// consumeConn is a connection with its deliveries.
type consumeConn struct {
	connection *amqp.Connection
	deliveries <-chan amqp.Delivery
	ended      atomic.Bool
}

// over reports whether the unacknowledged deliveries of the connection will be redelivered.
func (t *consumeConn) over() bool { return t.ended.Load() || t.connection.IsClosed() }

func (c *consumer) begin(ctx context.Context) (*consumeConn, error) {
	connection, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	deliveries, err := c.consume(connection)
	if err != nil {
		return nil, errors.Join(err, connection.Close())
	}
	return &consumeConn{connection: connection, deliveries: deliveries}, nil
}

func (c *consumer) consume(connection *amqp.Connection) (<-chan amqp.Delivery, error) {
	if err := declare(connection, c.from, c.arguments); err != nil {
		return nil, err
	}
	channel, err := connection.Channel()
	if err != nil {
		return nil, err
	}
	if err := channel.Qos(min(c.options.Prefetch, maxPrefetch), 0, false); err != nil {
		return nil, err
	}
	return channel.Consume(c.from, "", false, false, false, false, nil)
}

// maxPrefetch is the maximum prefetch count of the protocol.
const maxPrefetch = 1<<16 - 1

// take takes messages until the consumer is closed.
func (c *consumer) take(t *consumeConn) {
	for failed := 0; ; failed++ {
		var err error
		if t == nil {
			t, err = c.begin(c.ctx)
		}
		if t != nil {
			failed = 0
			c.takeFrom(t)
			t = nil
		}
		if c.ctx.Err() != nil {
			return
		}
		if permanent := (*transport.PermanentError)(nil); errors.As(explain(err), &permanent) {
			c.held.End(broker.At(c.address, permanent.Err))
			return
		}
		broker.Pause(c.ctx, failed)
	}
}

// takeFrom takes messages until the connection is lost, the queue is deleted, or the consumer is
// closed. The server then redelivers unacknowledged messages.
func (c *consumer) takeFrom(t *consumeConn) {
	defer func() {
		if c.ctx.Err() != nil {
			c.moving.Wait()
		}
		t.ended.Store(true)
		_ = t.connection.Close() // it may be lost already
	}()
	for {
		select {
		case <-c.ctx.Done():
			return
		case received, ok := <-t.deliveries:
			if !ok {
				return
			}
			c.took(t, received)
		}
	}
}

// tooOften is the number of deliveries after which a message is published again instead of requeued:
// from RabbitMQ 4 on, quorum queues drop a message after twenty, even if receivers were only closed.
const tooOften = 10

func (c *consumer) took(t *consumeConn, received amqp.Delivery) {
	d := &delivery{consumer: c, taking: t, received: received}
	for name, value := range received.Headers {
		switch value := value.(type) {
		case string:
			d.message.SetHeader(name, value)
		case []byte:
			d.message.SetHeader(name, string(value))
		}
	}
	d.message.Body = received.Body
	times, _ := received.Headers["x-delivery-count"].(int64)
	switch size := int64(len(received.Body)); {
	case size > c.options.MaxBytes:
		c.move(d, func(ctx context.Context) error {
			return d.DeadLetter(ctx, (&transport.TooLargeError{Size: size, Limit: c.options.MaxBytes}).Error())
		})
	case times >= tooOften:
		c.move(d, func(ctx context.Context) error { return d.Return(ctx, 0) })
	default:
		c.held.Offer(d)
	}
}

// move moves a delivery that no receiver can take to another queue. If that fails, it is
// redelivered.
func (c *consumer) move(d *delivery, how func(context.Context) error) {
	c.held.Hold(d)
	c.moving.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		if how(ctx) != nil && c.held.Release(d) {
			_ = d.received.Nack(false, true)
		}
	})
}

func (c *consumer) Next(ctx context.Context) (transport.Delivery, error) {
	for {
		next, err := c.held.Next(ctx)
		if err != nil {
			return nil, err
		}
		d := next.(*delivery)
		if !d.taking.over() {
			return d, nil
		}
		c.held.Release(d) // it is redelivered
	}
}

func (c *consumer) Reply(ctx context.Context, replyTo string, answer transport.Message) error {
	if err := broker.NameError(replyTo); err != nil {
		return err
	}
	return c.publish(ctx, c.answers(replyTo), nil, publishing(answer))
}

// Close gives back unacknowledged messages: the server does so when the connection ends.
func (c *consumer) Close() error {
	c.held.End(broker.ErrClosed)
	c.cancel()
	c.running.Wait()
	c.moving.Wait()
	if c.owns {
		c.close()
	}
	return nil
}

type delivery struct {
	consumer *consumer
	taking   *consumeConn
	received amqp.Delivery
	message  transport.Message
}

func (d *delivery) Message() transport.Message { return d.message }

func (d *delivery) Answer(ctx context.Context, answer transport.Message) error {
	return transport.Respond(ctx, d.consumer, d.message, answer)
}

func (d *delivery) Ack(context.Context) error {
	if d.consumer.held.Release(d) {
		_ = d.received.Ack(false) // if the connection is lost, the message is redelivered
	}
	return nil
}

// Return publishes the message to the queue again. With a delay, it goes through a queue from which
// the server moves messages after a time. There is one such queue for each power of two, since
// messages only expire at the head of a queue: the delay is rounded up.
func (d *delivery) Return(ctx context.Context, after time.Duration) error {
	c := d.consumer
	if after <= 0 {
		return d.move(ctx, c.from, c.arguments, nil)
	}
	delay := shortestDelay
	for delay < after && delay < longestDelay {
		delay *= 2
	}
	arguments := deadLetteringTo(c.from)
	arguments["x-message-ttl"] = delay.Milliseconds()
	return d.move(ctx, fmt.Sprintf("%s.later.%d", c.from, delay.Milliseconds()), arguments, nil)
}

const (
	shortestDelay = 100 * time.Millisecond
	longestDelay  = shortestDelay << 20 // 29 hours
)

func (d *delivery) DeadLetter(ctx context.Context, reason string) error {
	if d.consumer.options.Withhold {
		letter := publishing(d.message.Withheld(reason))
		letter.Headers[broker.ReasonHeader] = broker.Reason(reason)
		return d.replace(ctx, d.consumer.dead(), nil, letter)
	}
	return d.move(ctx, d.consumer.dead(), nil, amqp.Table{broker.ReasonHeader: broker.Reason(reason)})
}

// move publishes the message to another queue with additional headers, and acknowledges it once
// confirmed.
func (d *delivery) move(ctx context.Context, queue string, arguments, headers amqp.Table) error {
	r := d.received
	m := amqp.Publishing{
		Headers: amqp.Table{}, DeliveryMode: amqp.Persistent, Body: r.Body, MessageId: r.MessageId, Timestamp: r.Timestamp, Type: r.Type, AppId: r.AppId,
		ContentType: r.ContentType, ContentEncoding: r.ContentEncoding, CorrelationId: r.CorrelationId, ReplyTo: r.ReplyTo, Priority: r.Priority,
	}
	for name, value := range r.Headers {
		if !strings.HasPrefix(name, "x-death") && !strings.HasPrefix(name, "x-first-death-") && !strings.HasPrefix(name, "x-last-death-") && name != "x-delivery-count" {
			m.Headers[name] = value // except those added by the server
		}
	}
	for name, value := range headers {
		m.Headers[name] = value
	}
	return d.replace(ctx, queue, arguments, m)
}

// replace publishes a message to another queue, and acknowledges the delivery once confirmed.
func (d *delivery) replace(ctx context.Context, queue string, arguments amqp.Table, m amqp.Publishing) error {
	if d.taking.over() { // it is redelivered
		d.consumer.held.Release(d)
		return nil
	}
	if err := d.consumer.publish(ctx, queue, arguments, m); err != nil {
		return err
	}
	return d.Ack(ctx)
}

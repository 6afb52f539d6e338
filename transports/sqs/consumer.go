package sqs

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/eaapl/handoff/relay/transport"
)

// A consumer receives from a queue. Its messages are invisible to other consumers for a lease, which
// it renews while it lives.
type consumer struct {
	*queue
	options transport.Options
	stop    context.CancelFunc
	renewed chan struct{} // closed when renewing has ended

	receiving sync.Mutex // held while asking the server
	mu        sync.Mutex
	ready     []*delivery // received, and not yet returned
	held      map[string]*delivery
}

func newConsumer(q *queue, o transport.Options) *consumer {
	ctx, stop := context.WithCancel(context.Background())
	c := &consumer{queue: q, options: o.WithDefaults(), stop: stop, renewed: make(chan struct{}), held: map[string]*delivery{}}
	go c.renew(ctx)
	return c
}

// Next implements [transport.Consumer].
func (c *consumer) Next(ctx context.Context) (transport.Delivery, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if d := c.pop(); d != nil {
			return d, nil
		}
		if err := c.receive(ctx); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, err
		}
	}
}

func (c *consumer) pop() *delivery {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ready) == 0 {
		return nil
	}
	d := c.ready[0]
	c.ready = c.ready[1:]
	return d
}

// longest is the maximum time for which the server waits for a message, and most the maximum number
// of messages it returns.
const (
	longest = 20 // seconds
	most    = 10
)

// receive asks the server for messages, unless another goroutine has received some in the meantime.
func (c *consumer) receive(ctx context.Context) error {
	c.receiving.Lock()
	defer c.receiving.Unlock()
	c.mu.Lock()
	room := min(c.options.Prefetch-len(c.held), most)
	waiting := len(c.ready)
	c.mu.Unlock()
	if waiting > 0 {
		return nil
	}
	if room <= 0 {
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond): // until some are acknowledged
		}
		return nil
	}
	out, err := c.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &c.url, MaxNumberOfMessages: int32(room), WaitTimeSeconds: longest, VisibilityTimeout: visibility(c.options.Lease),
		MessageAttributeNames: []string{"All"},
	})
	if err != nil {
		return plain(err)
	}
	for _, in := range out.Messages {
		m, err := decode(in)
		d := &delivery{consumer: c, message: m, handle: *in.ReceiptHandle}
		c.mu.Lock()
		c.held[d.handle] = d
		c.mu.Unlock()
		switch {
		case err != nil:
			err = d.DeadLetter(ctx, "the body is not in base64")
		case int64(len(m.Body)) > c.options.MaxBytes:
			err = d.DeadLetter(ctx, "the body is too long")
		default:
			c.mu.Lock()
			c.ready = append(c.ready, d)
			c.mu.Unlock()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// renew renews the leases of held messages.
func (c *consumer) renew(ctx context.Context) {
	defer close(c.renewed)
	ticker := time.NewTicker(c.options.Lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, d := range c.all() {
			_ = d.show(ctx, c.options.Lease) // if it fails, the message is redelivered
		}
	}
}

func (c *consumer) all() (list []*delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.held {
		list = append(list, d)
	}
	return list
}

// Reply implements [transport.Consumer].
func (c *consumer) Reply(ctx context.Context, replyTo string, answer transport.Message) error {
	q, err := c.answers(ctx, replyTo)
	if err != nil {
		return err
	}
	_, err = q.send(ctx, answer)
	return err
}

// Close implements [transport.Consumer].
func (c *consumer) Close() error {
	c.stop()
	<-c.renewed
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var err error
	for _, d := range c.all() {
		err = errors.Join(err, d.Return(ctx, 0))
	}
	return err
}

type delivery struct {
	consumer *consumer
	message  transport.Message
	handle   string
}

func (d *delivery) Message() transport.Message { return d.message }

func (d *delivery) Answer(ctx context.Context, answer transport.Message) error {
	return transport.Respond(ctx, d.consumer, d.message, answer)
}

// end stops renewing the lease of the message.
func (d *delivery) end() {
	d.consumer.mu.Lock()
	defer d.consumer.mu.Unlock()
	delete(d.consumer.held, d.handle)
}

func (d *delivery) Ack(ctx context.Context) error {
	_, err := d.consumer.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &d.consumer.url, ReceiptHandle: &d.handle})
	if err == nil {
		d.end()
	}
	return plain(err)
}

// show makes the message visible to other consumers after a delay.
func (d *delivery) show(ctx context.Context, after time.Duration) error {
	_, err := d.consumer.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: &d.consumer.url, ReceiptHandle: &d.handle, VisibilityTimeout: visibility(after),
	})
	return plain(err)
}

func (d *delivery) Return(ctx context.Context, after time.Duration) error {
	d.end()
	return d.show(ctx, after)
}

func (d *delivery) DeadLetter(ctx context.Context, reason string) error {
	q := d.consumer.queue
	if q.dead != "" {
		letters := &queue{client: q.client, url: q.dead, name: q.dead[strings.LastIndex(q.dead, "/")+1:], limit: q.limit}
		letter := d.message
		if d.consumer.options.Withhold {
			letter = letter.Withheld(reason)
		}
		if _, err := letters.send(ctx, letter); err != nil {
			return err
		}
	}
	return d.Ack(ctx)
}

package nats

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/eaapl/handoff/relay/internal/broker"
	"github.com/eaapl/handoff/relay/transport"
)

// A consumer requests as many messages as it may still hold, and reports all held messages to the
// server as in progress. It uses the pull consumer directly: the library's iterators buffer messages
// without reporting them, and more than requested.
type consumer struct {
	*place
	options       transport.Options
	filter        string // of the durable consumer
	purpose       string // prefix of its name
	owns          bool   // whether closing the consumer closes the connection, and it takes messages instead of answers
	held          *broker.Held[*delivery]
	ctx           context.Context
	cancel        context.CancelFunc
	running       sync.WaitGroup
	deadLettering sync.WaitGroup

	mu      sync.Mutex
	next    string // the subject of requests for messages, once the durable consumer exists
	ackWait time.Duration
}

func newConsumer(p *place, o transport.Options, filter, purpose string, owns bool) *consumer {
	c := &consumer{place: p, options: o, filter: filter, purpose: purpose, owns: owns, held: broker.NewHeld[*delivery](o.Prefetch)}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// start creates the durable consumer, and starts taking messages.
func (c *consumer) start(ctx context.Context) error {
	if err := broker.Retry(ctx, c.address, func() error { return c.try(ctx, c.prepare) }); err != nil {
		c.cancel()
		return err
	}
	c.running.Go(c.take)
	c.running.Go(c.keep)
	return nil
}

// prepare creates the durable consumer if it does not exist.
func (c *consumer) prepare(ctx context.Context) error {
	name, err := c.jetstream.StreamNameBySubject(ctx, c.filter)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return errors.Join(fmt.Errorf("no stream has the subject %s", c.filter), c.ensure(ctx))
	}
	if err != nil {
		return c.explain(err)
	}
	stream, err := c.jetstream.Stream(ctx, name)
	if err != nil {
		return c.explain(err)
	}
	durable, there, err := c.find(ctx, stream)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		config := jetstream.ConsumerConfig{
			Durable: durable, FilterSubject: c.filter, AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.options.Lease, MaxDeliver: -1, MaxAckPending: -1,
		}
		if !c.owns && stream.CachedInfo().Config.Retention == jetstream.WorkQueuePolicy {
			config.InactiveThreshold = answersThreshold
		}
		there, err = stream.CreateConsumer(ctx, config)
	}
	if code := apiCode(err); code == consumerNotUnique || code == consumerNotFiltered {
		return &transport.PermanentError{Err: fmt.Errorf("the work queue %s has another consumer that takes messages of %s; delete that consumer (nats consumer ls %[1]s), or use another subject", name, c.filter)}
	}
	if err != nil {
		return c.explain(err)
	}
	config := there.CachedInfo().Config
	if !c.takes(config) {
		return &transport.PermanentError{Err: fmt.Errorf("the consumer %s of the stream %s is not a consumer for %s; delete it, so that it is created again", durable, name, c.filter)}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ackWait = min(config.AckWait, c.options.Lease)
	c.next = "$JS.API.CONSUMER.MSG.NEXT." + name + "." + durable
	return nil
}

// The server's codes for a work queue in which another consumer takes the same messages, or all.
const (
	consumerNotUnique   = 10100
	consumerNotFiltered = 10099
)

// takes reports whether a durable consumer takes messages of this consumer's subject.
func (c *consumer) takes(is jetstream.ConsumerConfig) bool {
	return is.FilterSubject == c.filter && is.AckPolicy == jetstream.AckExplicitPolicy && is.DeliverSubject == ""
}

// find looks for the durable consumer, and returns its name, or the name to be used for it. In a
// stream that was not created here, which may have many subjects, the name contains the subject; a
// consumer of the same messages without it was created by an earlier version, and stays in use.
func (c *consumer) find(ctx context.Context, stream jetstream.Stream) (durable string, there jetstream.Consumer, err error) {
	there, err = stream.Consumer(ctx, c.purpose)
	if stream.CachedInfo().Config.Name == c.stream() || err == nil && c.takes(there.CachedInfo().Config) ||
		err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return c.purpose, there, err
	}
	durable = c.purpose + "+" + strings.ReplaceAll(c.subject, ".", "+")
	if len(durable) > maxDurable {
		sum := sha256.Sum256([]byte(c.subject))
		durable = c.purpose + "+" + hex.EncodeToString(sum[:])
	}
	there, err = stream.Consumer(ctx, durable)
	return durable, there, err
}

// maxDurable is the maximum length of a consumer's name: a server creates files of that name.
const maxDurable = 200

// answersThreshold is the time after which the server may delete the consumer of a sender that reads
// no answers. In a work queue nothing is lost with it: acknowledged messages are removed anyway.
const answersThreshold = 24 * time.Hour

// take takes messages until the consumer is closed.
func (c *consumer) take() {
	for failed := 0; ; failed++ {
		session, err := c.wait(c.ctx)
		if err == nil && failed > 0 { // not on the first start
			err = c.try(c.ctx, c.prepare)
		}
		if err == nil {
			var took bool
			if took, err = c.takeFrom(session); took {
				failed = 0
			}
		}
		if c.ctx.Err() != nil {
			return
		}
		if permanent := (*transport.PermanentError)(nil); errors.As(err, &permanent) {
			c.held.End(broker.At(c.address, permanent.Err))
			return
		}
		broker.Pause(c.ctx, failed)
	}
}

// expiry is the time for which the server keeps a request.
const expiry = 30 * time.Second

// takeFrom takes messages until the connection or the durable consumer is lost, or this consumer is
// closed. took reports whether it received a message.
func (c *consumer) takeFrom(session context.Context) (took bool, err error) {
	inbox := c.conn.NewInbox()
	messages := make(chan *nats.Msg, c.options.Prefetch+16) // some are status messages
	subscription, err := c.conn.ChanSubscribe(inbox, messages)
	if err != nil {
		return false, err
	}
	defer func() { // messages already sent by the server are held, so that they are given back
		_ = subscription.Drain()
		_ = c.conn.FlushTimeout(timeout)
		for {
			select {
			case m := <-messages:
				c.took(m)
			default:
				_ = subscription.Unsubscribe()
				return
			}
		}
	}()
	expected := 0 // outstanding messages of the last request
	overdue := time.NewTimer(expiry)
	defer overdue.Stop()
	for {
		if room := c.held.Room(); expected == 0 && room > 0 {
			request, err := json.Marshal(map[string]any{"batch": room, "expires": expiry})
			if err != nil {
				return took, err
			}
			if err := c.conn.PublishRequest(c.next, inbox, request); err != nil {
				return took, err
			}
			expected = room
			overdue.Reset(expiry + timeout)
		}
		select {
		case <-c.ctx.Done():
			return took, nil
		case <-session.Done():
			return took, errLost
		case <-c.held.Changed():
		case <-overdue.C:
			if expected > 0 {
				return took, errors.New("the server does not answer")
			}
		case m := <-messages:
			switch status := m.Header.Get("Status"); {
			case c.took(m):
				took = true
				expected--
			case status == "404" || status == "408": // none in time
				expected = 0
			case status != "100":
				return took, fmt.Errorf("the server sends no messages: %s %s", status, m.Header.Get("Description"))
			}
		}
	}
}

// took holds m if it is a message and not a status: only messages can be acknowledged.
func (c *consumer) took(m *nats.Msg) bool {
	if m.Reply == "" {
		return false
	}
	d := &delivery{consumer: c, received: m}
	d.message.Body = m.Data
	for name, values := range m.Header {
		d.message.SetHeader(name, values[0])
	}
	if int64(len(m.Data)) > c.options.MaxBytes {
		c.held.Hold(d)
		c.deadLettering.Go(func() {
			if err := d.DeadLetter(c.ctx, (&transport.TooLargeError{Size: int64(len(m.Data)), Limit: c.options.MaxBytes}).Error()); err != nil {
				_ = d.Return(c.ctx, c.options.Lease)
			}
		})
		return true
	}
	c.held.Offer(d)
	return true
}

// keep reports all held messages to the server as in progress.
func (c *consumer) keep() {
	for {
		c.mu.Lock()
		wait := max(c.ackWait/3, 10*time.Millisecond)
		c.mu.Unlock()
		select {
		case <-c.ctx.Done():
			return
		case <-time.After(wait):
		}
		for _, d := range c.held.All() {
			_ = c.conn.Publish(d.received.Reply, []byte("+WPI")) // if it is lost, the message is redelivered
		}
	}
}

func (c *consumer) Next(ctx context.Context) (transport.Delivery, error) { return c.held.Next(ctx) }

func (c *consumer) Reply(ctx context.Context, replyTo string, answer transport.Message) error {
	if err := broker.NameError(replyTo); err != nil {
		return err
	}
	_, err := c.publish(ctx, c.answers(replyTo), answer)
	return err
}

// Close gives back held messages. If the server is unreachable, it redelivers them later.
func (c *consumer) Close() error {
	c.held.End(broker.ErrClosed)
	c.cancel()
	c.running.Wait()
	c.deadLettering.Wait()
	var err error
	for _, d := range c.held.All() {
		err = errors.Join(err, c.end(d, "-NAK"))
	}
	_ = c.conn.FlushTimeout(timeout)
	if c.owns {
		c.close()
	}
	return err
}

// end ends a delivery by an acknowledgement of the given kind, unless it has ended.
func (c *consumer) end(d *delivery, word string) error {
	if !c.held.Release(d) {
		return nil
	}
	if err := c.conn.Publish(d.received.Reply, []byte(word)); err != nil {
		return broker.At(c.address, err)
	}
	return nil
}

type delivery struct {
	consumer *consumer
	received *nats.Msg
	message  transport.Message
}

func (d *delivery) Message() transport.Message { return d.message }

func (d *delivery) Answer(ctx context.Context, answer transport.Message) error {
	return transport.Respond(ctx, d.consumer, d.message, answer)
}

func (d *delivery) Ack(context.Context) error { return d.consumer.end(d, "+ACK") }

func (d *delivery) Return(_ context.Context, after time.Duration) error {
	if after <= 0 {
		return d.consumer.end(d, "-NAK")
	}
	return d.consumer.end(d, fmt.Sprintf(`-NAK {"delay": %d}`, after))
}

func (d *delivery) DeadLetter(ctx context.Context, reason string) error {
	c := d.consumer
	letter := &nats.Msg{Subject: c.dead(), Data: d.received.Data, Header: nats.Header{}}
	if c.options.Withhold {
		letter = msgOf(c.dead(), d.message.Withheld(reason))
	} else {
		for name, values := range d.received.Header {
			if name != jetstream.MsgIDHeader {
				letter.Header[name] = values
			}
		}
	}
	letter.Header[broker.ReasonHeader] = []string{broker.Reason(reason)}
	_, err := c.send(ctx, letter, d.message.ID)
	if errors.As(err, new(*transport.TooLargeError)) { // with the additional headers
		delete(letter.Header, broker.ReasonHeader)
		delete(letter.Header, jetstream.MsgIDHeader)
		_, err = c.send(ctx, letter, "")
	}
	if err != nil {
		return err
	}
	return c.end(d, "+TERM")
}

package amqp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/eaapl/handoff/relay/internal/broker"
	"github.com/eaapl/handoff/relay/transport"
)

// A sender publishes through a connection that is opened on demand, and again after a loss.
type sender struct {
	place
	limit   atomic.Int64 // the maximum message size of the server, 0 if unknown
	lock    chan struct{}
	current *session // under lock
	closed  bool     // under lock
}

func newSender(p place) *sender { return &sender{place: p, lock: make(chan struct{}, 1)} }

// session returns the current connection, and opens one if there is none.
func (s *sender) session(ctx context.Context) (*session, error) {
	select {
	case s.lock <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-s.lock }()
	if s.closed {
		return nil, &transport.PermanentError{Err: errors.New("the connection is closed")}
	}
	if s.current != nil && !s.current.channel.IsClosed() {
		return s.current, nil
	}
	s.drop()
	c, err := s.dial(ctx)
	if err != nil {
		return nil, err
	}
	s.current, err = newSession(c, &s.limit)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return s.current, nil
}

// drop closes the connection, under lock.
func (s *sender) drop() {
	if s.current != nil {
		_ = s.current.connection.Close() // it may be lost already
		s.current = nil
	}
}

func (s *sender) close() {
	s.lock <- struct{}{}
	defer func() { <-s.lock }()
	s.closed = true
	s.drop()
}

// publish returns when the server has confirmed that a message is in a queue. It declares a missing
// queue.
func (s *sender) publish(ctx context.Context, queue string, arguments amqp.Table, m amqp.Publishing) error {
	return broker.Retry(ctx, s.address, func() error {
		if limit, size := s.limit.Load(), int64(len(m.Body)); limit > 0 && size > limit {
			return &transport.TooLargeError{Size: size, Limit: limit}
		}
		session, err := s.session(ctx)
		if err == nil {
			err = session.declare(queue, arguments)
		}
		if err == nil {
			err = session.publish(ctx, queue, m)
		}
		return explain(err)
	})
}

// A session is a connection with a channel in confirm mode.
type session struct {
	connection *amqp.Connection
	channel    *amqp.Channel
	asked      chan question
	over       chan struct{} // closed when the channel is closed

	mu       sync.Mutex
	declared map[string]bool // the queues known to exist
}

// A question asks whether messages for a queue were returned; the answer resets this.
type question struct {
	queue  string
	answer chan bool
}

func newSession(c *amqp.Connection, limit *atomic.Int64) (*session, error) {
	channel, err := c.Channel()
	if err != nil {
		return nil, err
	}
	if err := channel.Confirm(false); err != nil {
		return nil, err
	}
	s := &session{connection: c, channel: channel, asked: make(chan question), over: make(chan struct{}), declared: map[string]bool{}}
	returned, failed := channel.NotifyReturn(make(chan amqp.Return)), channel.NotifyClose(make(chan *amqp.Error, 1))
	go s.watch(returned, failed, limit)
	return s, nil
}

// watch records messages returned because their queue does not exist. The server returns a message
// before it confirms it, and the library waits for this goroutine: a question after the confirmation
// gets the right answer.
func (s *session) watch(returned <-chan amqp.Return, failed <-chan *amqp.Error, limit *atomic.Int64) {
	defer close(s.over)
	missing := map[string]bool{}
	for {
		select {
		case r, ok := <-returned:
			if !ok { // the channel has ended
				if n := limitOf(<-failed); n > 0 {
					limit.Store(n)
				}
				return
			}
			missing[r.RoutingKey] = true
		case q := <-s.asked:
			q.answer <- missing[q.queue]
			delete(missing, q.queue)
		}
	}
}

// declare declares a queue that is not known to exist.
func (s *session) declare(queue string, arguments amqp.Table) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.declared[queue] {
		return nil
	}
	if err := declare(s.connection, queue, arguments); err != nil {
		return err
	}
	s.declared[queue] = true
	return nil
}

// publish publishes and waits for the confirmation, until ctx is done: a server that is short of
// memory does not read.
func (s *session) publish(ctx context.Context, queue string, m amqp.Publishing) error {
	result := make(chan error, 1)
	go func() { result <- s.confirmed(ctx, queue, m) }()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *session) confirmed(ctx context.Context, queue string, m amqp.Publishing) error {
	confirmation, err := s.channel.PublishWithDeferredConfirm("", queue, true, false, m)
	if err != nil {
		return err
	}
	confirmed, err := confirmation.WaitContext(ctx)
	if err != nil {
		return err
	}
	if !confirmed {
		if s.channel.IsClosed() {
			<-s.over // the server's error is known afterwards
			return errLost
		}
		return fmt.Errorf("the server does not accept messages for the queue %s now", queue)
	}
	q := question{queue, make(chan bool, 1)}
	select {
	case s.asked <- q:
	case <-s.over:
		return errLost
	}
	if <-q.answer {
		s.mu.Lock()
		delete(s.declared, queue)
		s.mu.Unlock()
		return fmt.Errorf("the queue %s does not exist", queue)
	}
	return nil
}

// publishing converts a message for the library.
func publishing(m transport.Message) amqp.Publishing {
	p := amqp.Publishing{Headers: amqp.Table{}, DeliveryMode: amqp.Persistent, Body: m.Body}
	for _, h := range m.Headers() {
		p.Headers[h.Name] = h.Value
	}
	if id := broker.HeaderValue(m.ID); len(id) <= 255 { // for people who inspect the queue
		p.MessageId = id
	}
	return p
}

package intake

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/eaapl/handoff/internal/polling"
	"github.com/eaapl/handoff/relay/transport"
)

// A source is the place of the messages, reopened when necessary.
type source struct {
	open     func(context.Context) (transport.Consumer, error)
	observer Observer

	using    chan struct{}      // full while a goroutine uses the fields below, or opens the place
	consumer transport.Consumer // nil if closed
	end      func()             // closes the consumer
	reached  bool               // it was open before
}

func newSource(open func(context.Context) (transport.Consumer, error), o Observer) *source {
	return &source{open: open, observer: o, using: make(chan struct{}, 1)}
}

// openTimeout is the maximum time to open the place.
const openTimeout = 10 * time.Second

// connected returns the open consumer, or opens one, until ctx is done. The consumer is independent of ctx.
func (s *source) connected(ctx context.Context) (transport.Consumer, error) {
	select {
	case s.using <- struct{}{}:
		defer func() { <-s.using }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.consumer != nil {
		return s.consumer, nil
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	opened := context.AfterFunc(ctx, end)
	timeout := time.AfterFunc(openTimeout, end)
	c, err := s.open(life)
	if inTime := timeout.Stop(); (!opened() || !inTime) && err == nil {
		err = errors.Join(cmp.Or(ctx.Err(), context.DeadlineExceeded), c.Close())
	}
	if err != nil {
		end()
		return nil, err
	}
	s.consumer, s.end, s.reached = c, end, true
	return c, nil
}

// next waits for a message, and reopens the place as often as necessary. Its error is that of ctx, or a
// permanent one; an error of the first opening is permanent.
func (s *source) next(ctx context.Context) (transport.Delivery, error) {
	var wait backoff
	for {
		c, err := s.connected(ctx)
		if err == nil {
			if wait.began() {
				s.observer.Up()
			}
			opened := time.Now()
			var d transport.Delivery
			if d, err = c.Next(ctx); err == nil {
				return d, nil
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			s.drop(c)
			if time.Since(opened) > maxPause {
				wait = backoff{}
			}
		}
		if c == nil && !s.everReached() || errors.As(err, new(*transport.PermanentError)) {
			return nil, err
		}
		if ctx.Err() == nil {
			s.observer.Down(err)
		}
		if wait.pause(ctx) != nil {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) { // it is unknown whether there were messages
				return nil, err
			}
			return nil, ctx.Err()
		}
	}
}

// everReached reports whether the place was ever open: it never is if the address is wrong.
func (s *source) everReached() bool {
	s.using <- struct{}{}
	defer func() { <-s.using }()
	return s.reached
}

// drop closes a consumer that has ended.
func (s *source) drop(c transport.Consumer) {
	s.using <- struct{}{}
	defer func() { <-s.using }()
	if s.consumer == c {
		_ = s.closeConsumer() // the reason for its end is known
	}
}

// reply sends an answer to a sender by name. It retries until it is durable, or replyPatience has passed.
func (s *source) reply(ctx context.Context, replyTo string, answer transport.Message) error {
	if replyTo == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, replyPatience)
	defer cancel()
	var wait backoff
	for {
		c, err := s.connected(ctx)
		if err == nil {
			if err = c.Reply(ctx, replyTo, answer); err == nil {
				return nil
			}
		}
		if wait.pause(ctx) != nil {
			return err
		}
	}
}

// replyPatience is the maximum time for retrying an answer.
const replyPatience = time.Minute

func (s *source) close() error {
	s.using <- struct{}{}
	defer func() { <-s.using }()
	if s.consumer == nil {
		return nil
	}
	return s.closeConsumer()
}

func (s *source) closeConsumer() error {
	err := s.consumer.Close()
	s.end()
	s.consumer, s.end = nil, nil
	return err
}

// A backoff is the pause before another try. It doubles each time, and is randomized.
type backoff struct{ next time.Duration }

const (
	minPause = time.Second
	maxPause = 30 * time.Second
)

// began reports whether there was a pause.
func (b *backoff) began() bool { return b.next > 0 }

// pause waits. Its error is that of ctx.
func (b *backoff) pause(ctx context.Context) error {
	b.next = min(max(2*b.next, minPause), maxPause)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(polling.Spread(b.next)):
		return nil
	}
}

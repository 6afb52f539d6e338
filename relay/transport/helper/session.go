package helper

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/eaapl/handoff/relay/transport"
)

// A session is the open place of a program, with its consumers and deliveries.
type session struct {
	transports []Transport
	lines      *lineWriter
	working    sync.WaitGroup // requests without a response

	// Set by hello, before all other requests.
	opened bool
	limit  int64 // of a line, in bytes

	mu           sync.Mutex
	publisher    transport.Publisher
	inFlight     map[uint64]context.CancelFunc // by the id of the request
	consumers    map[uint64]*servedConsumer
	deliveries   map[uint64]heldDelivery
	lastConsumer uint64
	lastDelivery uint64
}

// A servedConsumer is a consumer, and the function that cancels pending calls to Next.
type servedConsumer struct {
	transport.Consumer
	closed context.Context
	close  context.CancelFunc
}

func newServed(c transport.Consumer) *servedConsumer {
	s := &servedConsumer{Consumer: c}
	s.closed, s.close = context.WithCancel(context.Background())
	return s
}

// A heldDelivery is a delivery and its consumer.
type heldDelivery struct {
	transport.Delivery
	consumer uint64
}

// answer returns the response to a request, filled by fill unless it fails.
func (s *session) answer(q request, fill func(*response) error) *response {
	a := &response{ID: q.ID}
	if err := fill(a); err != nil {
		return &response{ID: q.ID, Error: failureOf(err)}
	}
	return a
}

var errNotOpen = errors.New("nothing is open: the first request is hello")

// work performs a request.
func (s *session) work(ctx context.Context, q request) *response {
	if !s.opened {
		return &response{ID: q.ID, Error: failureOf(errNotOpen)}
	}
	return s.answer(q, func(a *response) error {
		switch q.Do {
		case doPublish, doAsk, doAnswers:
			return s.publish(ctx, q, a)
		case doNext:
			return s.next(ctx, q, a)
		case doAnswer, doAck, doReturn, doDeadLetter:
			return s.end(ctx, q)
		case doReply:
			c, err := s.consumer(q.Consumer)
			if err != nil {
				return err
			}
			return c.Reply(ctx, q.ReplyTo, q.Message.message())
		case doClose:
			return s.close(q.Consumer)
		default:
			return &transport.PermanentError{Err: fmt.Errorf("the request %s is unknown", quote(q.Do))}
		}
	})
}

// publish performs a publisher's request.
func (s *session) publish(ctx context.Context, q request, a *response) error {
	s.mu.Lock()
	p := s.publisher
	s.mu.Unlock()
	if p == nil {
		return errors.New("no publisher is open")
	}
	switch q.Do {
	case doPublish:
		receipt, err := p.Publish(ctx, q.Message.message())
		if receipt.Answer != nil {
			a.Message = wireMessage(*receipt.Answer)
		}
		a.Duplicate = receipt.Duplicate
		return err
	case doAsk:
		asker, ok := p.(transport.Asker)
		if !ok {
			return &transport.PermanentError{Err: errors.New("this transport does not support requests for answers")}
		}
		answer, err := asker.Ask(ctx, q.Message.message().Key)
		if answer != nil {
			a.Message = wireMessage(*answer)
		}
		return err
	default:
		if !transport.IsName(q.ReplyTo) {
			return &transport.PermanentError{Err: fmt.Errorf("%s cannot be the name of a sender", quote(q.ReplyTo))}
		}
		c, err := p.Answers(ctx, q.ReplyTo)
		if err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lastConsumer++
		a.Consumer = s.lastConsumer
		s.consumers[a.Consumer] = newServed(c)
		return nil
	}
}

func (s *session) consumer(id uint64) (*servedConsumer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.consumers[id]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("no consumer %d is open", id)
}

// next waits for a message. If the request was cancelled, the message stays with the consumer and is
// given back with it.
func (s *session) next(ctx context.Context, q request, a *response) error {
	c, err := s.consumer(q.Consumer)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.closed, cancel)()
	d, err := c.Next(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastDelivery++
	a.Delivery = s.lastDelivery
	a.Message = wireMessage(d.Message())
	s.deliveries[a.Delivery] = heldDelivery{d, q.Consumer}
	return nil
}

// end performs a request on a delivery, which usually ends it.
func (s *session) end(ctx context.Context, q request) error {
	s.mu.Lock()
	d, ok := s.deliveries[q.Delivery]
	s.mu.Unlock()
	if !ok {
		return fmt.Errorf("no delivery %d is open", q.Delivery)
	}
	var err error
	switch q.Do {
	case doAnswer:
		return d.Answer(ctx, q.Message.message())
	case doAck:
		err = d.Ack(ctx)
	case doReturn:
		err = d.Return(ctx, millis(q.AfterMillis))
	case doDeadLetter:
		err = d.DeadLetter(ctx, q.Reason)
	}
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.deliveries, q.Delivery)
	}
	return err
}

// close closes a consumer, or everything if its number is 0.
func (s *session) close(id uint64) error {
	s.mu.Lock()
	var consumers []*servedConsumer
	for i, c := range s.consumers {
		if i == id || id == 0 {
			consumers = append(consumers, c)
			delete(s.consumers, i)
		}
	}
	for i, d := range s.deliveries {
		if d.consumer == id || id == 0 {
			delete(s.deliveries, i)
		}
	}
	publisher := s.publisher
	if id == 0 {
		s.publisher = nil
	}
	s.mu.Unlock()
	var problems []error
	for _, c := range consumers {
		c.close()
		problems = append(problems, c.Close())
	}
	if id == 0 && publisher != nil {
		problems = append(problems, publisher.Close())
	}
	return errors.Join(problems...)
}

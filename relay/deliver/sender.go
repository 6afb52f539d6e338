package deliver

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/transport"
)

// SenderOptions are the options of a [Sender]. Open and Transport are required.
type SenderOptions struct {
	// Open opens an address. Its errors, and the publisher's errors, contain no password.
	Open func(ctx context.Context, address string) (transport.Publisher, error)
	// Transport returns the name of an address's transport in audit records.
	Transport func(address string) string
	// Retries is the number of failed attempts after which a handoff is rolled back; 0 means
	// [DefaultRetries].
	Retries int
	// EscalateAfter is the number of failures of a task between two agents after which a person is called; 0
	// means 3 (section 6.3).
	EscalateAfter int
	// FollowUp lets a sender that receives the answers of a place also request the outcome of accepted
	// handoffs when they are due ([Store.Unanswered]). It applies to places that answer only in the reply to
	// a message.
	FollowUp bool
	// Verifier checks the signatures of answers: if it has a key that may sign for a receiver, other answers
	// of that receiver are refused. Nil has no keys.
	Verifier *sign.Verifier
	// Refused is called with the reason for each refused answer; may be nil.
	Refused func(h *Handoff, why string)
	// Now returns the current time; nil means time.Now.
	Now func() time.Time
}

// DefaultRetries is the number of attempts, and DefaultEscalateAfter the number of failures after which a
// person is called (EAAPL-MAG006, section 6.3).
const (
	DefaultRetries       = 3
	DefaultEscalateAfter = 3
)

// openTimeout is the maximum time to connect to a transport, and publishTimeout the maximum time to publish
// one message.
const (
	openTimeout    = 10 * time.Second
	publishTimeout = 30 * time.Second
)

// A Sender sends the messages of a store. It is safe for concurrent use.
type Sender struct {
	store   *Store
	log     *audit.Log
	options SenderOptions

	settling chan struct{} // full while a goroutine settles

	mu        sync.Mutex
	places    map[string]transport.Publisher // by address; only working ones
	listeners map[string]*listener
	news      News
	told      chan struct{} // closed and replaced when there are news
}

// NewSender returns a sender that keeps its messages in store and records them in log.
func NewSender(store *Store, log *audit.Log, o SenderOptions) *Sender {
	if o.Retries == 0 {
		o.Retries = DefaultRetries
	}
	if o.EscalateAfter == 0 {
		o.EscalateAfter = DefaultEscalateAfter
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Sender{store: store, log: log, options: o, settling: make(chan struct{}, 1), places: map[string]transport.Publisher{}, listeners: map[string]*listener{}, told: make(chan struct{})}
}

// Close closes the transports.
func (s *Sender) Close() error {
	s.mu.Lock()
	for _, l := range s.listeners {
		l.cancel()
	}
	listeners := s.listeners
	s.listeners = map[string]*listener{}
	s.mu.Unlock()
	for _, l := range listeners {
		<-l.ended
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, p := range s.places {
		err = errors.Join(err, p.Close())
	}
	s.places = map[string]transport.Publisher{}
	return err
}

// open returns the publisher of an address.
func (s *Sender) open(ctx context.Context, address string) (transport.Publisher, error) {
	s.mu.Lock()
	p, ok := s.places[address]
	s.mu.Unlock()
	if ok {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	p, err := s.options.Open(ctx, address)
	if err != nil {
		return p, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other, ok := s.places[address]; ok { // another goroutine was faster
		return other, p.Close()
	}
	s.places[address] = p
	return p, nil
}

// forget closes a failed publisher: the next use opens it again.
func (s *Sender) forget(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.places[address]; ok {
		_ = p.Close() // it has failed already
		delete(s.places, address)
	}
}

// A Result is the result of sending one handoff.
type Result struct {
	*Handoff
	// Err is the reason why the handoff was not sent: a [*BusyError], or nil. A failure to publish is the
	// handoff's Problem.
	Err error
	// Before is the earlier state of a handoff that this call did not publish, because it was published
	// before or by another process; otherwise "".
	Before State
}

// Send sends messages: checkpoints and messages become durable together, then the records of the audit log,
// then the messages are published, each at most once by this call. Messages that could not be published stay
// in the outbox. The results are in the order of the messages and their addresses. After an error its
// progress is unknown: nothing is lost, and [Sender.Flush] continues.
func (s *Sender) Send(ctx context.Context, list []*Outgoing) ([]Result, error) {
	puts, err := s.store.put(ctx, list, s.options.Now())
	if err != nil {
		return nil, err
	}
	var own []*Handoff
	results := make([]Result, len(puts))
	for i, p := range puts {
		results[i] = Result{Handoff: p.Handoff, Err: p.err, Before: p.before}
		if p.send {
			own = append(own, p.Handoff)
		}
	}
	return results, s.dispatch(ctx, own)
}

// Redacted returns the result of [transport.Shown] for an address.
func Redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		scheme, _, _ := strings.Cut(address, ":")
		return scheme + ":…"
	}
	return transport.Shown(u)
}

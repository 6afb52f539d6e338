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

// SenderOptions say how a [Sender] works. Open and Transport have to be set.
type SenderOptions struct {
	// Open opens an address. Its error, and those of the publisher, show no password.
	Open func(ctx context.Context, address string) (transport.Publisher, error)
	// Transport returns what audit records call the transport of an address.
	Transport func(address string) string
	// Retries is the failed attempt at which a handoff is rolled back; 0 means [DefaultRetries].
	Retries int
	// EscalateAfter is the failure of a task between two agents at which a person is called; 0
	// means 3 (section 6.3).
	EscalateAfter int
	// FollowUp: whoever takes the answers of a place asks there also what became of handoffs that
	// were accepted, where answers come with the message alone and [Store.Unanswered] says that
	// it is time.
	FollowUp bool
	// Verifier checks the signatures of answers: where it has a key that may sign for a receiver, no
	// other answer of that receiver is believed. Nil has none.
	Verifier *sign.Verifier
	// Refused is told why an answer is not believed; nil for nobody.
	Refused func(h *Handoff, why string)
	// Now tells the time; nil means time.Now.
	Now func() time.Time
}

// DefaultRetries is how many attempts a sender has, and DefaultEscalateAfter the third failure
// (EAAPL-MAG006, section 6.3).
const (
	DefaultRetries       = 3
	DefaultEscalateAfter = 3
)

// openTimeout is how long it may take to reach a transport, and publishTimeout how long that may
// take for one message.
const (
	openTimeout    = 10 * time.Second
	publishTimeout = 30 * time.Second
)

// A Sender sends the messages of a store. It is safe for concurrent use.
type Sender struct {
	store   *Store
	log     *audit.Log
	options SenderOptions

	settling chan struct{} // full while somebody settles

	mu        sync.Mutex
	places    map[string]transport.Publisher // by address, those that work
	listeners map[string]*listener
	news      News
	told      chan struct{} // closed, and made anew, when there are news
}

// NewSender returns a sender that keeps what it sends in store, and records it in log.
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

// Close ends the use of the transports.
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

// open returns the place of an address.
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

// forget closes a place that does not work any more: it is opened anew when it is needed.
func (s *Sender) forget(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.places[address]; ok {
		_ = p.Close() // it does not work
		delete(s.places, address)
	}
}

// A Result is what became of one handoff that was asked for.
type Result struct {
	*Handoff
	// Err is why it is not sent: a [*BusyError], or nil. That it could not be published is the
	// handoff's Problem.
	Err error
	// Before is the state that it was in when this call had nothing to publish, since it was before
	// or another process is at it; "" if it had.
	Before State
}

// Send sends messages: checkpoints and messages become durable together, then the records of
// the audit log, then the messages are published, each at most once by this call. What could
// not be published stays in the outbox. The results are in the order of the messages and their
// addresses. After an error it is not known how far it went: nothing is lost, and
// [Sender.Flush] goes on.
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

// Redacted returns an address as [transport.Shown] does.
func Redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		scheme, _, _ := strings.Cut(address, ":")
		return scheme + ":…"
	}
	return transport.Shown(u)
}

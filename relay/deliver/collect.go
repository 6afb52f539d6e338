package deliver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eaapl/handoff/internal/polling"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/database"
	"github.com/eaapl/handoff/relay/transport"
)

// News are the changes made by answers.
type News struct {
	Handoffs []*Handoff     // in their current state
	Alerts   []audit.Stored // records that people must be alerted to
	Unknown  int            // answers to messages that this store has not sent
}

func (n *News) add(other News) {
	for _, h := range other.Handoffs {
		isSame := func(o *Handoff) bool { return o.HandoffID == h.HandoffID && o.Receiver == h.Receiver }
		isSettled := func(o *Handoff) bool { return isSame(o) && !o.settle }
		if h.settle && slices.ContainsFunc(n.Handoffs, isSettled) {
			continue // another goroutine settled it before this one told of the answer
		}
		n.Handoffs = append(slices.DeleteFunc(n.Handoffs, isSame), h)
	}
	n.Alerts = append(n.Alerts, other.Alerts...)
	n.Unknown += other.Unknown
}

// Periods of silence after which a place has no more waiting answers; the first includes the time to connect.
const (
	firstSilence = 500 * time.Millisecond
	silence      = 150 * time.Millisecond
)

// A listener receives the answers of one place.
type listener struct {
	address string
	cancel  context.CancelFunc
	ended   chan struct{}

	mu      sync.Mutex
	err     error         // why answers cannot be received; nil if they can
	silent  bool          // no answer is waiting
	changed chan struct{} // closed and replaced when one of these changes
}

func (l *listener) set(silent bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent, l.err = silent, err
	close(l.changed)
	l.changed = make(chan struct{})
}

// Listen begins to receive the answers that come to an address, until the sender is closed. [Sender.News]
// returns the changes.
func (s *Sender) Listen(address string) { s.listen(address) }

// listen begins to receive the answers of a place, until the sender is closed.
func (s *Sender) listen(address string) *listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.listeners[address]; l != nil {
		return l
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &listener{address: address, cancel: cancel, ended: make(chan struct{}), changed: make(chan struct{})}
	s.listeners[address] = l
	go func() {
		defer close(l.ended)
		for tries := 0; ctx.Err() == nil; tries++ {
			err := s.takeAnswers(ctx, l)
			if ctx.Err() != nil {
				return
			}
			l.set(false, errors.Join(err, s.followed(ctx, address)))
			polling.Sleep(ctx, pause(min(tries, 3)))
		}
	}()
	return l
}

// takeAnswers receives answers until the context ends or an error occurs.
func (s *Sender) takeAnswers(ctx context.Context, l *listener) (err error) {
	p, err := s.open(ctx, l.address)
	if err != nil {
		return err
	}
	consumer, err := p.Answers(ctx, s.store.sender)
	if errors.Is(err, transport.ErrNoAnswers) {
		return s.ask(ctx, l, p)
	}
	if err != nil {
		s.forget(l.address)
		return err
	}
	deliveries, failed := make(chan transport.Delivery, groupSize), make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	var waiting atomic.Pointer[time.Time] // start of the wait for the next answer; nil while one is being handled
	var reading sync.WaitGroup
	defer func() {
		cancel()
		reading.Wait()
		err = errors.Join(err, consumer.Close())
	}()
	reading.Go(func() {
		for {
			since := time.Now()
			waiting.Store(&since)
			d, err := consumer.Next(ctx)
			waiting.Store(nil)
			if err == nil {
				select {
				case deliveries <- d:
				case <-ctx.Done(): // closing returns it to the transport
					err = ctx.Err()
				}
			}
			if err != nil {
				failed <- err
				return
			}
		}
	})
	quiet := firstSilence
	silent := time.NewTimer(quiet)
	defer silent.Stop()
	for {
		select {
		case d := <-deliveries:
			if err := s.takeGroup(ctx, l, group(d, deliveries)); err != nil {
				return err
			}
			quiet = silence
			silent.Reset(quiet)
		case err := <-failed:
			return err
		case <-silent.C:
			since := waiting.Load()
			if since == nil || len(deliveries) > 0 {
				silent.Reset(quiet)
				continue
			}
			if left := quiet - time.Since(*since); left > 0 { // on a busy machine, the wait may have begun late
				silent.Reset(left)
				continue
			}
			if err := s.followed(ctx, l.address); err != nil {
				return err
			}
			l.set(true, nil)
		}
	}
}

// followed notes, with [SenderOptions].FollowUp, that the accepted handoffs of a place have no further
// outcome yet, or an unknown one.
func (s *Sender) followed(ctx context.Context, address string) error {
	if !s.options.FollowUp {
		return nil
	}
	now := s.options.Now()
	return s.store.looked(ctx, address, now, now)
}

// group returns a delivery and all others that are already available.
func group(first transport.Delivery, more <-chan transport.Delivery) []transport.Delivery {
	list := []transport.Delivery{first}
	for len(list) < groupSize {
		select {
		case d := <-more:
			list = append(list, d)
		default:
			return list
		}
	}
	return list
}

// takeGroup makes answers durable and then acknowledges them.
func (s *Sender) takeGroup(ctx context.Context, l *listener, list []transport.Delivery) error {
	messages := make([]transport.Message, len(list))
	for i, d := range list {
		messages[i] = d.Message()
	}
	foreign, err := s.takeMessages(ctx, l.address, messages)
	if err != nil {
		return err
	}
	for i, d := range list {
		if slices.Contains(foreign, i) { // a process that listens at its address may get it
			err = d.Return(ctx, time.Second)
		} else {
			err = d.Ack(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeMessages makes answers and all their consequences durable. foreign holds the positions of answers for
// other addresses, which were not stored.
func (s *Sender) takeMessages(ctx context.Context, address string, list []transport.Message) (foreign []int, err error) {
	news, foreign, err := s.storeAnswers(ctx, address, list)
	if err != nil {
		return nil, err
	}
	s.tell(news)
	if slices.ContainsFunc(news.Handoffs, func(h *Handoff) bool { return h.settle }) {
		err = s.Settle(ctx)
	}
	return foreign, err
}

// tell keeps news for the next call to News.
func (s *Sender) tell(news News) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.news.add(news)
	close(s.told)
	s.told = make(chan struct{})
}

// News returns the changes made by answers since the previous call.
func (s *Sender) News() News {
	s.mu.Lock()
	defer s.mu.Unlock()
	news := s.news
	s.news = News{}
	return news
}

// An UnheardError reports that answers from some places could not be received, so that some may be unknown.
type UnheardError struct {
	Places []string // addresses, without passwords
	Err    error    // the first error
}

func (e *UnheardError) Error() string {
	return fmt.Sprintf("the waiting answers at %s could not be read: %v", strings.Join(e.Places, ", "), e.Err)
}

// Unwrap returns the underlying error.
func (e *UnheardError) Unwrap() error { return e.Err }

// Sweep receives the answers that are waiting at some addresses. The error may be an [*UnheardError]; the
// answers of all other addresses are stored even then.
func (s *Sender) Sweep(ctx context.Context, addresses []string) error {
	failed := &UnheardError{}
	var listeners []*listener
	for _, address := range addresses {
		listeners = append(listeners, s.listen(address))
	}
	for _, l := range listeners {
		for heard := false; !heard; {
			l.mu.Lock()
			silent, err, changed := l.silent, l.err, l.changed
			l.mu.Unlock()
			switch {
			case err != nil:
				failed.Places = append(failed.Places, finding.Quote(Redacted(l.address)))
				failed.Err = errors.Join(failed.Err, err)
				heard = true
			case silent:
				heard = true
			default:
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-changed:
				}
			}
		}
	}
	if failed.Err != nil {
		return failed
	}
	return nil
}

// SweepFor receives the answers that are waiting for some handoffs. At places that answer only in the reply
// to a message, it also requests the outcome of accepted handoffs, whose agents may have ended since. Its
// error is that of Sweep.
func (s *Sender) SweepFor(ctx context.Context, list []*Handoff) error {
	failed := &UnheardError{}
	if err := s.Sweep(ctx, Addresses(list)); err != nil && !errors.As(err, &failed) {
		return err
	}
	for _, h := range list {
		shown := finding.Quote(Redacted(h.Destination))
		if h.State != Accepted || slices.Contains(failed.Places, shown) {
			continue
		}
		p, err := s.open(ctx, h.Destination)
		if asker, ok := p.(transport.Asker); ok && err == nil {
			err = s.askFor(ctx, asker, []*Handoff{h})
		}
		if err != nil {
			failed.Places, failed.Err = append(failed.Places, shown), errors.Join(failed.Err, err)
		}
	}
	if failed.Err != nil {
		return failed
	}
	return nil
}

// Addresses returns the addresses from which answers to some handoffs may still come.
func Addresses(list []*Handoff) []string {
	var all []string
	for _, h := range list {
		if h.State != Completed && !slices.Contains(all, h.Destination) {
			all = append(all, h.Destination)
		}
	}
	return all
}

// looking is the interval at which the store is polled for answers received by other processes.
const looking = 100 * time.Millisecond

// Wait waits until all handoffs of a list are answered or the context ends, which is not an error. It updates
// the handoffs from the store.
func (s *Sender) Wait(ctx context.Context, list []*Handoff) error {
	for _, address := range Addresses(list) {
		s.listen(address)
	}
	store := context.WithoutCancel(ctx)
	for {
		s.mu.Lock()
		told := s.told
		s.mu.Unlock()
		if err := s.store.refresh(store, list); err != nil {
			return err
		}
		open := slices.ContainsFunc(list, func(h *Handoff) bool { return !h.answeredNow() })
		if !open || ctx.Err() != nil {
			return nil
		}
		timer := time.NewTimer(looking)
		select {
		case <-ctx.Done():
		case <-told:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// answeredNow reports whether the receiver has answered this attempt.
func (h *Handoff) answeredNow() bool { return h.State.Taken() || h.State.Pending() }

// refresh updates handoffs from the store.
func (s *Store) refresh(ctx context.Context, list []*Handoff) error {
	for chunk := range slices.Chunk(list, maxNamed) {
		ids := make([]any, len(chunk))
		for i, h := range chunk {
			ids[i] = h.HandoffID
		}
		now := map[place]*Handoff{}
		err := s.db.View(ctx, func(t *database.Tx) error {
			found, err := read(t, "WHERE handoff_id IN ("+database.Marks(len(ids))+")", ids...)
			for _, h := range found {
				now[place{h.HandoffID, h.Receiver}] = h
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, h := range chunk {
			if is := now[place{h.HandoffID, h.Receiver}]; is != nil {
				h.become(is)
			}
		}
	}
	return nil
}

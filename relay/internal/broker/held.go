package broker

import (
	"context"
	"errors"
	"sync"

	"github.com/eaapl/handoff/relay/transport"
)

// Held are the deliveries that a consumer has from a broker and that have not ended: those that
// nobody has taken yet, and those that are being worked on.
type Held[D transport.Delivery] struct {
	limit   int
	queue   chan D
	changed chan struct{}
	mu      sync.Mutex
	held    map[transport.Delivery]bool
	over    chan struct{} // closed at the end
	err     error         // why; valid when over is closed
}

// ErrClosed is the error of a consumer that was closed.
var ErrClosed = errors.New("the consumer is closed")

// NewHeld returns one that has room for a number of deliveries.
func NewHeld[D transport.Delivery](limit int) *Held[D] {
	return &Held[D]{limit: limit, queue: make(chan D, limit), changed: make(chan struct{}, 1), held: map[transport.Delivery]bool{}, over: make(chan struct{})}
}

// Hold adds a delivery that nobody is to take.
func (h *Held[D]) Hold(d D) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held[d] = true
}

// Offer adds a delivery for Next. It waits while there is no room.
func (h *Held[D]) Offer(d D) {
	h.Hold(d)
	select {
	case h.queue <- d:
	case <-h.over:
	}
}

// Release ends a delivery. It returns false if it had ended before.
func (h *Held[D]) Release(d D) bool {
	h.mu.Lock()
	was := h.held[d]
	delete(h.held, d)
	h.mu.Unlock()
	if was {
		select {
		case h.changed <- struct{}{}:
		default:
		}
	}
	return was
}

// Room returns how many more may be held.
func (h *Held[D]) Room() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.limit - len(h.held)
}

// Changed has an element when there may be more room than before.
func (h *Held[D]) Changed() <-chan struct{} { return h.changed }

// All returns what is held.
func (h *Held[D]) All() []D {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := make([]D, 0, len(h.held))
	for d := range h.held {
		list = append(list, d.(D))
	}
	return list
}

// Next waits for a delivery that was offered. Its error is that of ctx, or that of End.
func (h *Held[D]) Next(ctx context.Context) (transport.Delivery, error) {
	select {
	case <-h.over:
		return nil, h.err
	default:
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-h.over:
		return nil, h.err
	case d := <-h.queue:
		return d, nil
	}
}

// End lets every Next return with an error; the first End counts.
func (h *Held[D]) End(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil {
		h.err = err
		close(h.over)
	}
}

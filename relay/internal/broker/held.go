package broker

import (
	"context"
	"errors"
	"sync"

	"github.com/eaapl/handoff/relay/transport"
)

// Held are a consumer's deliveries from a broker that have not ended: waiting for Next, or being processed.
type Held[D transport.Delivery] struct {
	limit   int
	queue   chan D
	changed chan struct{}
	mu      sync.Mutex
	held    map[transport.Delivery]bool
	over    chan struct{} // closed at the end
	err     error         // its error; valid when over is closed
}

// ErrClosed is the error of a consumer that was closed.
var ErrClosed = errors.New("the consumer is closed")

// NewHeld returns an empty list with a maximum number of deliveries.
func NewHeld[D transport.Delivery](limit int) *Held[D] {
	return &Held[D]{limit: limit, queue: make(chan D, limit), changed: make(chan struct{}, 1), held: map[transport.Delivery]bool{}, over: make(chan struct{})}
}

// Hold adds a delivery that Next does not return.
func (h *Held[D]) Hold(d D) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held[d] = true
}

// Offer adds a delivery for Next. It blocks while the list is full.
func (h *Held[D]) Offer(d D) {
	h.Hold(d)
	select {
	case h.queue <- d:
	case <-h.over:
	}
}

// Release ends a delivery. It returns false if it had already ended.
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

// Room returns the number of further deliveries that fit.
func (h *Held[D]) Room() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.limit - len(h.held)
}

// Changed receives an element when Room may have grown.
func (h *Held[D]) Changed() <-chan struct{} { return h.changed }

// All returns all held deliveries.
func (h *Held[D]) All() []D {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := make([]D, 0, len(h.held))
	for d := range h.held {
		list = append(list, d.(D))
	}
	return list
}

// Next waits for an offered delivery. Its error is that of ctx, or that of End.
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

// End makes every Next return an error; only the first call has an effect.
func (h *Held[D]) End(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil {
		h.err = err
		close(h.over)
	}
}

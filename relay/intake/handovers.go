package intake

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/eaapl/handoff/relay/receiver"
)

// Handovers are messages that were handed over and of which that is not yet durable. It is
// recorded with the next messages, or a moment later if none come: a message for which that
// is lost is handed over again. It is safe for concurrent use.
type Handovers struct {
	ctx      context.Context
	receiver *receiver.Receiver

	recording chan struct{} // full while something is recorded
	mu        sync.Mutex
	list      []receiver.Handover
	timer     *time.Timer
	closed    bool
	err       error
}

// How long handovers wait for others to be recorded with, and to be tried again.
const (
	noteAfter      = 20 * time.Millisecond
	noteAgainAfter = time.Second
)

// NewHandovers returns handovers that r records, of which there are none yet. The caller closes
// them.
func NewHandovers(ctx context.Context, r *receiver.Receiver) *Handovers {
	h := &Handovers{ctx: ctx, receiver: r, recording: make(chan struct{}, 1)}
	h.timer = time.AfterFunc(time.Hour, h.flush) // Add sets it
	return h
}

// Add lets handovers wait to be recorded.
func (h *Handovers) Add(list []receiver.Handover) {
	if len(list) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.list) == 0 {
		h.timer.Reset(noteAfter)
	}
	h.list = append(h.list, list...)
}

// Record records messages ([receiver.Receiver.Record]) with the handovers that wait. These wait
// again if it fails.
func (h *Handovers) Record(deliveries []*receiver.Delivery) (answers []receiver.Answer, err error) {
	err = h.with(func(noted []receiver.Handover) error {
		answers, err = h.receiver.Record(h.ctx, deliveries, noted)
		return err
	})
	return answers, err
}

func (h *Handovers) with(record func([]receiver.Handover) error) error {
	h.recording <- struct{}{}
	defer func() { <-h.recording }()
	h.mu.Lock()
	list := h.list
	h.list = nil
	h.mu.Unlock()
	err := record(list)
	if err != nil {
		h.mu.Lock()
		h.list = append(list, h.list...)
		h.mu.Unlock()
	}
	return err
}

// flush records the handovers that wait.
func (h *Handovers) flush() {
	err := h.with(func(list []receiver.Handover) error { return h.receiver.HandedOver(h.ctx, list) })
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = err // of the last try: it takes all that was left before
	if err != nil && !h.closed {
		h.timer.Reset(noteAgainAfter)
	}
}

// Close records what waits. If that fails, the messages are handed over again.
func (h *Handovers) Close() error {
	h.mu.Lock()
	h.closed = true
	h.timer.Stop()
	h.mu.Unlock()
	h.flush()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		return errors.Join(errors.New("it was not recorded that the last messages were handed over: they will be again"), h.err)
	}
	return nil
}

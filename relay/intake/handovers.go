package intake

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/eaapl/handoff/relay/receiver"
)

// Handovers are messages that were handed over without a durable record of it yet. They are recorded with the
// next messages, or a moment later if there are none. If that is lost, the messages are handed over again. It
// is safe for concurrent use.
type Handovers struct {
	ctx      context.Context
	receiver *receiver.Receiver

	recording chan struct{} // full while a goroutine records
	mu        sync.Mutex
	list      []receiver.Handover
	timer     *time.Timer
	closed    bool
	err       error
}

// The maximum time that handovers wait for other records, and the pause before another try.
const (
	noteAfter      = 20 * time.Millisecond
	noteAgainAfter = time.Second
)

// NewHandovers returns an empty list of handovers that r records. The caller closes it.
func NewHandovers(ctx context.Context, r *receiver.Receiver) *Handovers {
	h := &Handovers{ctx: ctx, receiver: r, recording: make(chan struct{}, 1)}
	h.timer = time.AfterFunc(time.Hour, h.flush) // reset by Add
	return h
}

// Add adds handovers to the list of those to record.
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

// Record records messages ([receiver.Receiver.Record]) together with the waiting handovers, which keep
// waiting if it fails.
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

// flush records the waiting handovers.
func (h *Handovers) flush() {
	err := h.with(func(list []receiver.Handover) error { return h.receiver.HandedOver(h.ctx, list) })
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = err // of the last try, which includes all earlier handovers
	if err != nil && !h.closed {
		h.timer.Reset(noteAgainAfter)
	}
}

// Close records the waiting handovers. If that fails, the messages are handed over again.
func (h *Handovers) Close() error {
	h.mu.Lock()
	h.closed = true
	h.timer.Stop()
	h.mu.Unlock()
	h.flush()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		return errors.Join(errors.New("the handover of the last messages was not recorded: they will be handed over again"), h.err)
	}
	return nil
}

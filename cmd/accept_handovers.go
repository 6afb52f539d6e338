package cmd

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/eaapl/handoff/pkg/receiver"
)

// handovers are messages that were handed over and of which that is not yet durable. It is
// recorded with the next messages, or a moment later if none come: a message for which that
// is lost is handed over again.
type handovers struct {
	ctx      context.Context
	receiver *receiver.Receiver

	recording sync.Mutex // while something is recorded
	mu        sync.Mutex
	list      []receiver.Handover
	timer     *time.Timer
	err       error
}

// noteAfter is how long a handover may wait for others to be recorded with.
const noteAfter = 20 * time.Millisecond

func newHandovers(ctx context.Context, r *receiver.Receiver) *handovers {
	h := &handovers{ctx: ctx, receiver: r}
	h.timer = time.AfterFunc(time.Hour, h.flush) // add sets it
	return h
}

// add lets handovers wait to be recorded.
func (h *handovers) add(list []receiver.Handover) {
	if len(list) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, list...)
	h.timer.Reset(noteAfter)
}

// with calls record with the handovers that wait. They wait again if it fails.
func (h *handovers) with(record func([]receiver.Handover) error) error {
	h.recording.Lock()
	defer h.recording.Unlock()
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
func (h *handovers) flush() {
	err := h.with(func(list []receiver.Handover) error { return h.receiver.HandedOver(h.ctx, list) })
	h.mu.Lock()
	h.err = err // of the last try: it takes all that was left before
	h.mu.Unlock()
}

// close records what waits.
func (h *handovers) close() error {
	h.timer.Stop()
	h.flush()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		return errors.Join(errors.New("it was not recorded that the last messages were handed over: they will be again"), h.err)
	}
	return nil
}

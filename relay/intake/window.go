package intake

import (
	"context"
	"sync"
)

// A window limits the messages in flight: their number, their size, and the total number of messages of the
// run.
type window struct {
	places int // total number

	mu      sync.Mutex
	free    int
	due     int // places reserved for messages that have not come
	chunks  int // places taken by chunks, which need no agent
	begun   int // agents that began early; they take no place
	bytes   int
	left    int           // messages that may still enter; negative for no limit
	changed chan struct{} // closed and replaced when places become free

	again     int    // number of waiting messages that have priority, since they came before
	interrupt func() // gives up a place reserved for a message that has not come; nil for none
}

func newWindow(places, inAll int) *window {
	if inAll == 0 {
		inAll = -1
	}
	return &window{places: places, free: places, left: inAll, changed: make(chan struct{})}
}

// enter waits for a place, and takes it. It returns false if no more messages may enter.
func (w *window) enter(ctx context.Context) bool { return w.occupy(ctx, true) }

// enterAgain is like enter, for a message that was counted when it came first. It has priority over new
// messages, which may never come.
func (w *window) enterAgain(ctx context.Context) bool {
	w.mu.Lock()
	w.again++
	if w.free == 0 && w.interrupt != nil {
		w.interrupt()
	}
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.again--
		w.broadcast()
	}()
	return w.occupy(ctx, false)
}

// interruptible sets the function that interrupts waiting for a message when its place is needed; nil for
// none.
func (w *window) interruptible(interrupt func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.interrupt = interrupt; interrupt != nil && w.again > 0 && w.free == 0 {
		interrupt()
	}
}

func (w *window) occupy(ctx context.Context, counts bool) bool {
	for ctx.Err() == nil {
		w.mu.Lock()
		over, changed := counts && w.left == 0, w.changed
		room := w.free > 0 && w.bytes < maxHeld && (!counts || w.again == 0)
		if room && !over {
			w.free--
			w.due++
			if counts && w.left > 0 {
				w.left--
			}
		}
		w.mu.Unlock()
		if over || room {
			return !over
		}
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
	return false
}

// cancel releases a place reserved for a message that has not come.
func (w *window) cancel() {
	w.mu.Lock()
	w.due--
	if w.left >= 0 {
		w.left++
	}
	w.mu.Unlock()
	w.leave(0)
}

// chunk notes that the entered message is a chunk: it is not counted, and needs no agent.
func (w *window) chunk() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left >= 0 {
		w.left++
	}
	w.chunks++
}

// unchunk releases the place of a chunk, or passes it to the message that the chunk completes.
func (w *window) unchunk() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chunks--
}

// begin notes that an agent begins early, unless complete messages need all agents.
func (w *window) begin() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.needed() >= w.places {
		return false
	}
	w.begun++
	return true
}

// unbegin notes that such an agent has ended, or has the complete message.
func (w *window) unbegin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun--
}

// crowded reports whether complete messages need the places of agents that began early.
func (w *window) crowded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.begun > 0 && w.needed() > w.places
}

// needed returns the number of agents in use or needed. The caller holds mu.
func (w *window) needed() int { return w.places - w.free - w.due - w.chunks + w.begun }

// count counts a message whose chunks have entered, and reports whether it was the last one allowed.
func (w *window) count() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left > 0 {
		w.left--
		return false
	}
	return w.left == 0
}

// hold notes the arrival and size of the message for a reserved place.
func (w *window) hold(bytes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due--
	w.bytes += bytes
}

// taken returns the number of messages that have come and not left, or whose agents began early.
func (w *window) taken() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.places - w.free - w.due + w.begun
}

// leave releases the place of a message.
func (w *window) leave(bytes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.free++
	w.bytes -= bytes
	w.broadcast()
}

// broadcast wakes all waiting goroutines. The caller holds mu.
func (w *window) broadcast() {
	close(w.changed)
	w.changed = make(chan struct{})
}

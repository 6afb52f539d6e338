package intake

import (
	"context"
	"sync"
)

// A window bounds what is taken from the transport and not finished: how many messages, how many
// bytes of them, and how many messages in all.
type window struct {
	places int // of all

	mu      sync.Mutex
	free    int
	due     int // places that are taken by messages that have not come
	chunks  int // places that are taken by chunks, which need no agent
	begun   int // agents that have begun before their messages are whole: they take no place
	bytes   int
	left    int           // how many may still enter; below 0 for any number
	changed chan struct{} // closed, and made anew, when there is more room

	again     int    // how many wait that go before others, since they have come before
	interrupt func() // gives up a place that is taken by a message that has not come; nil for none
}

func newWindow(places, inAll int) *window {
	if inAll == 0 {
		inAll = -1
	}
	return &window{places: places, free: places, left: inAll, changed: make(chan struct{})}
}

// enter waits for a place, and takes it. It reports false when there will be none.
func (w *window) enter(ctx context.Context) bool { return w.occupy(ctx, true) }

// enterAgain is enter for a message that was counted when it came first. It goes before those that
// have not come, which may never.
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

// interruptible lets a wait for a message end when its place is needed; nil ends that.
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

// cancel gives back a place that was entered for a message that has not come.
func (w *window) cancel() {
	w.mu.Lock()
	w.due--
	if w.left >= 0 {
		w.left++
	}
	w.mu.Unlock()
	w.leave(0)
}

// chunk notes that what has entered is a chunk: it does not count, and needs no agent.
func (w *window) chunk() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left >= 0 {
		w.left++
	}
	w.chunks++
}

// unchunk notes that the place of a chunk is left, or passed to the message that it has ended.
func (w *window) unchunk() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chunks--
}

// begin notes that an agent begins before its message is whole, unless messages that are need all
// agents there may be.
func (w *window) begin() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.needed() >= w.places {
		return false
	}
	w.begun++
	return true
}

// unbegin notes that such an agent has ended, or has got the whole message.
func (w *window) unbegin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun--
}

// crowded reports whether agents that have begun early are too many beside those that whole
// messages need.
func (w *window) crowded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.begun > 0 && w.needed() > w.places
}

// needed returns how many agents there are, and are needed. The caller holds mu.
func (w *window) needed() int { return w.places - w.free - w.due - w.chunks + w.begun }

// count counts a message whose parts have entered, and reports whether it was the last one that
// may.
func (w *window) count() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left > 0 {
		w.left--
		return false
	}
	return w.left == 0
}

// hold notes that the message has come that was entered for, and its size.
func (w *window) hold(bytes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due--
	w.bytes += bytes
}

// taken returns how many messages have come and not left, or have agents that have begun.
func (w *window) taken() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.places - w.free - w.due + w.begun
}

// leave makes room for another message.
func (w *window) leave(bytes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.free++
	w.bytes -= bytes
	w.broadcast()
}

// broadcast lets those that wait look again. The caller holds mu.
func (w *window) broadcast() {
	close(w.changed)
	w.changed = make(chan struct{})
}

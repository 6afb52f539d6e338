package receiver

import (
	"sync"

	"github.com/eaapl/handoff/relay/audit"
)

// A takeover is this process's handling of a message left by a dead one. While the result of recording it is
// unknown, or after it failed before the message was read, the log may name this process as the message's
// owner although no goroutine handles the message: then the message still counts as left.
type takeover struct {
	pending audit.Pending // the message as it was left
	failed  bool          // no goroutine handles it; the next one that finds the message takes it
	tried   Left          // the result of settling it, if that may have been recorded; otherwise without Status
}

// takeovers are the running and failed takeovers of a process, by the sequence number of the message's
// acceptance. It is safe for concurrent use; decisions within a batch of the log are made by one goroutine at
// a time.
type takeovers struct {
	mu   sync.Mutex
	list map[int64]*takeover
}

// failed returns the failed takeover of a message, nil if there is none.
func (t *takeovers) failed(sequence int64) *takeover {
	t.mu.Lock()
	defer t.mu.Unlock()
	if of := t.list[sequence]; of != nil && of.failed {
		return of
	}
	return nil
}

// allFailed returns the takeovers that have failed, in any order.
func (t *takeovers) allFailed() (list []*takeover) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, of := range t.list {
		if of.failed {
			list = append(list, of)
		}
	}
	return list
}

// begin replaces the failed takeover of a message, if any, by a new one.
func (t *takeovers) begin(p audit.Pending) *takeover {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.list == nil {
		t.list = map[int64]*takeover{}
	}
	of := &takeover{pending: p}
	t.list[p.Sequence] = of
	return of
}

// fail notes that a takeover has failed, or may have. It has no effect if another one was begun since.
func (t *takeovers) fail(of *takeover) {
	t.mu.Lock()
	defer t.mu.Unlock()
	of.failed = true
}

// end forgets a takeover, unless another one was begun since.
func (t *takeovers) end(of *takeover) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.list[of.pending.Sequence] == of {
		delete(t.list, of.pending.Sequence)
	}
}

// isLeft reports whether no goroutine of any live process handles a message in flight.
func (r *Receiver) isLeft(p audit.Pending) bool {
	return !p.Alive || p.Instance == r.instance && r.takeovers.failed(p.Sequence) != nil
}

// isRecorded reports whether the log has a record that a try may have made. It is false if tried has no
// event.
func isRecorded(r audit.Reader, tried audit.Stored) (bool, error) {
	if tried.Event == "" {
		return false, nil
	}
	s, err := recordAt(r, tried.Sequence)
	return err == nil && s.Hash == tried.Hash, err
}

package receiver

import (
	"sync"

	"github.com/eaapl/handoff/relay/audit"
)

// A takeover is what this process does with a message that a dead one has left. As long as nobody
// knows that it was recorded, or after it failed before the message was read, the log may show this
// process as the one that has the message, and yet nobody in it does: the message is still left.
type takeover struct {
	pending audit.Pending // as it was left
	failed  bool          // nobody is at it; the next one that finds the message takes it
	tried   Left          // how it was settled, if that may have been recorded; no Status if it was not tried
}

// takeovers are those of a process that run or have failed, by the sequence of the record by which
// the message was accepted. It is safe for concurrent use; what is decided in a batch of the log is
// decided by one goroutine at a time.
type takeovers struct {
	mu   sync.Mutex
	list map[int64]*takeover
}

// failed returns the takeover of a message that has failed, nil if there is none.
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

// begin puts a new takeover of a message in the place of one that has failed.
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

// fail notes that a takeover has failed, or may have. It does nothing if another one was begun since.
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

// isLeft reports whether a message that is under way is left with nobody.
func (r *Receiver) isLeft(p audit.Pending) bool {
	return !p.Alive || p.Instance == r.instance && r.takeovers.failed(p.Sequence) != nil
}

// isRecorded reports whether the log has a record that was tried, which is none without an event.
func isRecorded(r audit.Reader, tried audit.Stored) (bool, error) {
	if tried.Event == "" {
		return false, nil
	}
	s, err := recordAt(r, tried.Sequence)
	return err == nil && s.Hash == tried.Hash, err
}

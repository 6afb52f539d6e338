package http

import "sync"

// work counts the messages in work and their bytes.
type work struct {
	maxMessages int
	maxBytes    int64

	mu       sync.Mutex
	messages int
	bytes    int64
}

// begin reports whether one more message of some size can be taken, which counts from here on.
// There is always room for one.
func (w *work) begin(size int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.messages >= w.maxMessages || w.messages > 0 && size > w.maxBytes-w.bytes {
		return false
	}
	w.messages++
	w.bytes += size
	return true
}

func (w *work) end(size int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.messages--
	w.bytes -= size
}

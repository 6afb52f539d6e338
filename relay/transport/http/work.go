package http

import (
	"bytes"
	"errors"
	"io"
	"math"
	"sync"
)

// work counts the messages in work and their bytes.
type work struct {
	maxMessages int
	maxBytes    int64

	mu       sync.Mutex
	messages int
	bytes    int64
}

// isFull reports whether a message of the given size exceeds the limits now.
func (w *work) isFull(size int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.hasRoom(size)
}

func (w *work) hasRoom(size int64) bool {
	return w.messages == 0 || w.messages < w.maxMessages && size <= w.maxBytes-w.bytes
}

// begin reports whether a message of the given size is within the limits, and counts it if so. One
// message always is.
func (w *work) begin(size int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.hasRoom(size) {
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

// A budget is a limited number of bytes.
type budget struct {
	mu   sync.Mutex
	left int64
}

// take reports whether size bytes are available, and takes them. The caller gives them back.
func (b *budget) take(size int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if size > b.left {
		return false
	}
	b.left -= size
	return true
}

func (b *budget) give(size int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left += size
}

// small is the number of bytes of a body read without a budget: the number of connections limits
// their total.
const small = 16 << 10

// errBudget reports that the budget for bodies is exhausted.
var errBudget = errors.New("the arriving messages fill the memory")

// read reads a body of at most limit bytes, whose length is that of the request or -1. It allocates
// memory as bytes arrive, not as announced.
func (b *budget) read(body io.Reader, length, limit int64) (text []byte, err error) {
	most := min(limit, math.MaxInt64-1) + 1 // one more, to detect a longer body
	if length >= 0 {
		most = min(most, length+1)
	}
	text = make([]byte, 0, min(most, small))
	taken := int64(0)
	defer func() { b.give(taken) }()
	for {
		if len(text) == cap(text) {
			larger := min(most, 2*int64(cap(text)))
			if larger == int64(len(text)) { // the reader ends it
				larger++
			}
			if !b.take(larger) {
				return nil, errBudget
			}
			text = append(make([]byte, 0, larger), text...)
			b.give(taken)
			taken = larger
		}
		n, err := body.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		switch {
		case err == io.EOF && cap(text)-len(text) > small:
			return bytes.Clone(text), nil
		case err == io.EOF:
			return text, nil
		case err != nil:
			return nil, err
		}
	}
}

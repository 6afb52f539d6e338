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

// isFull reports whether there is no room for one more message of some size now.
func (w *work) isFull(size int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.hasRoom(size)
}

func (w *work) hasRoom(size int64) bool {
	return w.messages == 0 || w.messages < w.maxMessages && size <= w.maxBytes-w.bytes
}

// begin reports whether one more message of some size can be taken, which counts from here on.
// There is always room for one.
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

// A budget is how many bytes there may be of something.
type budget struct {
	mu   sync.Mutex
	left int64
}

// take reports whether there are so many bytes, which the caller gives back.
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

// small is how much of a body is read without a budget, in bytes: the number of connections bounds it.
const small = 16 << 10

// errBudget says that there is no room for more of a body.
var errBudget = errors.New("the messages that are coming fill the memory")

// read reads a body of limit bytes at most, whose length is that of the request or -1. It takes memory as
// bytes come, not as they are announced.
func (b *budget) read(body io.Reader, length, limit int64) (text []byte, err error) {
	most := min(limit, math.MaxInt64-1) + 1 // where the end shows
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

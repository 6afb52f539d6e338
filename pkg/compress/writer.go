package compress

import (
	"errors"
	"io"
	"runtime"
	"slices"
)

// A Writer compresses what is written to it, on all cores, and writes it in
// order. A few units are held in memory for every core. It is not safe for
// concurrent use.
//
// A unit is followed by the first bytes of the next one at once, so that the output
// always ends inside a unit before Close: every reader reports the output of an
// interrupted run as cut off.
type Writer struct {
	w       io.Writer
	encoder *Encoder
	content []byte  // of the unit that is being collected
	pending []*unit // in flight, in order
	free    []*unit // to be used again
	begun   bool    // the first bytes of the next unit have been written
	err     error
}

// A unit is content that is being compressed.
type unit struct {
	content, data []byte
	done          chan struct{}
}

var errClosed = errors.New("write to a closed compressor")

// NewWriter returns a writer that compresses to w with encoder. The caller ends
// it with Close, which does not close w; without Close, what was written is cut
// off.
func NewWriter(w io.Writer, encoder *Encoder) *Writer {
	return &Writer{w: w, encoder: encoder}
}

// Write compresses p, or keeps it for the unit that is being collected. An error
// is that of w, perhaps for what was written earlier; every later call returns it
// again.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	length := len(p)
	for len(p) > 0 {
		n := min(len(p), w.encoder.format.unit-len(w.content))
		w.content = append(w.content, p[:n]...)
		p = p[n:]
		if len(w.content) == w.encoder.format.unit {
			w.start()
		}
	}
	return length - len(p), w.err
}

// ReadFrom compresses what r holds, without copying it first. Errors are those of
// r, which may be tried again, and those of Write.
func (w *Writer) ReadFrom(r io.Reader) (int64, error) {
	const first = 64 << 10 // short content takes little memory
	total := int64(0)
	for w.err == nil {
		if len(w.content) == cap(w.content) {
			w.content = slices.Grow(w.content, max(first, len(w.content)))
		}
		n, err := r.Read(w.content[len(w.content):min(cap(w.content), w.encoder.format.unit)])
		w.content = w.content[:len(w.content)+n]
		total += int64(n)
		if len(w.content) == w.encoder.format.unit {
			w.start()
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return total, err
		}
	}
	return total, w.err
}

// WriteUnit writes a unit that the encoder made, after all that was written
// before. Nothing may change the bytes until they are flushed.
func (w *Writer) WriteUnit(data []byte) error {
	if len(w.content) > 0 && w.err == nil {
		w.start()
	}
	u := &unit{data: slices.Clip(data), done: make(chan struct{}, 1)}
	u.done <- struct{}{}
	w.pending = append(w.pending, u)
	w.drain(maxPending())
	return w.err
}

// maxPending is how many units may be in flight: one for every core, and one for the core
// that is done first.
func maxPending() int { return runtime.GOMAXPROCS(0) + 1 }

// start begins to compress the content collected.
func (w *Writer) start() {
	u := &unit{done: make(chan struct{}, 1)}
	if n := len(w.free); n > 0 {
		u, w.free = w.free[n-1], w.free[:n-1]
	}
	u.content, w.content = w.content, u.content[:0]
	w.pending = append(w.pending, u)
	go func() {
		u.data = w.encoder.Append(u.data[:0], u.content)
		u.done <- struct{}{}
	}()
	w.drain(maxPending())
}

// drain writes units until limit are left in flight.
func (w *Writer) drain(limit int) {
	for len(w.pending) > limit && w.err == nil {
		w.writeFirst(w.encoder.format.magic)
	}
}

// writeFirst writes the first of the pending units, and what is to follow it.
func (w *Writer) writeFirst(next string) {
	u := w.pending[0]
	w.pending = w.pending[1:]
	<-u.done
	data := append(u.data, next...)
	if w.begun {
		data = data[len(w.encoder.format.magic):]
	}
	w.begun = next != ""
	_, w.err = w.w.Write(data)
	if len(w.free) < maxPending() {
		w.free = append(w.free, u)
	}
}

// Flush ends the unit that is being collected, if it is not empty, and writes
// out everything. Frequent flushing makes short units, which compress badly.
func (w *Writer) Flush() error {
	if len(w.content) > 0 && w.err == nil {
		w.start()
	}
	w.drain(0)
	return w.err
}

// Close writes out everything. It does not close the underlying writer.
func (w *Writer) Close() error {
	if w.err == errClosed {
		return nil
	}
	if len(w.content) > 0 || len(w.pending) == 0 {
		w.start() // empty content is an empty unit, as is a last one that was begun
	}
	w.drain(1)
	if w.err != nil {
		return w.err
	}
	if w.writeFirst(""); w.err != nil {
		return w.err
	}
	w.err = errClosed
	return nil
}

package compress

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// A Writer compresses content into one unit, on all cores. It is not safe for concurrent use. It
// may write to the underlying writer at any time until Flush, Close or Discard returns.
//
// The unit ends with Close, so every reader reports the output of an interrupted run as truncated.
type Writer struct {
	out     *gate
	encoder *Encoder
	size    int64  // of the content, -1 if unknown
	written int64  // bytes of content
	content []byte // the whole content while it is short
	stream  stream // used once the content is long or was flushed
	err     error
}

// A stream compresses content into one unit.
type stream interface {
	io.Writer
	Flush() error
	Close() error
	// discard abandons a stream that was not closed.
	discard()
}

// Unknown is the size of content of unknown size.
const Unknown = -1

// A SizeError reports content whose size differs from the announced one.
type SizeError struct{ Size, Written int64 } // in bytes

func (e *SizeError) Error() string {
	return fmt.Sprintf("expected %d bytes to compress, found %d", e.Size, e.Written)
}

var errClosed = errors.New("write to a closed compressor")

// NewWriter returns a writer that compresses to w with encoder. size is the size of the content or
// [Unknown]; a zstd frame has it in its header if it is known or the content is short. The caller
// must call Close, which does not close w, or Discard to leave the output truncated.
func NewWriter(w io.Writer, encoder *Encoder, size int64) *Writer {
	return &Writer{out: &gate{w: w}, encoder: encoder, size: size}
}

// Write compresses or buffers p. An error is that of w, possibly for data of earlier calls, or a
// [*SizeError]; every later call returns it.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	w.written += int64(len(p))
	if w.size >= 0 && w.written > w.size {
		w.fail(&SizeError{w.size, w.written})
		return 0, w.err
	}
	if w.stream == nil && len(w.content)+len(p) <= w.encoder.format.unit && w.size <= int64(w.encoder.format.unit) {
		w.content = append(w.content, p...)
		return len(p), nil
	}
	if w.begin(); w.err != nil {
		return 0, w.err
	}
	n, err := w.stream.Write(p)
	w.fail(err)
	return n, w.err
}

// begin begins a stream for content that is, or may become, too long to be buffered.
func (w *Writer) begin() {
	if w.stream != nil {
		return
	}
	w.stream = w.encoder.stream(w.out, w.size)
	if len(w.content) > 0 {
		_, err := w.stream.Write(w.content)
		w.fail(err)
	}
	w.content = nil
}

// fail keeps the first error, after which nothing is written.
func (w *Writer) fail(err error) {
	if err != nil && w.err == nil {
		w.err = err
		w.Discard()
	}
}

// Flush writes all buffered data without ending the unit. Frequent flushing reduces the
// compression.
func (w *Writer) Flush() error {
	if w.err != nil || w.written == 0 {
		return w.err
	}
	if w.begin(); w.err == nil {
		w.fail(w.stream.Flush())
	}
	return w.err
}

// Close writes all buffered data and ends the unit. It does not close the underlying writer.
func (w *Writer) Close() error {
	switch {
	case w.err == errClosed:
		return nil
	case w.err == nil && w.size >= 0 && w.written != w.size:
		w.fail(&SizeError{w.size, w.written})
	}
	if w.err != nil {
		return w.err
	}
	if w.stream == nil {
		_, err := w.out.Write(w.encoder.Append(nil, w.content))
		w.fail(err)
	} else {
		w.fail(w.stream.Close())
	}
	if w.err != nil {
		return w.err
	}
	w.release()
	w.err = errClosed
	return nil
}

// Discard abandons the unit: nothing more is written. After Close, it does nothing.
func (w *Writer) Discard() {
	w.out.closed.Store(true)
	if w.stream != nil {
		w.stream.discard()
	}
	w.release()
	if w.err == nil {
		w.err = errClosed
	}
}

// release frees the buffers.
func (w *Writer) release() {
	if w.stream != nil {
		w.encoder.free(w.stream)
	}
	w.stream, w.content = nil, nil
}

// A gate is a writer that can be closed while other goroutines write to it.
type gate struct {
	w      io.Writer
	closed atomic.Bool
}

func (g *gate) Write(p []byte) (int, error) {
	if g.closed.Load() {
		return 0, errClosed
	}
	return g.w.Write(p)
}

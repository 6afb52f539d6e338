package cmd

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// process does work on the documents of the sources, a batch at a time on all
// cores, and consumes the results in the order of the input. Whenever no further
// result may be ready, it flushes. It tells progress until it returns.
func process[R any](list []source, limits jsonstream.Limits, p *progress, work func([]document) R, consume func(R) error, flush func() error) error {
	p.start(list)
	defer p.stop()
	produce := func(emit func([]document) bool) { batches(list, limits, p.bytes, emit) }
	return inOrder(produce, work, consume, flush)
}

// inOrder is process for batches that produce emits, without telling.
func inOrder[R any](produce func(emit func([]document) bool), work func([]document) R, consume func(R) error, flush func() error) error {
	// A stream leaves garbage behind at the speed of reading. The collector runs
	// when as much as is in use has come together; counting this block, which is
	// never touched and so takes no memory, it runs a tenth as often. To make it
	// takes a millisecond, which short runs need not spend.
	var headroom []byte
	done := 0
	err := ordered(produce, work, func(r R, more bool) error {
		if done++; done == 10 {
			headroom = make([]byte, 32<<20)
		}
		if err := consume(r); err != nil || more {
			return err
		}
		return flush()
	}, bound[[]document]{mostAhead, isLarge})
	runtime.KeepAlive(headroom)
	return err
}

// answer is what a run comes to: trouble if something could not be read, and
// otherwise yes or no.
func answer(unread int, no bool) error {
	switch {
	case unread > 0:
		return errReported
	case no:
		return errNo
	default:
		return nil
	}
}

const (
	// batchBytes is how much of a source one core takes at a time.
	batchBytes = 256 << 10
	// batchDocuments bounds what a batch of very short documents can have to
	// say: each may have many times its size in findings.
	batchDocuments = 64
)

// mostAhead is how many batches may wait for a huge one before them.
const mostAhead = 96

// isLarge tells a batch that is one long document, perhaps behind short ones.
func isLarge(batch []document) bool {
	return len(batch[len(batch)-1].raw.Bytes) > 2*batchBytes
}

// shortFile is how long a file may be, in bytes, to be read ahead of its turn.
const shortFile = 256 << 10

// batches cuts the sources into work for the cores: documents of one source, in
// order. Short files are read ahead, several at a time. Nothing that can be
// worked on waits for input. count is told of every byte read.
func batches(list []source, limits jsonstream.Limits, count func(int), emit func([]document) bool) {
	produce := func(next func(source) bool) {
		for _, s := range list {
			if !next(s) {
				return
			}
		}
	}
	// The error only ends the reading: whoever refused a batch knows why.
	_ = ordered(produce, source.readAhead, func(s source, _ bool) error {
		var batch []document
		size, goOn := 0, true
		s.documents(limits, count, func(d document, ready bool) bool {
			batch = append(batch, d)
			size += len(d.raw.Bytes)
			if size >= batchBytes || len(batch) == batchDocuments || !ready {
				goOn = emit(batch)
				batch, size = nil, 0
			}
			return goOn
		})
		if !goOn || batch != nil && !emit(batch) {
			return errNotWanted
		}
		return nil
	}, bound[source]{})
}

var errNotWanted = errors.New("no more batches wanted")

// readAhead returns the source with its bytes at hand, if it is a short file.
func (s source) readAhead() source {
	if s.err != nil || s.size < 0 || s.size > shortFile {
		return s
	}
	f, err := os.Open(s.path)
	if err != nil {
		s.err = plainError(err)
		return s
	}
	defer f.Close() // read only: nothing can be lost
	// A file that has grown meanwhile is read in its turn.
	text, err := io.ReadAll(io.LimitReader(f, shortFile+1))
	switch {
	case err != nil:
		s.err = plainError(err)
	case len(text) <= shortFile:
		s.in = bytes.NewReader(text)
	}
	return s
}

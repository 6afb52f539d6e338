package input

import (
	"bytes"
	"errors"
	"io"
	"runtime"

	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Process does work on batches of the documents of the sources concurrently and consumes the results in input
// order. It calls flush whenever the next result may not be ready. It reports its progress until it returns.
func Process[R any](list []Source, limits jsonstream.Limits, p *term.Progress, work func([]Document) R, consume func(R) error, flush func() error) error {
	Watch(p, list)
	defer p.Stop()
	produce := func(emit func([]Document) bool) { Batches(list, limits, p.Bytes, emit) }
	return InOrder(produce, work, consume, flush)
}

// InOrder is like Process, but for the batches that produce emits, and without progress.
func InOrder[R any](produce func(emit func([]Document) bool), work func([]Document) R, consume func(R) error, flush func() error) error {
	// A stream produces garbage at the speed of reading. The garbage collector runs when the heap has
	// doubled. This block is part of the heap but never touched, so it takes no memory, and the collector
	// runs a tenth as often. Allocating it takes a millisecond, too long for short runs.
	var headroom []byte
	done := 0
	err := Ordered(produce, work, func(r R, more bool) error {
		if done++; done == 10 {
			headroom = make([]byte, 32<<20)
		}
		if err := consume(r); err != nil || more {
			return err
		}
		return flush()
	}, Bound[[]Document]{maxAhead, isLarge})
	runtime.KeepAlive(headroom)
	return err
}

const (
	// BatchBytes is the size of a batch in bytes.
	BatchBytes = 256 << 10
	// batchDocuments limits the findings of a batch of very short documents, which may be many times as large
	// as the documents.
	batchDocuments = 64
)

// maxAhead is the maximum number of batches that wait for a huge one before them.
const maxAhead = 96

// isLarge reports whether a batch ends in one long document.
func isLarge(batch []Document) bool {
	last := batch[len(batch)-1]
	return len(last.Raw.Bytes) > 2*BatchBytes || last.Long > 0
}

// shortFile is the maximum size of a file to read ahead, in bytes.
const shortFile = 256 << 10

// Batches divides the sources into batches of documents of one source, in order. Short files are read ahead,
// several at a time. No complete batch waits for input. count is called with the number of bytes of each
// read.
func Batches(list []Source, limits jsonstream.Limits, count func(int), emit func([]Document) bool) {
	produce := func(next func(Source) bool) {
		for _, s := range list {
			if !next(s) {
				return
			}
		}
	}
	// The caller of emit knows the reason for stopping.
	_ = Ordered(produce, Source.readAhead, func(s Source, _ bool) error {
		var batch []Document
		size, goOn := 0, true
		s.Documents(limits, count, func(d Document, ready bool) bool {
			batch = append(batch, d)
			size += len(d.Raw.Bytes)
			if size >= BatchBytes || len(batch) == batchDocuments || !ready {
				goOn = emit(batch)
				batch, size = nil, 0
			}
			return goOn
		})
		if !goOn || batch != nil && !emit(batch) {
			return errNotWanted
		}
		return nil
	}, Bound[Source]{})
}

// Wholes emits the content of each source as one document that need not be JSON.
func Wholes(list []Source, limits jsonstream.Limits, count func(int), emit func([]Document) bool) {
	for _, s := range list {
		if !emit([]Document{s.WholeText(limits, count)}) {
			return
		}
	}
}

var errNotWanted = errors.New("no more batches wanted")

// readAhead returns the source with its content in memory, if it is a short file.
func (s Source) readAhead() Source {
	if s.Err != nil || s.Size < 0 || s.Size > shortFile {
		return s
	}
	f, err := regular.Open(s.Path)
	if err != nil {
		s.Err = term.PlainError(err)
		return s
	}
	defer f.Close() // read only: nothing can be lost
	// A file that has grown since then is read when its turn comes.
	text, err := io.ReadAll(io.LimitReader(f, shortFile+1))
	switch {
	case err != nil:
		s.Err = term.PlainError(err)
	case len(text) <= shortFile:
		s.In = bytes.NewReader(text)
	}
	return s
}

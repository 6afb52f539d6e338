package cmd

import "github.com/eaapl/handoff/pkg/jsonstream"

const (
	// batchBytes is how much of a source one core takes at a time.
	batchBytes = 256 << 10
	// batchFiles is how many small files one core takes at a time.
	batchFiles = 16
)

// A batch is work for one core: documents of a long source, or short sources
// that the core reads itself.
type batch struct {
	documents []document
	sources   []source
}

// each calls yield with every document of the batch.
func (b batch) each(limits jsonstream.Limits, count func(int), yield func(document)) {
	for _, d := range b.documents {
		yield(d)
	}
	for _, s := range b.sources {
		s.documents(limits, count, func(d document, _ bool) bool {
			yield(d)
			return true
		})
	}
}

// batches cuts the sources into work. Short files are left for the cores to
// read; what may be long is read here. count is told of every byte read.
func batches(list []source, limits jsonstream.Limits, count func(int), emit func(batch) bool) {
	var short []source
	for _, s := range list {
		if s.size >= 0 && s.size <= batchBytes && s.err == nil {
			if short = append(short, s); len(short) == batchFiles {
				if !emit(batch{sources: short}) {
					return
				}
				short = nil
			}
			continue
		}
		if short != nil && !emit(batch{sources: short}) {
			return
		}
		short = nil
		var long batch
		size, goOn := 0, true
		s.documents(limits, count, func(d document, ready bool) bool {
			long.documents = append(long.documents, d)
			size += len(d.raw.Bytes)
			if size >= batchBytes || !ready {
				goOn = emit(long)
				long, size = batch{}, 0
			}
			return goOn
		})
		if !goOn || long.documents != nil && !emit(long) {
			return
		}
	}
	if short != nil {
		emit(batch{sources: short})
	}
}

package cmd

import "github.com/eaapl/handoff/pkg/jsonstream"

const (
	// batchBytes is how much of a source one core takes at a time.
	batchBytes = 256 << 10
	// batchDocuments bounds what a batch of very short documents can have to
	// say: each may have many times its size in findings.
	batchDocuments = 64
)

// batches cuts the sources into work for the cores: documents of one source, in
// order. Nothing that can be worked on waits for input. count is told of every
// byte read.
func batches(list []source, limits jsonstream.Limits, count func(int), emit func([]document) bool) {
	for _, s := range list {
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
			return
		}
	}
}

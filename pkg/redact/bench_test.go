package redact

import (
	"testing"

	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
)

// BenchmarkFind searches for personal data in messages of all formats, which contain almost none.
// It includes the reading of their JSON.
func BenchmarkFind(b *testing.B) {
	s := scanner(privacy.Policy{})
	all := examples(b)
	size := 0
	for _, text := range all {
		size += len(text)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, text := range all {
			doc := parse(b, text)
			f, _ := formats.Detect(doc.Root())
			Find(doc, f, s, jsonstream.Limits{})
		}
	}
}

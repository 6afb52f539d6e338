package jsonstream_test

import (
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// A message in the order of its sender, with members as in the specification, and one that is
// already canonical.
func BenchmarkCanonical(b *testing.B) {
	indented, err := schemas.Example("message")
	if err != nil {
		b.Fatal(err)
	}
	compact := jsonstream.AppendCompact(nil, indented)
	sorted, err := canonical(b, string(compact))
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct{ name, text string }{
		{"indented", string(indented)},
		{"compact", string(compact)},
		{"sorted", sorted},
	} {
		root := parse(b, bench.text).Root()
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.text)))
			b.ReportAllocs()
			var text []byte
			for b.Loop() {
				var err error
				if text, err = jsonstream.AppendCanonical(text[:0], root, jsonstream.CanonicalOptions{Exact: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompact(b *testing.B) {
	indented, err := schemas.Example("message")
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct {
		name string
		text []byte
	}{
		{"indented", indented},
		{"compact", jsonstream.AppendCompact(nil, indented)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.text)))
			b.ReportAllocs()
			var text []byte
			for b.Loop() {
				text = jsonstream.AppendCompact(text[:0], bench.text)
			}
		})
	}
}

package validate_test

import (
	"context"
	"testing"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// BenchmarkValidate measures parsing and validating the example message, by
// layer.
func BenchmarkValidate(b *testing.B) {
	text, err := schemas.Example("message")
	if err != nil {
		b.Fatal(err)
	}
	run := func(layers ...finding.Layer) func(*testing.B) {
		return func(b *testing.B) {
			v := validate.New(validate.Options{Layers: layers})
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				m, err := message.ParseInPlace(jsonstream.NewRaw(text), message.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if r, err := v.Validate(context.Background(), m); err != nil || !r.Valid {
					b.Fatal(err, r.Details)
				}
			}
		}
	}
	b.Run("parse", run(finding.Signature)) // does nothing without a key
	b.Run("all", run())
	for _, layer := range []finding.Layer{finding.Schema, finding.Completeness, finding.Budget, finding.Safety, finding.Lint} {
		b.Run(string(layer), run(layer))
	}
}

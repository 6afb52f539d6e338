package sign

import (
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/schemas"
)

// example returns a message with its members in the order of the specification, and the same
// message in canonical form.
func example(b *testing.B) (asMade, sorted *message.Message) {
	b.Helper()
	text, err := schemas.Example("message")
	if err != nil {
		b.Fatal(err)
	}
	asMade = parse(b, string(jsonstream.AppendCompact(nil, text)))
	if text, err = canonical(asMade); err != nil {
		b.Fatal(err)
	}
	return asMade, parse(b, string(text))
}

func benchmarkKeys() []Key { return []Key{NewKey("k"), NewEd25519Key("k")} }

func BenchmarkSign(b *testing.B) {
	m, _ := example(b)
	for _, k := range benchmarkKeys() {
		b.Run(string(k.Algorithm()), func(b *testing.B) {
			b.SetBytes(int64(len(m.Raw())))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Sign(m, k, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkVerify(b *testing.B) {
	asMade, sorted := example(b)
	for _, k := range benchmarkKeys() {
		v, err := NewVerifier([]Key{k})
		if err != nil {
			b.Fatal(err)
		}
		for _, bench := range []struct {
			name string
			m    *message.Message
		}{
			{"as made", asMade},
			{"sorted", sorted},
		} {
			m := parse(b, mustSign(b, string(bench.m.Raw()), k))
			b.Run(string(k.Algorithm())+"/"+bench.name, func(b *testing.B) {
				b.SetBytes(int64(len(m.Raw())))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := v.Verify(m); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

package schema

import (
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A token is one call of a follower.
type token struct {
	call byte
	kind jsonstream.Kind
	raw  []byte
}

// A recorder keeps the tokens that it gets.
type recorder []token

func (r *recorder) Reset()                                  { *r = nil }
func (r *recorder) Begin(kind jsonstream.Kind)              { *r = append(*r, token{'b', kind, nil}) }
func (r *recorder) Name(raw []byte)                         { *r = append(*r, token{'n', 0, raw}) }
func (r *recorder) Scalar(kind jsonstream.Kind, raw []byte) { *r = append(*r, token{'s', kind, raw}) }
func (r *recorder) End()                                    { *r = append(*r, token{'e', 0, nil}) }

func (r recorder) replay(f jsonstream.Follower) {
	for i := range r {
		switch t := &r[i]; t.call {
		case 'b':
			f.Begin(t.kind)
		case 'n':
			f.Name(t.raw)
		case 's':
			f.Scalar(t.kind, t.raw)
		default:
			f.End()
		}
	}
}

// BenchmarkRun is what all callbacks for one document take.
func BenchmarkRun(b *testing.B) {
	for _, s := range subjects(b) {
		b.Run(s.name, func(b *testing.B) {
			var tokens recorder
			parse(b, s.example).Root().Follow(&tokens)
			r, _ := s.compile(b)
			b.SetBytes(int64(len(s.example)))
			b.ReportAllocs()
			for b.Loop() {
				r.Reset()
				tokens.replay(r)
				if r.Verdict() != Valid {
					b.Fatal("not valid")
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, s := range subjects(b) {
		b.Run(s.name, func(b *testing.B) {
			schema := parse(b, s.schema)
			o := options()
			o.Load = loadOurs
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compile(s.url, schema, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

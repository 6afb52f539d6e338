package streamschema

import (
	"bytes"
	"os"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// A token is one call of a follower.
type token struct {
	call byte
	kind jsonstream.Kind
	raw  []byte
}

// A recorder keeps the tokens that it is told of.
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

func embedded(t testing.TB, name string) *Program {
	t.Helper()
	text, err := schemas.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(schemas.Base+name, parse(t, text), options())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func benchmarkRun(b *testing.B, name string, text []byte) {
	var tokens recorder
	parse(b, text).Root().Follow(&tokens)
	r := embedded(b, name).NewRun()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r.Reset()
		tokens.replay(r)
		if r.Verdict() != Valid {
			b.Fatal("not valid")
		}
	}
	b.ReportMetric(float64(len(tokens)), "tokens/op")
}

func example(t testing.TB, kind string) []byte {
	t.Helper()
	text, err := schemas.Example(kind)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func BenchmarkMessage(b *testing.B) { benchmarkRun(b, schemas.Message, example(b, "message")) }
func BenchmarkMACP(b *testing.B)    { benchmarkRun(b, schemas.MACPTranscript, example(b, "macp")) }
func BenchmarkOpenAI(b *testing.B)  { benchmarkRun(b, schemas.OpenAIInputData, example(b, "openai")) }

// nothing is a follower that does nothing, to tell what the calls alone cost.
type nothing struct{}

func (nothing) Reset()                         {}
func (nothing) Begin(jsonstream.Kind)          {}
func (nothing) Name([]byte)                    {}
func (nothing) Scalar(jsonstream.Kind, []byte) {}
func (nothing) End()                           {}

func BenchmarkMany(b *testing.B) {
	data, err := os.ReadFile("/tmp/s/many.jsonl")
	if err != nil {
		b.Skip(err)
	}
	data = data[:200<<10]
	data = data[:bytes.LastIndexByte(data, '\n')]
	var docs []recorder
	n := 0
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		var tokens recorder
		parse(b, line).Root().Follow(&tokens)
		docs = append(docs, tokens)
		n += len(tokens)
	}
	r := embedded(b, schemas.Message).NewRun()
	b.Run("run", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			for _, d := range docs {
				r.Reset()
				d.replay(r)
				if r.Verdict() != Valid || r.Unnamed() {
					b.Fatal("not valid")
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(docs)), "ns/doc")
		b.ReportMetric(float64(n)/float64(len(docs)), "tokens/doc")
	})
	b.Run("nothing", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			for _, d := range docs {
				d.replay(nothing{})
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(docs)), "ns/doc")
	})
}

func BenchmarkCompile(b *testing.B) {
	for _, name := range []string{schemas.Message, schemas.MACPTranscript} {
		text, err := schemas.Read(name)
		if err != nil {
			b.Fatal(err)
		}
		d := parse(b, text)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Compile(schemas.Base+name, d, options()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

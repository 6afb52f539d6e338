package schema

import (
	"math/rand/v2"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// compare fails unless a program and the library agree about documents. It reports whether it could
// compare any.
func compare(t *testing.T, schema string, documents ...string) bool {
	t.Helper()
	parsed, err := jsonstream.Parse(jsonstream.NewRaw([]byte(schema)), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v: %s", err, schema)
	}
	p, err := Compile(schemaURL, parsed, options())
	if err != nil {
		return false
	}
	ref, err := newReference(schemaURL, []byte(schema))
	if err != nil {
		return false
	}
	r := p.NewRun()
	for _, text := range documents {
		v := parse(t, []byte(text)).Root()
		explainAlike(t, p, ref, v)
		got, want := verdict(r, v), ref.verdict(v)
		if got != want {
			t.Fatalf("%v, the library says %v:\n%s\n%s", got, want, schema, text)
		}
	}
	return true
}

func compareGenerated(t *testing.T, choices []byte) bool {
	s := &source{choices}
	schema := s.root()
	documents := make([]string, 6)
	for i := range documents {
		documents[i] = s.document(3)
	}
	return compare(t, schema, documents...)
}

// For schemas with all keywords and for documents, both made from the input, the verdicts equal
// those of the library.
func FuzzSchema(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		f.Add(randomBytes(random))
	}
	f.Fuzz(func(t *testing.T, choices []byte) { compareGenerated(t, choices) })
}

func randomBytes(random *rand.Rand) []byte {
	b := make([]byte, 50+random.IntN(500))
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

func TestGenerated(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	rounds := tier.Count(500, 4_000)
	compared := 0
	for range rounds {
		if compareGenerated(t, randomBytes(random)) {
			compared++
		}
	}
	t.Logf("%d of %d schemas were compared", compared, rounds)
	if compared < rounds/2 {
		t.Errorf("only %d of %d schemas were compared", compared, rounds)
	}
}

package schema

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// A subject is a schema with a valid example.
type subject struct {
	name, url       string
	schema, example []byte
}

// subjects are the schemas of package schemas, and some with more keywords.
func subjects(t testing.TB) []subject {
	t.Helper()
	var list []subject
	for i, name := range []string{
		schemas.Message, schemas.State, schemas.Receiver, schemas.SW4RMContext, schemas.SW4RMRequest, schemas.SW4RMResponse,
		schemas.MACPTranscript, schemas.OpenAIInputData,
	} {
		kind := schemas.Examples()[i]
		schema, err := schemas.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		example, err := schemas.Example(kind)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, subject{kind, schemas.Base + name, schema, example})
	}
	for _, name := range []string{"order", "tree"} {
		list = append(list, subject{name, schemaURL, readFile(t, "testdata/"+name+".schema.json"), readFile(t, "testdata/"+name+".json")})
	}
	return list
}

// compile compiles the subject's schema as a program and with the library.
func (s subject) compile(t testing.TB) (*Run, reference) {
	t.Helper()
	o := options()
	o.Load = loadOurs
	p, err := Compile(s.url, parse(t, s.schema), o)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := newReference(s.url, s.schema)
	if err != nil {
		t.Fatal(err)
	}
	return p.NewRun(), ref
}

// loadOurs returns a schema of package schemas, like package validate.
func loadOurs(url string) (*jsonstream.Document, error) {
	text, err := schemas.Read(url)
	if err != nil {
		return nil, err
	}
	return jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
}

// Programs cover all schemas of package schemas, and accept their examples without a single
// allocation, as soon as their patterns have tables.
func TestExamples(t *testing.T) {
	for _, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) {
			root := parse(t, s.example).Root()
			r, _ := s.compile(t)
			check := func() {
				if !r.Valid(root) {
					t.Fatal("not valid")
				}
			}
			for range 20 {
				check()
			}
			if n := testing.AllocsPerRun(100, check); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

// hasUnnamed is a slow implementation of [Run.Unnamed], for references within one document.
func hasUnnamed(document, schema, v jsonstream.Value) bool {
	if ref, ok := strings.CutPrefix(schema.Get("$ref").Text(), "#"); ok {
		return hasUnnamed(document, document.At(ref), v)
	}
	if schema.Get("additionalProperties").Exists() {
		return false
	}
	for _, element := range v.Elements() {
		if hasUnnamed(document, schema.Get("items"), element) {
			return true
		}
	}
	properties := schema.Get("properties")
	for name, member := range v.Members() {
		property := properties.Get(name)
		if properties.Exists() && !property.Exists() || hasUnnamed(document, property, member) {
			return true
		}
	}
	return false
}

// For changed examples, the verdicts equal those of the library.
func TestChangedExamples(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	rounds := tier.Count(30, 300)
	for _, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) {
			r, ref := s.compile(t)
			invalid := 0
			for range rounds {
				if compareChanged(t, r, ref, s.example, randomBytes(random)[:50]) == Invalid {
					invalid++
				}
			}
			if invalid < rounds/10 || invalid == rounds {
				t.Errorf("%d of %d documents were invalid", invalid, rounds)
			}
		})
	}
}

// Changed schemas, many of them invalid, compile without harm, and their verdicts equal those of
// the library.
func TestChangedSchemas(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	rounds := tier.Count(20, 200)
	for _, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) {
			for range rounds {
				c := &changer{source{randomBytes(random)}}
				compare(t, c.change(parse(t, s.schema).Root()), string(s.example))
			}
		})
	}
}

// The input of FuzzVerdict selects a schema, and changes of its example.
func FuzzVerdict(f *testing.F) {
	list := subjects(f)
	runs := make([]*Run, len(list))
	refs := make([]reference, len(list))
	for i, s := range list {
		runs[i], refs[i] = s.compile(f)
		f.Add(i, []byte{})
		f.Add(i, []byte("\x05\x11\x01\x07\x00\x02"))
		f.Add(i, []byte("\xfe\x80 remove, replace and repeat"))
	}
	f.Fuzz(func(t *testing.T, i int, choices []byte) {
		i = int(uint(i) % uint(len(list)))
		compareChanged(t, runs[i], refs[i], list[i].example, choices)
	})
}

// compareChanged changes a document, and fails unless both verdicts are equal.
func compareChanged(t *testing.T, r *Run, ref reference, text, choices []byte) Verdict {
	t.Helper()
	c := &changer{source{choices}}
	changed := c.change(parse(t, text).Root())
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(changed)), jsonstream.Limits{})
	if err != nil {
		return Undecided // a change in the middle of an escape
	}
	v := doc.Root()
	explainAlike(t, r.program, ref, v)
	got, want := verdict(r, v), ref.verdict(v)
	if got != want {
		t.Fatalf("%v, the library says %v: %s", got, want, changed)
	}
	if unnamed := hasUnnamed(ref.document, ref.document, v); got == Valid && r.Unnamed() != unnamed {
		t.Fatalf("unnamed members: %v, want %v: %s", r.Unnamed(), unnamed, changed)
	}
	return got
}

// A changer writes a document with some of its values changed.
type changer struct{ source }

// change writes a value; sometimes another one, or one with a member removed or added or an element
// repeated.
func (c *changer) change(v jsonstream.Value) string {
	if c.rarely() {
		return c.other(v)
	}
	switch v.Kind() {
	case jsonstream.Object:
		parts := []string{}
		for _, member := range v.Members() {
			if c.rarely() {
				continue
			}
			parts = append(parts, string(member.RawName())+":"+c.change(member))
		}
		if c.rarely() {
			parts = append(parts, `"\u0075nheard":`+c.document(1))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case jsonstream.Array:
		parts := []string{}
		for _, element := range v.Elements() {
			parts = append(parts, c.change(element))
			if c.rarely() {
				parts = append(parts, string(element.Raw()))
			}
		}
		return "[" + strings.Join(parts, ",") + "]"
	default:
		return string(v.Raw())
	}
}

// rarely is true for a rare choice; after the last choice it is false.
func (c *changer) rarely() bool { return c.choose(24) == 1 }

// other writes another value, often a similar one.
func (c *changer) other(v jsonstream.Value) string {
	if v.Kind() != jsonstream.String || c.choose(2) == 0 {
		return c.document(1)
	}
	raw := []byte(v.Raw())
	if at := c.choose(256); at < len(raw)-2 {
		if escaped := c.of("x", "0", "-", ":", `\u0030`, "é", "", " "); raw[at+1] != '\\' && (at == 0 || raw[at] != '\\') && raw[at+1] < 0x80 {
			return string(raw[:at+1]) + escaped + string(raw[at+2:])
		}
	}
	return string(raw)
}

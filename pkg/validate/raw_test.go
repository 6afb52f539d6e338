package validate

import (
	"slices"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/schemas"
)

// ofAllFormats returns the example messages of all formats, and hostile ones.
func ofAllFormats() [][]byte {
	var texts [][]byte
	for _, kind := range schemas.Examples() {
		texts = append(texts, must(schemas.Example(kind)))
	}
	for _, text := range hostile {
		texts = append(texts, []byte(text))
	}
	return texts
}

// Reading and validating in one pass gives the same result as in two, whatever was validated
// before.
func TestValidateRaw(t *testing.T) {
	v := New(Options{Formats: formats.Names(), All: true})
	for range 2 {
		for _, text := range ofAllFormats() {
			raw := jsonstream.NewRaw(text)
			id, got, err := v.ValidateRaw(t.Context(), raw, jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			m, err := message.ParseInPlace(raw, message.Options{})
			if err != nil {
				if got.Valid || got.Findings[0].Rule != "schema/syntax" {
					t.Errorf("%q: %v, and found valid: %+v", text, err, got)
				}
				continue
			}
			want, err := New(Options{Formats: formats.Names(), All: true}).Validate(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" || id != m.HandoffID() {
				t.Errorf("%.100q: id %q (-parsed before +in one pass):\n%s", text, id, diff)
			}
		}
	}
}

// Once others have been read, reading a valid message and checking its schema allocates no
// memory, in any format; and neither does validating a canonical message without words that the
// safety scanner looks for.
func TestValidateRawAllocates(t *testing.T) {
	if tier.UnderRace {
		t.Skip("pools do not keep what they are given under the race detector")
	}
	plain := exampleText(t)
	for _, change := range [][2]string{
		{"/taskDescription", `"Weigh the stones of the old mill"`},
		{"/completedSubtasks", `[{"subtaskId":"s1","description":"Count them","result":"31","completedAt":"2026-06-12T09:28:41Z"}]`},
		{"/remainingSubtasks", `[{"subtaskId":"s2","description":"Weigh each"}]`},
		{"/currentState", `{"stones":[{"grams":412.5,"from":"the north bank"}]}`},
		{"/relevantContext", `[{"source":"diary","excerpt":"The river was high that spring.","relevanceScore":0.5}]`},
		{"/conversationHistorySummary", `"They spoke about the weather."`},
		{"/conversationHistoryVerbatim", `[{"role":"user","content":"How heavy are they?"},{"role":"assistant","content":"Not very."}]`},
	} {
		m, err := parseMessage(t, plain).Set(change[0], []byte(change[1]))
		if err != nil {
			t.Fatal(err)
		}
		plain = string(m.Raw())
	}
	schemaOnly := []finding.Layer{finding.Schema}
	for _, tt := range []struct {
		name   string
		text   []byte
		layers []finding.Layer
	}{
		{"canonical", must(schemas.Example("message")), schemaOnly},
		{"SW4RM", must(schemas.Example("sw4rm-context")), schemaOnly},
		{"MACP", must(schemas.Example("macp")), schemaOnly},
		{"OpenAI", must(schemas.Example("openai")), schemaOnly},
		{"plain words, all layers", []byte(plain), nil},
	} {
		v := New(Options{Formats: formats.Names(), Layers: tt.layers})
		allocations := testing.AllocsPerRun(100, func() {
			_, r, err := v.ValidateRaw(t.Context(), jsonstream.NewRaw(tt.text), jsonstream.Limits{})
			if err != nil || !r.Valid || len(r.Findings) > 0 {
				t.Fatal(r, err)
			}
		})
		if allocations != 0 {
			t.Errorf("%s: %v allocations, want none", tt.name, allocations)
		}
	}
}

// agree compares the two evaluations of a schema on a document: the verdict of a run, and the
// causes.
func agree(t *testing.T, name string, s *Schema, root jsonstream.Value) {
	t.Helper()
	if len(numbersOverLimit(root)) > 0 {
		return
	}
	program, err := s.program()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if valid := program.NewRun().Valid(root); valid != (len(s.Check(root)) == 0) {
		t.Errorf("%s: valid is %v, and the findings are %+v in %s", name, valid, findingsOf(program.Explain(root, maxFindings)), root.Raw())
	}
}

// ofFormats returns the schemas of all formats, as schemas of a user.
func ofFormats(t testing.TB) map[format.Format]*Schema {
	t.Helper()
	all := map[format.Format]*Schema{}
	for _, d := range formats.All() {
		text := d.SchemaText
		if d.Schema != "" {
			text = must(schemas.Read(d.Schema))
		} else if text == nil {
			continue
		}
		s, err := CompileSchema(schemas.Base+string(d.Name), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		all[d.Name] = s
	}
	return all
}

func TestSchemasStream(t *testing.T) {
	list := ofFormats(t)
	for _, f := range formats.Names() {
		s := list[f]
		if d := formats.Named(f); d.Schema == "" && d.SchemaText == nil {
			continue
		}
		if err := schemaOf(f).Streams(); s == nil || err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for _, text := range ofAllFormats() {
			if doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{}); err == nil {
				agree(t, string(f), s, doc.Root())
			}
		}
	}
}

// A schema that cannot be evaluated as a stream is checked all the same.
func TestSlowSchema(t *testing.T) {
	s := compile(t, `{"properties":{"a":{"type":"string"}},"unevaluatedProperties":false}`)
	if err := s.Streams(); err == nil {
		t.Error("is said to stream")
	}
	for text, want := range map[string][]string{`{"a":"x"}`: nil, `{"a":1}`: {"type"}, `{"b":1}`: {"unevaluatedProperties"}} {
		_, r, err := New(Options{Schema: s}).ValidateRaw(t.Context(), jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Findings {
			got = append(got, ruleName(f))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// FuzzAcceptance compares the evaluations of all embedded schemas.
func FuzzAcceptance(f *testing.F) {
	list := ofFormats(f)
	for _, text := range ofAllFormats() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{MaxDepth: 100})
		if err != nil {
			return
		}
		for form, s := range list {
			agree(t, string(form), s, doc.Root())
		}
	})
}

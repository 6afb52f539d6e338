package convert

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

// schemas are the compiled schemas by format.
var schemas sync.Map

// conform returns the faults of a message in a format.
func conform(t fataler, f format.Format, text []byte) []string {
	t.Helper()
	var problems []string
	schema, ok := schemas.Load(f)
	if !ok {
		d := formats.Named(f)
		compile := func() (*validate.Schema, error) { return validate.EmbeddedSchema(d.Schema) }
		if d.SchemaText != nil {
			compile = func() (*validate.Schema, error) {
				return validate.CompileSchema("file:///"+string(f), d.SchemaText, nil)
			}
		}
		s, err := compile()
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		schema, _ = schemas.LoadOrStore(f, s)
	}
	for _, p := range schema.(*validate.Schema).Check(parsedIn(t, text, f).Root()) {
		if p.Severity == finding.Error {
			problems = append(problems, p.Pointer+": "+p.Message)
		}
	}
	if f == format.MACP {
		for _, v := range macp.Check(parsed(t, text), macp.Options{}) {
			problems = append(problems, v.Message)
		}
	}
	return problems
}

// TestResultsConform checks that every sample is valid in its own format, and becomes a valid message in
// all others.
func TestResultsConform(t *testing.T) {
	eachPair(t, func(t *testing.T, from, to format.Format) {
		source := sample(t, from)
		if problems := conform(t, from, source); from != format.SW4RMContext && len(problems) > 0 {
			t.Errorf("the sample: %s", strings.Join(problems, "\n"))
		}
		there := result(t, source, to, Options{})
		if problems := conform(t, to, there.Text); len(problems) > 0 {
			t.Errorf("%s\n%s", strings.Join(problems, "\n"), there.Text)
		}
	})
}

// TestAnySourceConforms checks that the result of a conversion is valid, whatever the source is.
func TestAnySourceConforms(t *testing.T) {
	for _, to := range Formats()[1:] {
		t.Run(string(to), func(t *testing.T) {
			forAll(t, func(t *rapid.T) {
				g := generator{t}
				from := rapid.SampledFrom(Formats()).Draw(t, "from")
				if from == to {
					return
				}
				source := []byte(g.message(from, false))
				there := converted(t, source, from, to)
				if problems := conform(t, to, there); len(problems) > 0 {
					t.Fatalf("%s\n%s\n%s", strings.Join(problems, "\n"), source, there)
				}
			})
		})
	}
}

// TestPartOfAnotherShape checks that a part with the type of a Chat part, but other members, becomes a
// valid part.
func TestPartOfAnotherShape(t *testing.T) {
	for _, part := range []string{`{"type":"image_url","image_url":1.5}`, `{"type":"image_url","image_url":{}}`, `{"type":"input_audio","input_audio":{"data":"AA=="}}`, `{"type":"file","file":[]}`, `{"type":"refusal","refusal":1.5}`, `{"type":"refusal"}`, `{"type":"file","file":{"file_data":1}}`, `{"type":"image_url","image_url":{"url":"http://x","detail":3}}`} {
		there := converted(t, []byte(`[{"type":"human","content":[`+part+`]}]`), format.LangChain, format.OpenAIChat)
		if problems := conform(t, format.OpenAIChat, there); len(problems) > 0 {
			t.Errorf("%s: %s\n%s", part, strings.Join(problems, "\n"), there)
		}
	}
}

// TestResultsHaveCalls checks that every function_call_output for OpenAI has its call.
func TestResultsHaveCalls(t *testing.T) {
	forAll(t, func(t *rapid.T) {
		g := generator{t}
		from := rapid.SampledFrom([]format.Format{format.EAAPL, format.SW4RMContext, format.SW4RMRequest, format.MACP}).Draw(t, "from")
		source := []byte(g.message(from, false))
		there := parsed(t, converted(t, source, from, format.OpenAI))
		for _, p := range openai.Check(there, openai.CheckOptions{}) {
			item := there.Root().At(strings.TrimSuffix(p.Pointer, "/call_id"))
			if p.Rule == "result-without-call" && item.Get("type").Text() == "function_call_output" {
				t.Fatalf("%s: %s\n%s", p.Pointer, p.Message, there.Root().Raw())
			}
		}
	})
}

// TestBriefIsData checks that the brief of a chat format has a section for data, which the safety layer
// recognises.
func TestBriefIsData(t *testing.T) {
	for _, to := range Formats() {
		if !isChat(to) {
			continue
		}
		there := result(t, sample(t, format.EAAPL), to, Options{})
		raw := jsonstream.NewRaw(there.Text)
		raw.Lines = formats.Named(to).IsLines()
		_, got, err := validate.New(validate.Options{Formats: []format.Format{to}}).ValidateRaw(context.Background(), raw, jsonstream.Limits{})
		if err != nil || got.Reason != "" {
			t.Errorf("%s: %s (%s), %v", to, got.Reason, got.Details, err)
		}
	}
}

// TestReceiverAccepts checks that a converted message passes the receiver's layers if it has a budget,
// and that a message without a budget states that and is rejected.
func TestReceiverAccepts(t *testing.T) {
	for _, from := range Formats()[1:] {
		t.Run(string(from), func(t *testing.T) {
			for _, tt := range []struct {
				budget string
				want   finding.Reason
			}{{"", validate.BudgetExhausted}, {"0.50", ""}} {
				there := result(t, sample(t, from), format.EAAPL, Options{Budget: tt.budget})
				m, err := message.Parse(there.Text, message.Options{})
				if err != nil {
					t.Fatal(err)
				}
				got, err := validate.New(validate.Options{}).Validate(context.Background(), m)
				if err != nil {
					t.Fatal(err)
				}
				if got.Reason != tt.want {
					t.Errorf("with the budget %q: %s (%s), want %q", tt.budget, got.Reason, got.Details, tt.want)
				}
			}
		})
	}
}

// TestNoTextForID checks that an id or status that is no text is carried, and not written into a format that requires
// a text there.
func TestNoTextForID(t *testing.T) {
	source := []byte(`{"input_history":"","pre_handoff_items":[],"new_items":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}","id":null},` +
		`{"type":"function_call_output","call_id":"c","output":"","status":[""],"id":5},{"type":"message","role":"assistant","content":"x","id":[],"status":null}]}`)
	there := converted(t, source, format.OpenAI, format.OpenAIJS)
	if problems := conform(t, format.OpenAIJS, there); len(problems) > 0 {
		t.Errorf("%s\n%s", problems, there)
	}
	mustEqual(t, converted(t, there, format.OpenAIJS, format.OpenAI), source)
}

func TestMain(m *testing.M) { os.Exit(tier.Run(m)) }

package validate

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/pkg/provider"
	"github.com/eaapl/handoff/pkg/safety"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/schemas"
)

// exampleStateSchema is the state.schema.json in the example of state-schema.
const exampleStateSchema = `{"type": "object", "properties": {"riskFlags": {"type": "array"}}}`

func TestRuleExamples(t *testing.T) {
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			switch {
			case r.Bad == "":
				t.Skip("no example is short enough")
			case r.ID == openai.HandoffInput, r.ID == openai.Unfiltered, r.ID == openai.Bounce:
				t.Skip("this package does not say what the rule needs")
			}
			if !slices.Contains(keywords(t, r, r.Bad), r.ID) {
				t.Errorf("%s does not break the rule: found %q", r.Bad, keywords(t, r, r.Bad))
			}
			good := keywords(t, r, r.Good)
			if slices.Contains(good, r.ID) {
				t.Errorf("%s breaks the rule", r.Good)
			}
			if r.Layer == finding.Signature && slices.ContainsFunc(good, func(id string) bool { return strings.HasPrefix(id, signaturePrefix) }) {
				t.Errorf("%s breaks another rule of signatures: %q", r.Good, good)
			}
		})
	}
}

// keywords validates an example: members to put into the example message, or a complete
// document.
func keywords(t *testing.T, r finding.Rule, example string) []string {
	t.Helper()
	options := Options{All: true, Formats: formats.Names(), Now: func() time.Time { return time.Date(2026, 6, 13, 0, 0, 0, 0, time.UTC) }}
	if r.Receiver != "" {
		receiver, err := ParseReceiver([]byte(r.Receiver), func(name string) (*Schema, error) {
			return CompileSchema("test:"+name, []byte(exampleStateSchema), nil)
		})
		if err != nil {
			t.Fatal(err)
		}
		options.Receiver = receiver
	}
	switch r.Layer {
	case finding.Provider:
		name, _, _ := strings.Cut(r.ID, "/")
		options.For = []provider.Provider{provider.Provider(name)}
		options.Formats = []format.Format{format.Format(name)} // rules of several formats have the same texts
	case finding.Signature:
		if r.ID == SignatureUnchecked {
			break
		}
		keys, err := sign.ParseKeys([]byte(`{"kty":"oct","kid":"k1","k":"` + base64.RawURLEncoding.EncodeToString([]byte("0123456789abcdefghijklmnopqrstuv")) + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		if options.Verifier, err = sign.NewVerifier(keys); err != nil {
			t.Fatal(err)
		}
	case finding.Safety:
		// A rule whose findings have a low weight flags no text by itself.
		options.Scanner = safety.New(safety.Options{Threshold: 0.01})
	case finding.Privacy:
		var err error
		if options.Privacy, err = privacy.New(privacy.Policy{}); err != nil {
			t.Fatal(err)
		}
	}
	members, err := parseExample(example)
	if e := (*jsonstream.SyntaxError)(nil); errors.As(err, &e) {
		return []string{Malformed(e).Findings[0].Rule}
	}
	if r.Whole {
		return keywordsOf(t, members, options)
	}
	text, err := schemas.Example("message")
	if err != nil {
		t.Fatal(err)
	}
	m, err := parseExample(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range members.Root().Members() {
		if m, err = m.Set(jsonstream.AppendPointer("", name), value.Raw()); err != nil {
			t.Fatal(err)
		}
	}
	return keywordsOf(t, m, options)
}

func keywordsOf(t *testing.T, m *message.Message, o Options) []string {
	t.Helper()
	result, err := New(o).Validate(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range result.Findings {
		found = append(found, f.Rules()...)
	}
	return found
}

func parseExample(text string) (*message.Message, error) {
	return message.Parse([]byte(text), message.Options{})
}

func TestRulesAreComplete(t *testing.T) {
	ids := map[string]bool{}
	last := 0
	for _, r := range Rules() {
		if r.ID == "" || ids[r.ID] {
			t.Errorf("the id %q is empty or not unique", r.ID)
		}
		ids[r.ID] = true
		if layer := slices.Index(Layers(), r.Layer); layer < last {
			t.Errorf("%s: layer %q is unknown or out of order", r.ID, r.Layer)
		} else {
			last = layer
		}
		if (r.Severity != finding.Note) != slices.Contains(Reasons(), r.Reason) && r.Bad != "" || r.Severity != finding.Error && r.Severity != finding.Warning && r.ID != SignatureUnchecked {
			t.Errorf("%s: reason %q, severity %q", r.ID, r.Reason, r.Severity)
		}
		for _, text := range []string{r.Summary, r.Why} {
			word, _, _ := strings.Cut(text, " ") // names of members are not capitalized
			if !strings.HasSuffix(text, ".") || strings.ToUpper(text[:1]) != text[:1] && !strings.Contains(word, "_") {
				t.Errorf("%s: not a sentence: %q", r.ID, text)
			}
		}
	}
	for _, r := range lintRules() {
		if !ids[r.ID] {
			t.Errorf("the lint rule %s is not listed", r.ID)
		}
	}
}

// Every keyword in the schema of a format has a rule.
func TestRulesCoverSchemas(t *testing.T) {
	silent := []string{"$schema", "$id", "$ref", "$defs", "title", "description", "examples", "properties", "items", "allOf", "additionalProperties",
		"if", "then", "else", "contentEncoding", "contentMediaType"}
	for _, name := range []string{schemas.Message, schemas.SW4RMContext, schemas.SW4RMRequest, schemas.SW4RMResponse, schemas.MACPTranscript, schemas.OpenAIInputData} {
		text, err := schemas.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		schema, err := parseExample(string(text))
		if err != nil {
			t.Fatal(err)
		}
		for v := range schema.Root().All() {
			holder := v.Parent().Name()
			if v.Name() == "" || holder == "properties" || holder == "$defs" || slices.Contains(silent, v.Name()) ||
				strings.Contains(v.Pointer(), "/if/") || strings.Contains(v.Pointer(), "/examples/") {
				continue
			}
			if _, err := finding.Find(Rules(), "schema/"+v.Name()); err != nil {
				t.Errorf("%s: %s: no rule explains %s", name, v.Pointer(), v.Name())
			}
		}
	}
}

func TestVisibleJSON(t *testing.T) {
	got := visibleJSON("a\"\\\n\t\u200b\U000E0065é")
	if want := `"a\"\\\n\u0009\u200b\udb40\udc65é"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

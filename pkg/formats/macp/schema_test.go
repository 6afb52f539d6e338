package macp_test

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

func transcriptSchema(t *testing.T) *validate.Schema {
	t.Helper()
	s, err := validate.EmbeddedSchema(schemas.MACPTranscript)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemaTakesTheExamples checks that the examples of the numbered rules are valid by the schema,
// which is only about structure.
func TestSchemaTakesTheExamples(t *testing.T) {
	s := transcriptSchema(t)
	for _, r := range macp.Rules() {
		if r.Good == "" {
			continue
		}
		for name, text := range map[string]string{"good": r.Good, "bad": r.Bad, "good in camelCase": macp.CamelCased(r.Good)} {
			if findings := s.Check(macp.ParseText(t, text).Root()); len(findings) > 0 {
				t.Errorf("%s, %s: %+v", r.ID, name, findings)
			}
		}
	}
}

// TestSchemaAgreesOnShape checks that Check and the schema agree on the structure of transcripts, except
// for faults that only a comparison can find.
func TestSchemaAgreesOnShape(t *testing.T) {
	full := macp.ParseText(t, macp.FullExample())
	s := transcriptSchema(t)
	ruled := func(pointer string) bool { // reported by rules
		return strings.HasSuffix(pointer, "version") && !strings.Contains(pointer, "/0/payload") || strings.HasSuffix(pointer, "mode") ||
			strings.HasSuffix(pointer, "outcome_positive") || strings.HasSuffix(pointer, "message_type") && !strings.Contains(pointer, "/0/")
	}
	compare := func(what string, text []byte) {
		doc := macp.ParseText(t, string(text))
		shape := false
		for _, v := range macp.Check(doc, macp.Options{}) {
			shape = shape || v.Rule == "macp/shape"
		}
		if findings := s.Check(doc.Root()); shape != (len(findings) > 0) {
			t.Errorf("%s: reported by Check: %t; by the schema: %+v", what, shape, findings)
		}
	}
	for v := range full.Root().All() {
		pointer := v.Pointer()
		if pointer == "" || ruled(pointer) {
			continue
		}
		for _, value := range []string{`null`, `7`, `-1`, `1.5`, `true`, `{}`, `[]`, `"!"`, `"2026-03-14T09:20:00Z"`, `" "`} {
			compared := strings.HasSuffix(pointer, "session_id") || strings.HasSuffix(pointer, "/0/sender")
			if compared && value[0] == '"' || strings.Contains(pointer, "/participants/") || v.Parent().Name() == "messages" && value == "{}" {
				continue // rules report these
			}
			text, err := jsonstream.Set(full, pointer, []byte(value))
			if err != nil {
				t.Fatal(err)
			}
			compare(pointer+" is "+value, text)
		}
		if v.Name() == "" {
			continue
		}
		text, err := jsonstream.Remove(full, pointer)
		if err != nil {
			t.Fatal(err)
		}
		compare(pointer+" is removed", text)
		if macp.Camel(v.Name()) != v.Name() {
			text, err := jsonstream.Set(full, v.Parent().Pointer()+"/"+macp.Camel(v.Name()), v.Raw())
			if err != nil {
				t.Fatal(err)
			}
			compare(pointer+" is there twice", text)
		}
	}
}

// TestSchemaAgreesOnScalars checks that Check and the schema agree on bytes and times.
func TestSchemaAgreesOnScalars(t *testing.T) {
	full := macp.ParseText(t, macp.FullExample())
	s := transcriptSchema(t)
	for pointer, texts := range map[string][]string{
		"/messages/2/payload/context": {"", "YQ==", "YQ", "YR==", "_-8=", "_-8", "/+8=", "AAAA", "AAAAYQ", "YQ==\\n", "YQ=", "Y", "=", "_+8=", "Y Q", "YQ===", "AAAA=", "AAA=="},
		"/messages/1/timestamp": {"2026-03-14T09:20:11Z", "2026-03-14t09:20:11.5z", "2026-03-14T09:20:11+23:59", "2026-03-14T23:59:60Z", "2026-03-14T09:20:60Z",
			"2026-03-14T9:20:11Z", "2026-03-14T09:20:11,5Z", "2026-03-14T09:20:11+24:00", "2026-03-14T09:20:11+23:60", "2026-03-14T09:20:11", "2026-03-14"},
	} {
		for _, text := range texts {
			changed, err := jsonstream.Set(full, pointer, []byte(`"`+text+`"`))
			if err != nil {
				t.Fatal(err)
			}
			doc := macp.ParseText(t, string(changed))
			shape := false
			for _, v := range macp.Check(doc, macp.Options{}) {
				shape = shape || v.Pointer == pointer
			}
			if findings := s.Check(doc.Root()); shape != (len(findings) > 0) {
				t.Errorf("%s is %s: reported by Check: %t; by the schema: %+v", pointer, text, shape, findings)
			}
		}
	}
}

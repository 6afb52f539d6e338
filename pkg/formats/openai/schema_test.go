package openai_test

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// TestShapeIsTheSchema checks that the rule shape and the JSON Schema agree.
func TestShapeIsTheSchema(t *testing.T) {
	schema, err := validate.EmbeddedSchema(schemas.OpenAIInputData)
	if err != nil {
		t.Fatal(err)
	}
	documents := []string{`1`, `[]`, `{}`, `{"input_history":[],"pre_handoff_items":[]}`}
	for _, r := range openai.Rules() {
		documents = append(documents, r.Bad, r.Good)
	}
	for _, history := range []string{`""`, `[]`, `null`, `1`, `{}`} {
		for _, inputs := range []string{``, `,"input_items":null`, `,"input_items":[]`, `,"input_items":""`} {
			documents = append(documents, `{"input_history":`+history+`,"pre_handoff_items":[],"new_items":[]`+inputs+`}`)
		}
	}
	for _, list := range []string{`null`, `""`, `{}`} {
		documents = append(documents, `{"input_history":[],"pre_handoff_items":`+list+`,"new_items":[]}`, `{"input_history":[],"pre_handoff_items":[],"new_items":`+list+`}`)
	}
	for _, item := range []string{
		`1`, `null`, `{}`, `{"content":"x"}`, `{"role":1}`, `{"role":null,"type":"x"}`, `{"type":1}`, `{"type":null,"role":"user"}`, `{"role":"anyone"}`,
		`{"role":"user","content":null}`, `{"role":"user","content":[]}`, `{"role":"user","content":{}}`, `{"role":"user","content":1}`, `{"role":"user","name":1}`,
		`{"type":"message"}`, `{"type":"message","role":"user"}`, `{"type":"x","content":1}`, `{"type":"x","call_id":1}`,
		`{"type":"function_call"}`, `{"type":"function_call","call_id":"a","name":"f","arguments":""}`, `{"type":"function_call","call_id":"a","name":"f","arguments":{}}`,
		`{"type":"function_call","role":"assistant"}`, `{"type":"function_call_output","role":"user","content":1}`,
		`{"type":"function_call_output","call_id":"a","output":"x"}`, `{"type":"function_call_output","call_id":"a","output":[]}`,
		`{"type":"function_call_output","call_id":"a","output":{}}`, `{"type":"function_call_output","call_id":"a"}`, `{"type":"function_call_output","output":""}`,
	} {
		for _, list := range []string{`"input_history":[%],"pre_handoff_items":[],"new_items":[]`, `"input_history":"","pre_handoff_items":[],"new_items":[],"input_items":[%]`} {
			documents = append(documents, "{"+strings.Replace(list, "%", item, 1)+"}")
		}
	}
	for _, text := range documents {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var shape []finding.Finding
		for _, p := range openai.Check(doc, openai.CheckOptions{}) {
			if p.Rule == openai.Shape {
				shape = append(shape, p)
			}
		}
		if findings := schema.Check(doc.Root()); (len(findings) == 0) != (len(shape) == 0) {
			t.Errorf("%s: schema %+v, rule %+v", text, findings, shape)
		}
	}
}

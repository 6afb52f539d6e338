package tool

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func parse(t testing.TB, text string) jsonstream.Value {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return doc.Root()
}

func TestToolName(t *testing.T) {
	for agent, want := range map[string]string{
		"Billing Agent":   "transfer_to_billing_agent",
		"a-b.c/d":         "transfer_to_a_b_c_d",
		"Ünïcode 日本":      "transfer_to__n_code___", // one "_" for each character
		"e\u0301":         "transfer_to_e_",         // code points, not graphemes
		"x\U0001f600\n_9": "transfer_to_x___9",
		"":                "transfer_to_",
	} {
		if got := Python.ToolName(agent); got != want {
			t.Errorf("ToolName(%q) = %q, want %q", agent, got, want)
		}
	}
}

func TestOutput(t *testing.T) {
	for agent, want := range map[string]string{
		"Billing Agent":       `{"assistant": "Billing Agent"}`,
		`say "hi" \ /`:        `{"assistant": "say \"hi\" \\ /"}`,
		"a\n\r\t\b\f\x01\x7f": `{"assistant": "a\n\r\t\b\f\u0001\u007f"}`,
		"Zoë 日本":              `{"assistant": "Zo\u00eb \u65e5\u672c"}`,
		"\U0001f600<&>\u2028": `{"assistant": "\ud83d\ude00<&>\u2028"}`,
		"\ufffd\U0010ffff":    `{"assistant": "\ufffd\udbff\udfff"}`,
	} {
		if got, err := Python.Output(agent); err != nil || string(got) != want {
			t.Errorf("Python.Output(%q) = %s, %v, want %s", agent, got, err, want)
		}
	}
	for _, agent := range []string{"", "\xff"} {
		if got, err := Python.Output(agent); err == nil {
			t.Errorf("Python.Output(%q) = %s, want an error", agent, got)
		}
	}
}

func TestDefinition(t *testing.T) {
	schema := `{"type": "object", "properties": {"reason": {"type": "string", "maxLength": 1e2}}}`
	strict := `{"type":"object","properties":{"reason":{"type":"string","maxLength":1e2}},"additionalProperties":false,"required":["reason"]}`
	for _, tt := range []struct {
		name    string
		agent   string
		options Options
		want    string
		wantErr string
	}{
		{name: "defaults", agent: "Billing Agent",
			want: `{"type":"function","name":"transfer_to_billing_agent","description":"Handoff to the Billing Agent agent to handle the request. ","parameters":` + noInput + `,"strict":true}`},
		{name: "all given", agent: `"B"<x>`, options: Options{Name: "to-B", Description: "Knows\ninvoices.", InputSchema: parse(t, schema)},
			want: `{"type":"function","name":"to-B","description":"Handoff to the \"B\"<x> agent to handle the request. Knows\ninvoices.","parameters":` + strict + `,"strict":true}`},
		{name: "empty schema", agent: "b", options: Options{InputSchema: parse(t, ` { } `)},
			want: `{"type":"function","name":"transfer_to_b","description":"Handoff to the b agent to handle the request. ","parameters":` + noInput + `,"strict":true}`},
		{name: "loose", agent: "b", options: Options{InputSchema: parse(t, `{"type": "object", "additionalProperties": true}`), Loose: true},
			want: `{"type":"function","name":"transfer_to_b","description":"Handoff to the b agent to handle the request. ","parameters":{"type":"object","additionalProperties":true},"strict":false}`},
		{name: "no agent", wantErr: "the agent has no name: a handoff needs one"},
		{name: "bad name", agent: "b", options: Options{Name: "to b"}, wantErr: `tool name "to b": use letters, digits, "_" and "-" only`},
		{name: "bad text", agent: "b\xff", wantErr: "the agent's name is not valid UTF-8"},
		{name: "bad description", agent: "b", options: Options{Description: "\xff"}, wantErr: "the agent's description is not valid UTF-8"},
		{name: "no schema", agent: "b", options: Options{InputSchema: parse(t, `[]`), Loose: true}, wantErr: "a strict schema must be an object: found an array; describe the valid values here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Definition(tt.agent, tt.options)
			if err != nil || tt.wantErr != "" {
				if err == nil || err.Error() != tt.wantErr {
					t.Fatalf("error %v, want %q", err, tt.wantErr)
				}
				return
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
	schemaError := (*SchemaError)(nil)
	if _, err := Definition("b", Options{InputSchema: parse(t, `true`)}); !errors.As(err, &schemaError) {
		t.Errorf("error %v, want a SchemaError", err)
	}
}

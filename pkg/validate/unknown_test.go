package validate

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/provider"
)

// A document of no known format has one finding, with its probable format.
func TestUnknownFormat(t *testing.T) {
	tests := []struct {
		in, says string // "" for a canonical message, however incomplete
	}{
		{`[]`, "found an empty array;"},
		{`[1]`, "an array whose first element is a number"},
		{`{"a":1,"b":2,"c":3,"d":4,"e":5}`, `an object with "a", "b", "c", "d", …;`},
		{`{"choices":[{"message":{"role":"assistant","content":"x"}}]}`, "a response of the Chat Completions API"},
		{`{"candidates":[{"content":{"parts":[]}}]}`, "a response of the Gemini API"},
		{`{"contents":"Hello?"}`, "a request of Gemini's SDK"},
		{`{"name":"x","capabilities":{},"skills":[]}`, "handoff a2a card check"},
		{`{"role":"user","content":"Hello?"}`, "jq -s ."},
		{`{"type":"human","content":"Hello?"}`, "jq -s ."},
		{`{"messages":[["user","Hello?"]]}`, "pairs of role and text"},
		{`[["user","Hello?"]]`, "pairs of role and text"},
		{`"{\"handoffId\":\"x\"}"`, "found a string, which contains an encoded JSON document"},
		{`[{"handoffId":"x"},{"handoffId":"y"}]`, "array of messages"},
		{`[{"messages":[{"role":"user","content":"Hello?"}]}]`, "array of messages"},
		{`{"schema_version":"2.0","handoff_id":"x","task_id":"y","from_agent":{"agent_id":"a"},"to_agent":{}}`, `write them in camelCase, such as "schemaVersion", "handoffId", "taskId"`},
		{`{}`, ""},
		{`{"taskDescription":"Refund the order."}`, ""},
		{`{"task_description":"Refund the order."}`, ""},
		{`{"handoff_ID":"x"}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			got := check(t, parseMessage(t, tt.in), Options{Formats: formats.Names(), Layers: []finding.Layer{finding.Schema}}).Findings
			if tt.says == "" {
				if len(got) < 2 || ruleName(got[0]) == unknownFormat {
					t.Errorf("found %+v, want what is missing", got)
				}
				return
			}
			if len(got) != 1 || ruleName(got[0]) != unknownFormat || !strings.Contains(got[0].Message, tt.says) {
				t.Errorf("found %+v, want one that says %q", got, tt.says)
			}
		})
	}
	alone := check(t, parseMessage(t, `{"a":1}`), Options{Layers: []finding.Layer{finding.Schema}}).Findings
	if len(alone) < 2 {
		t.Errorf("as a canonical message: found %+v, want what is missing", alone)
	}
}

// A document of no format, for a provider, is left to the provider's rules.
func TestUnknownFormatForProvider(t *testing.T) {
	for _, p := range []provider.Provider{provider.OpenAIChat, provider.Anthropic, provider.Gemini} {
		r := check(t, parseMessage(t, `[]`), Options{Formats: formats.Names(), For: []provider.Provider{p}})
		if r.Format != format.Format(p) || len(r.Findings) != 1 || r.Findings[0].Rule != string(p)+"/no-turns" {
			t.Errorf("%s: %s, %+v", p, r.Format, r.Findings)
		}
	}
}

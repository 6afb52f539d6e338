package repair

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// TestSchema checks that simple faults of the schema or of the format's rules are fixed, and that others
// are reported as left.
func TestSchema(t *testing.T) {
	const calls = `{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},`
	for _, tt := range []struct {
		name   string
		format format.Format
		text   string
		did    string // a part of the first step
		want   string // a part of the repaired text
		left   string // the rule of the remaining finding
	}{
		{"content that is an object", format.OpenAIChat, `[` + calls + `{"role":"tool","tool_call_id":"c","content":{"t": 18}}]`,
			`replaced the content of the result of "c" by its JSON text`, `"content":"{\"t\":18}"`, ""},
		{"content that is a number", format.OpenAIChat, `[` + calls + `{"role":"tool","tool_call_id":"c","content":18}]`,
			`replaced the content of the result of "c" by its JSON text`, `"content":"18"`, ""},
		{"no parts", format.AISDK, `[{"id":"1","role":"user","parts":[{"type":"text","text":"q"}]},{"id":"2","role":"user","parts":[]}]`,
			"removed the turn, which has no content", `[{"id":"1","role":"user","parts":[{"type":"text","text":"q"}]}]`, ""},
		{"no parts at all", format.AISDK, `[{"id":"2","role":"user","parts":[]}]`, "", "", "schema/minItems"},
		{"no turns", format.AISDK, `[]`, "", "", "schema/minItems"},
		{"two messages with one id", format.AISDK, `[{"id":"1","role":"user","parts":[{"type":"text","text":"q"}]},{"id":"1","role":"assistant","parts":[{"type":"text","text":"a"}]}]`,
			`gave the turn the id "1_2"`, `"id":"1_2","role":"assistant"`, ""},
		{"a message twice", format.AISDK, `[{"id":"1","role":"user","parts":[{"type":"text","text":"q"}]},{"id":"1","role":"user","parts":[{"type":"text","text":"q"}]}]`,
			"removed the turn, which equals an earlier one", `[{"id":"1","role":"user","parts":[{"type":"text","text":"q"}]}]`, ""},
		{"a result without an id", format.OpenAIChat, `[` + calls + `{"role":"tool","content":"x"}]`,
			"converted the result without an id, which names no call, to a note in a turn of the user", `[the result, which names no call]\nx`, ""},
		{"text that is no text", format.OpenAIChat, `[{"role":"user","content":[{"type":"text","text":1}]}]`, "", "", "schema/type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := repaired(t, []byte(tt.text), Options{Format: tt.format, For: provider.OpenAIChat})
			did, left := "", ""
			if len(r.Steps) > 0 {
				did = r.Steps[0].Did
			}
			if len(r.Left) > 0 {
				left = r.Left[0].Rule
			}
			if !strings.Contains(did, tt.did) || tt.did == "" && did != "" || !strings.Contains(string(r.Text), tt.want) || left != tt.left {
				t.Errorf("did %q, left %q: %s", did, left, r.Text)
			}
		})
	}
}

// TestNoTurns checks that an array without turns is left, because the provider rejects it.
func TestNoTurns(t *testing.T) {
	r, err := Message(document(t, []byte(`[]`)), jsonstream.Unlimited(), Options{For: provider.OpenAIChat})
	if err != nil || len(r.Left) != 1 || r.Left[0].Rule != "openai-chat/no-turns" {
		t.Errorf("left %+v, %v", r.Left, err)
	}
}

package formats

import (
	"slices"
	"testing"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// TestDetect checks that the format with the most matching members is detected, even if the message has
// members of another.
func TestDetect(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want format.Format
	}{
		{`{"handoffId":null}`, format.EAAPL},
		{`{"conversationHistoryVerbatim":[]}`, format.EAAPL},
		{`{"schemaVersion":"2.0"}`, format.EAAPL},
		{`{"conversation_history":[],"input_history":"x","taskId":"t"}`, format.EAAPL},
		{`{"conversation_history":[],"tool_state":{},"metadata":{}}`, format.SW4RMContext},
		{`{"request_id":"r","from_agent":"a","to_agent":"b"}`, format.SW4RMRequest},
		{`{"context_snapshot":"","conversation_history":[]}`, format.SW4RMRequest},
		{`{"input_history":"hi"}`, format.OpenAI},
		{`{"new_items":[]}`, format.OpenAI},
		{`{"accepted":true,"handoff_id":"h"}`, format.SW4RMResponse},
		{`{"protocol_version":"1.0","messages":[]}`, format.MACP},
		{`{"handoffId":"h","from_agent":"a","to_agent":"b"}`, format.SW4RMRequest},
		{`{"accepted":true,"taskId":"t","protocol_version":"1.0","session_id":"s","messages":[]}`, format.MACP},
		{`{"conversation_history":[],"input_history":"x","pre_handoff_items":[],"new_items":[]}`, format.OpenAI},
		{`{"tool_state":{},"currentState":{}}`, ""},
		{`{"mode":"macp.mode.handoff.v1","messages":[]}`, format.MACP},
		{`{"handoff":{"handoffId":"h"}}`, ""},
		{`["handoffId"]`, ""},
		{`"handoffId"`, ""},
		{`{}`, ""},
		{`null`, ""},
	} {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(tt.in)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := Detect(doc.Root()); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: got %q, %v", tt.in, got, ok)
		}
	}
}

// TestDescriptors checks that every descriptor is complete.
func TestDescriptors(t *testing.T) {
	seen := map[string]format.Format{}
	for _, d := range All() {
		if d.Name == "" || d.System == "" || d.Title == "" || len(d.Marks) == 0 && d.Known == nil || len(d.Needs) == 0 && !d.IsLines() {
			t.Errorf("%+v: something is missing", d)
		}
		if Named(d.Name) != d || !Known(d.Name) {
			t.Errorf("%s is not found", d.Name)
		}
		for _, name := range slices.Concat(d.Marks, d.Members) {
			if other, ok := seen[name]; ok {
				t.Errorf("%q marks both %s and %s", name, other, d.Name)
			}
			seen[name] = d.Name
		}
		if d.Carries != "" && !Known(d.Carries) {
			t.Errorf("%s carries %q", d.Name, d.Carries)
		}
	}
	if Known("x") || Named("x").Name != "" {
		t.Error("x is a format")
	}
}

func TestRegister(t *testing.T) {
	for name, d := range map[string]*format.Descriptor{"a second": {Name: format.MACP}, "too late": {Name: "x"}} {
		t.Run(name, func(t *testing.T) {
			inUse.Store(name == "too late")
			defer func() {
				inUse.Store(true)
				if recover() == nil {
					t.Error("it was registered")
				}
			}()
			Register(d)
		})
	}
}

func BenchmarkDetect(b *testing.B) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"schemaVersion":"2.0","handoffId":"h","taskId":"t","parentHandoffId":null,"fromAgent":{},"toAgent":{},
		"timestamp":"","taskDescription":"","completedSubtasks":[],"remainingSubtasks":[],"currentState":{},"relevantContext":[],"constraints":[],
		"costTracking":{},"conversationHistorySummary":"","conversationHistoryVerbatim":[],"toolCallHistory":[],"traceparent":""}`)), jsonstream.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if f, _ := Detect(doc.Root()); f != format.EAAPL {
			b.Fatal(f)
		}
	}
}

// TestDetectByTurns checks that the format of a list of messages is that of its turns.
func TestDetectByTurns(t *testing.T) {
	const hi = `{"role":"user","content":"hi"}`
	for _, tt := range []struct {
		name, in string
		want     format.Format
	}{
		{"plain turns", `[` + hi + `]`, format.OpenAIChat},
		{"plain turns in an object", `{"messages":[` + hi + `]}`, format.OpenAIChat},
		{"a body of the Messages API", `{"model":"m","max_tokens":9,"system":"s","messages":[` + hi + `]}`, format.Anthropic},
		{"a body of the Responses API", `{"model":"m","input":[` + hi + `]}`, format.OpenAIResponses},
		{"calls of the Chat API", `[` + hi + `,{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":""}]`, format.OpenAIChat},
		{"calls of the Responses API", `[` + hi + `,{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]`, format.OpenAIResponses},
		{"calls of the Messages API", `[` + hi + `,{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]}]`, format.Anthropic},
		{"calls of the AI SDK", `[` + hi + `,{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"f","input":{}}]}]`, format.AISDK},
		{"a UIMessage", `[{"id":"m","role":"user","parts":[{"type":"text","text":"hi"}]}]`, format.AISDK},
		{"contents", `[{"role":"user","parts":[{"text":"hi"}]}]`, format.Gemini},
		{"events of ADK", `[{"author":"user","invocationId":"i","actions":{}},{"author":"user","content":{"role":"user","parts":[{"text":"hi"}]}}]`, format.Gemini},
		{"LangChain, dumped", `{"messages":[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"hi"}}]}`, format.LangChain},
		{"LangChain, as dicts", `[{"type":"human","data":{"content":"hi"}}]`, format.LangChain},
		{"LangChain, flat", `{"messages":[{"type":"human","content":"hi"},` + hi + `]}`, format.LangChain},
		{"a Command", `{"update":{"messages":[{"type":"human","content":"hi"}]},"goto":"a"}`, format.LangChain},
		{"an A2A message", `{"messageId":"m","taskId":"t","role":"ROLE_USER","parts":[{"text":"hi"}]}`, format.A2A},
		{"a request of A2A", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}}`, format.A2A},
		{"a MACP session that lacks its version", `{"messages":[{"message_type":"SessionStart"}]}`, format.MACP},
		{"a broken turn among others", `[` + hi + `,{"role":"assistant","content":[{"type":"tool_use"}]},{"role":"assistant","content":[{"type":"thinking"}]},{"content":5}]`, format.Anthropic},
		{"an empty list beside which nothing tells", `{"history":[]}`, ""},
		{"an empty list in a body", `{"generationConfig":{},"contents":[]}`, format.Gemini},
		{"an unknown role", `[{"role":"User","content":"hi"}]`, format.OpenAIChat},
		{"a compaction of the Messages API", `[` + hi + `,{"role":"assistant","content":[{"type":"compaction","content":"s"}]}]`, format.Anthropic},
		{"a fallback of the Messages API", `[` + hi + `,{"role":"assistant","content":[{"type":"fallback"},{"type":"text","text":"t"}]}]`, format.Anthropic},
		{"a body of the Messages API by its tools", `{"model":"m","max_tokens":9,"messages":[` + hi + `],"tools":[{"name":"f","input_schema":{}}]}`, format.Anthropic},
		{"a body of the Messages API by its model", `{"model":"claude-x","max_tokens":9,"messages":[` + hi + `]}`, format.Anthropic},
		{"a body of the Chat API with a model of Anthropic", `{"model":"claude-x","max_tokens":9,"messages":[` + hi + `],"tools":[{"type":"function","function":{"name":"f"}}]}`, format.OpenAIChat},
		{"more broken turns than whole ones", `[{"role":"assistant","content":[{"type":"tool_use"}]},{"content":5},5]`, format.Anthropic},
		{"an array of no turns", `[1,2]`, ""},
		{"an empty array", `[]`, ""},
		{"messages that are no turns", `{"messages":["a"]}`, ""},
	} {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(tt.in)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if e := Examine(doc.Root()); e.Format != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, e.Format, tt.want)
		}
	}
}

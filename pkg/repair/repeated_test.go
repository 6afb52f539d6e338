package repair

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// TestRepeatedCall checks that each of two calls with the same id keeps its own result.
func TestRepeatedCall(t *testing.T) {
	chatCalls := func(names ...string) string {
		var calls []string
		for _, name := range names {
			calls = append(calls, `{"id":"c","type":"function","function":{"name":"`+name+`","arguments":"{}"}}`)
		}
		return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(calls, ",") + `]}`
	}
	chatResult := func(content, name string) string {
		if name != "" {
			name = `"name":"` + name + `",`
		}
		return `{"role":"tool","tool_call_id":"c",` + name + `"content":"` + content + `"}`
	}
	const user = `{"role":"user","content":"q"}`
	event := func(id, author, role, part string) string {
		return `{"id":"` + id + `","invocationId":"i","author":"` + author + `","content":{"role":"` + role + `","parts":[` + part + `]}}`
	}
	asks := event("e0", "user", "user", `{"text":"q"}`)
	const hosted = `{"author":"agent","content":{"role":"model","parts":[{"toolCall":{"id":"h","toolType":"GOOGLE_SEARCH_WEB","args":{}},"thoughtSignature":"CiQD"},{"toolResponse":{"id":"h","toolType":"GOOGLE_SEARCH_WEB","response":{"a":1}}}]},"id":"e1"}`
	calls := func(id, name string) string {
		return event(id, "agent", "model", `{"functionCall":{"id":"c","name":"`+name+`","args":{}},"thoughtSignature":"CiQB"}`)
	}
	answers := func(id, name string) string {
		return event(id, "agent", "user", `{"functionResponse":{"id":"c","name":"`+name+`","response":{"output":"R"}}}`)
	}
	for _, tt := range []struct {
		name   string
		format format.Format
		turns  []string
		want   string // the tool of each call, and its result
	}{
		{"n-th to n-th", format.OpenAIChat, []string{user, chatCalls("f", "g", "h"), chatResult("F", ""), chatResult("G", ""), chatResult("H", "")}, "f=F g=G h=H"},
		{"name first", format.OpenAIChat, []string{user, chatCalls("f", "g"), chatResult("G", "g"), chatResult("F", "f")}, "f=F g=G"},
		{"one named", format.OpenAIChat, []string{user, chatCalls("f", "g"), chatResult("G", "g")}, "f=" + NoResult + " g=G"},
		{"one named beside one that is not", format.OpenAIChat, []string{user, chatCalls("f", "g"), chatResult("F", ""), chatResult("G", "f")}, "f=G g=F"},
		{"name of no call", format.OpenAIChat, []string{user, chatCalls("f", "g"), chatResult("F", "x"), chatResult("G", "y")}, "f=F g=G"},
		{"a result lost before", format.OpenAIChat, []string{user, chatCalls("f"), user, chatCalls("g"), chatResult("G", ""), user, chatCalls("h"), chatResult("H", "")}, "f=" + NoResult + " g=G h=H"},
		{"anthropic", format.Anthropic, []string{user,
			`{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}},{"type":"tool_use","id":"c","name":"g","input":{}}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"F"},{"type":"tool_result","tool_use_id":"c","content":"G"}]}`}, "f=F g=G"},
		{"langchain", format.LangChain, []string{`{"type":"human","content":"q"}`,
			`{"type":"ai","content":"","tool_calls":[{"id":"c","name":"f","args":{}},{"id":"c","name":"g","args":{}}]}`,
			`{"type":"tool","tool_call_id":"c","name":"g","content":"G"}`, `{"type":"tool","tool_call_id":"c","name":"f","content":"F"}`}, "f=F g=G"},
		{"langchain, calls in the content too", format.LangChain, []string{`{"type":"human","content":"q"}`,
			`{"type":"ai","content":[{"type":"tool_use","id":"c","name":"f","input":{}}],"tool_calls":[{"id":"c","name":"f","args":{}}]}`,
			`{"type":"tool","tool_call_id":"c","content":"F"}`,
			`{"type":"ai","content":[{"type":"tool_use","id":"c","name":"g","input":{}}],"tool_calls":[{"id":"c","name":"g","args":{}}]}`,
			`{"type":"tool","tool_call_id":"c","content":"G"}`}, "f=F g=G"},
		{"langchain, listed twice", format.LangChain, []string{`{"type":"human","content":"q"}`,
			`{"type":"ai","content":[{"type":"tool_use","id":"c","name":"f","input":{}}],"tool_calls":[{"id":"c","name":"f","args":{}},{"id":"c","name":"f","args":{}}]}`,
			`{"type":"tool","tool_call_id":"c","content":"F"}`}, "f=F"},
		// ADK sends one result for the calls with an id: a second one would take its place.
		{"adk, stored twice", format.Gemini, []string{asks, calls("e1", "f"), calls("e1", "f"), answers("e2", "f")}, `f={"output":"R"}`},
		{"adk, stored twice with its result", format.Gemini, []string{asks, calls("e1", "f"), calls("e1", "f"), answers("e2", "f"), answers("e2", "f")}, `f={"output":"R"}`},
		{"adk, stored again after its result", format.Gemini, []string{asks, calls("e1", "f"), answers("e2", "f"), calls("e1", "f")}, `f={"output":"R"}`},
		{"adk, a turn with a hosted call stored twice", format.Gemini, []string{asks, hosted, hosted}, `GOOGLE_SEARCH_WEB={"toolResponse":{"id":"h","toolType":"GOOGLE_SEARCH_WEB","response":{"a":1}}}`},
		{"adk, two events with one call", format.Gemini, []string{asks, calls("e1", "f"), calls("e3", "f"), answers("e2", "f")}, `f={"output":"R"}`},
		{"adk, two calls", format.Gemini, []string{asks, calls("e1", "f"), calls("e3", "g"), answers("e2", "g")}, `f={"error":"` + NoResult + `"} g={"output":"R"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := repaired(t, []byte("["+strings.Join(tt.turns, ",")+"]"), Options{Format: tt.format})
			if len(r.Left) > 0 {
				t.Errorf("left %+v", r.Left)
			}
			h, err := history.Of(document(t, r.Text), tt.format, jsonstream.Unlimited())
			if err != nil {
				t.Fatal(err)
			}
			results := map[string]string{}
			var got []string
			for _, kind := range []conversation.PartKind{conversation.Result, conversation.Call} {
				for _, turn := range h.Turns {
					for p := range conversation.ToolEvents(turn.Value) {
						switch {
						case p.Kind != kind:
						case kind == conversation.Result:
							results[p.ID.Text()] = contentOf(p.Value)
						default:
							got = append(got, p.Tool()+"="+results[p.ID.Text()])
						}
					}
				}
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("got %s, want %s\n%s", got, tt.want, r.Text)
			}
		})
	}
}

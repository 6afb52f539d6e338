package convert

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// TestAgentFrameworkCitations checks that other formats get the sources after the text, and that the sources are
// citations again in the message that is converted back.
func TestAgentFrameworkCitations(t *testing.T) {
	const want = `"It is Ada.\n\nSources:\n- Lives: https://example.org/a: “Ada wrote it.”\n- file_1"`
	for _, source := range []string{
		`{"messages":[{"role":"assistant","contents":[{"type":"text","text":"It is Ada.","annotations":[{"type":"citation","title":"Lives","url":"https://example.org/a","snippet":"Ada wrote it.","annotated_regions":[{"type":"text_span","start_index":0,"end_index":9}]},{"type":"citation","file_id":"file_1","tool_name":"search"}]}]}]}`,
		`{"messages":[{"role":"assistant","contents":[{"$type":"text","text":"It is Ada.","annotations":[{"$type":"citation","title":"Lives","url":"https://example.org/a","snippet":"Ada wrote it.","annotatedRegions":[{"$type":"textSpan","start":0,"end":9}]},{"$type":"citation","fileId":"file_1","toolName":"search"}]}]}]}`,
	} {
		for _, to := range []format.Format{format.OpenAIChat, format.Anthropic, format.OpenAIResponses, format.AISDK, format.EAAPL} {
			other := converted(t, []byte(source), format.AgentFramework, to)
			if to != format.EAAPL && !strings.Contains(string(other), want) {
				t.Errorf("%s lacks %s:\n%s", to, want, other)
			}
			mustEqual(t, converted(t, other, to, format.AgentFramework), []byte(source))
		}
	}
}

// TestAgentFrameworkApprovals checks the approvals of Agent Framework 1 for .NET, whose calls are in toolCall, and the
// tools of MCP servers that the provider runs.
func TestAgentFrameworkApprovals(t *testing.T) {
	const call = `"toolCall":{"$type":"functionCall","callId":"c1","name":"rm","arguments":{}}`
	const asked = `{"messages":[{"role":"user","contents":[{"$type":"text","text":"Go."}]},{"role":"assistant","contents":[{"$type":"toolApprovalRequest","requestId":"r1",` + call + `}]},{"role":"user","contents":[{"$type":"toolApprovalResponse","requestId":"r1","approved":false,` + call + `}]}]}`
	const hosted = `{"messages":[{"role":"user","contents":[{"$type":"text","text":"Go."}]},{"role":"assistant","contents":[{"$type":"mcpServerToolCall","callId":"m1","name":"find","serverName":"s","arguments":{"q":1}},{"$type":"mcpServerToolResult","callId":"m1","outputs":[{"$type":"text","text":"found it"}]}]}]}`
	for _, tt := range []struct{ in, want string }{
		{asked, `{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"rm","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"Error: Tool call invocation was rejected by user.","is_error":true}]}`},
		{hosted, `[{"type":"text","text":"find {\"q\":1}"},{"type":"text","text":"found it"}]`},
	} {
		other := converted(t, []byte(tt.in), format.AgentFramework, format.Anthropic)
		if !strings.Contains(string(other), tt.want) {
			t.Errorf("%s is not in\n%s", tt.want, other)
		}
		mustEqual(t, converted(t, other, format.Anthropic, format.AgentFramework), []byte(tt.in))
	}
}

// TestFrameworkMessages converts messages of agent frameworks with every kind of part, there and back.
func TestFrameworkMessages(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		from     format.Format
		want     string // the messages of OpenAI's Chat API
	}{
		{
			name: "Pydantic AI", from: format.PydanticAI,
			in: `[
				{"kind":"request","instructions":"Be kind.","parts":[
					{"part_kind":"system-prompt","content":"You book trains.","timestamp":"2026-06-01T08:00:00Z","dynamic_ref":null},
					{"part_kind":"user-prompt","content":["See this:",{"kind":"image-url","url":"https://example.com/a.png","media_type":"image/png"},{"kind":"cache-point","ttl":"5m"},
						{"kind":"text-content","content":"a map","metadata":{"page":1}},{"kind":"binary","data":"iVBO","media_type":"image/png"}],"timestamp":"2026-06-01T08:00:00Z"}],"run_id":"r"},
				{"kind":"response","model_name":"m","usage":{"input_tokens":1},"parts":[
					{"part_kind":"thinking","content":"Two trains.","id":"t1","signature":"sig","provider_name":"anthropic"},
					{"part_kind":"text","content":"I look."},
					{"part_kind":"builtin-tool-call","tool_name":"web_search","args":{"query":"trains"},"tool_call_id":"w1","provider_name":"anthropic"},
					{"part_kind":"builtin-tool-return","tool_name":"web_search","content":[{"title":"Timetable"}],"tool_call_id":"w1","provider_name":"anthropic"},
					{"part_kind":"tool-call","tool_name":"trains","args":"{\"to\":\"Bonn\"}","tool_call_id":"c1"},
					{"part_kind":"tool-call","tool_name":"price","args":{"class":2},"tool_call_id":"c2"},
					{"part_kind":"tool-call","tool_name":"seat","args":null,"tool_call_id":"c3"}]},
				{"kind":"request","instructions":"Be kind.","parts":[
					{"part_kind":"tool-return","tool_name":"trains","content":{"at":"9:15"},"tool_call_id":"c1","outcome":"success"},
					{"part_kind":"tool-return","tool_name":"price","content":"denied by a person","tool_call_id":"c2","outcome":"denied"},
					{"part_kind":"retry-prompt","tool_name":"seat","content":[{"type":"missing","loc":["row"],"msg":"Field required","input":{}}],"tool_call_id":"c3"},
					{"part_kind":"retry-prompt","content":"Answer as JSON.","tool_name":null,"tool_call_id":"x"}]},
				{"kind":"response","parts":[{"part_kind":"text","content":"At 9:15."}]}]`,
			want: `[
				{"role":"system","content":"Be kind."},
				{"role":"system","content":"You book trains."},
				{"role":"user","content":[{"type":"text","text":"See this:"},{"type":"image_url","image_url":{"url":"https://example.com/a.png"}},{"type":"text","text":"a map"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBO"}}]},
				{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"text","text":"web_search {\"query\":\"trains\"}"},{"type":"text","text":"[{\"title\":\"Timetable\"}]"}],"tool_calls":[
					{"id":"c1","type":"function","function":{"name":"trains","arguments":"{\"to\":\"Bonn\"}"}},
					{"id":"c2","type":"function","function":{"name":"price","arguments":"{\"class\":2}"}},
					{"id":"c3","type":"function","function":{"name":"seat","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"c1","content":"{\"at\":\"9:15\"}"},
				{"role":"tool","tool_call_id":"c2","content":"denied by a person"},
				{"role":"tool","tool_call_id":"c3","content":"row: Field required"},
				{"role":"user","content":"Answer as JSON."},
				{"role":"assistant","content":"At 9:15."}]`,
		},
		{
			name: "Agent Framework", from: format.AgentFramework,
			in: `{"messages":[
				{"type":"chat_message","role":{"type":"role","value":"user"},"contents":[{"type":"text","text":"A train?"},{"type":"data","uri":"data:image/png;base64,iVBO","media_type":"image/png"}],"author_name":null},
				{"type":"chat_message","role":{"type":"role","value":"assistant"},"author_name":"clerk","contents":[{"type":"text_reasoning","text":"Hm."},{"type":"text","text":"I look."},
					{"type":"function_call","call_id":"c1","name":"trains","arguments":"{}"},{"type":"function_call","call_id":"c2","name":"price","arguments":{"class":2}},{"type":"usage","usage_details":{"total_token_count":9}}]},
				{"type":"chat_message","role":{"type":"role","value":"tool"},"contents":[{"type":"function_result","call_id":"c1","result":"9:15"},{"type":"function_result","call_id":"c2","exception":"no price"}]},
				{"type":"chat_message","role":{"type":"role","value":"assistant"},"contents":[{"type":"text","text":"At 9:15."}]}]}`,
			want: `[
				{"role":"user","content":[{"type":"text","text":"A train?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBO"}}]},
				{"role":"assistant","name":"clerk","content":[{"type":"text","text":"I look."}],"tool_calls":[
					{"id":"c1","type":"function","function":{"name":"trains","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"price","arguments":"{\"class\":2}"}}]},
				{"role":"tool","tool_call_id":"c1","content":"9:15"},
				{"role":"tool","tool_call_id":"c2","content":"no price"},
				{"role":"assistant","content":"At 9:15."}]`,
		},
		{
			name: "Agent Framework of .NET", from: format.AgentFramework,
			in: `[
				{"role":"user","contents":[{"$type":"text","text":"A train?"}]},
				{"authorName":"clerk","role":"assistant","contents":[{"$type":"functionCall","callId":"c1","name":"trains","arguments":{"to":"Bonn"}}],"messageId":"m1"},
				{"role":"tool","contents":[{"$type":"functionResult","callId":"c1","result":{"at":"9:15"}}]}]`,
			want: `[
				{"role":"user","content":"A train?"},
				{"role":"assistant","name":"clerk","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"trains","arguments":"{\"to\":\"Bonn\"}"}}]},
				{"role":"tool","tool_call_id":"c1","content":"{\"at\":\"9:15\"}"}]`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, to := range []format.Format{format.OpenAIChat, format.Anthropic, format.Gemini, format.EAAPL} {
				made, err := Checked(t.Context(), parsed(t, []byte(tt.in)), to, Options{}, jsonstream.Limits{})
				if err != nil || made.Report.From != tt.from {
					t.Fatalf("to %s: from %q, error %v", to, made.Report.From, err)
				}
				if diff := cmp.Diff(decoded(t, []byte(tt.in)), decoded(t, result(t, made.Text, tt.from, Options{}).Text)); diff != "" {
					t.Errorf("back from %s:\n%s", to, diff)
				}
				if to != format.OpenAIChat {
					continue
				}
				if diff := cmp.Diff(decoded(t, []byte(tt.want)), decoded(t, made.Text).(map[string]any)["messages"]); diff != "" {
					t.Errorf("want and got:\n%s", diff)
				}
				fresh := parsed(t, []byte(tt.want))
				written, err := Checked(t.Context(), fresh, tt.from, Options{}, jsonstream.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := Checked(t.Context(), parsed(t, written.Text), format.Anthropic, Options{}, jsonstream.Limits{}); err != nil {
					t.Errorf("written %s: %v", written.Text, err)
				}
			}
		})
	}
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

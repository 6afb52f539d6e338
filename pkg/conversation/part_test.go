package conversation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// TestParts compares the parts of turns in the formats of APIs and libraries, written as KIND POINTER ID
// TOOL.
func TestParts(t *testing.T) {
	for _, tt := range []struct{ name, turn, role, want string }{
		{"a string", `"hi"`, "", "said "},
		{"Chat: text", `{"role":"user","content":"hi"}`, "user", "said /content"},
		{"Chat: parts", `{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"u"}},{"type":"input_audio"}]}`, "user",
			"said /content/0, media /content/1, media /content/2"},
		{"Chat: calls", `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`, "assistant", "call /tool_calls/0 c1 f"},
		{"Chat: a result", `{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"x"}]}`, "tool", "result  c1"},
		{"Chat, as first published", `{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}`, "assistant", "call /function_call  f"},
		{"Chat, as first published: a result", `{"role":"function","name":"f","content":"x"}`, "function", "result   f"},
		{"SW4RM: a call", `{"role":"assistant","tool_call_id":"c1","name":"f","content":"{}"}`, "assistant", "call  c1 f"},
		{"SW4RM: a result", `{"role":" Tool","content":"x"}`, "tool", "result "},
		{"Responses: a call", `{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"}`, "", "call  c1 f"},
		{"Responses: an output", `{"type":"function_call_output","call_id":"c1","output":"x"}`, "", "result  c1"},
		{"Responses: a shell, as first published", `{"type":"local_shell_call_output","id":"c1","output":"x"}`, "", "result  c1"},
		{"Responses: a hosted tool", `{"type":"web_search_call","id":"ws_1","status":"completed"}`, "", "hosted call"},
		{"Responses: a hosted tool search", `{"type":"tool_search_call","id":"tsc_1","call_id":null,"execution":"server"}`, "", "hosted call"},
		{"Responses: a tool search of the client", `{"type":"tool_search_call","id":"tsc_1","call_id":"c1","execution":"client"}`, "", "call  c1"},
		{"Responses: an approval", `{"type":"mcp_approval_request","id":"mcpr_1","name":"f","arguments":"{}"}`, "", "request  mcpr_1"},
		{"Responses: the answer", `{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":true}`, "", "response  mcpr_1"},
		{"Responses: an unknown type", `{"type":"teleport_call","call_id":"c1","name":"f"}`, "", ""},
		{"Responses: reasoning", `{"type":"reasoning","id":"rs_1","summary":[]}`, "", "reasoning "},
		{"Responses: a message", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"},{"type":"refusal","refusal":"no"}]}`, "assistant", "said /content/0, said /content/1"},
		{"the Agents SDK", `{"type":"tool_call_item","raw_item":{"type":"function_call","call_id":"c1","name":"f"}}`, "", "call /raw_item c1 f"},
		{"the Agents SDK for JavaScript", `{"type":"tool_call_item","rawItem":{"type":"function_call","callId":"c1","name":"f"}}`, "", "call /rawItem c1 f"},
		{"the Agents SDK for JavaScript: a result", `{"type":"function_call_result","callId":"c1","name":"f","output":"x"}`, "", "result  c1 f"},
		{"Anthropic", `{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"},{"type":"text","text":"x"},{"type":"tool_use","id":"t1","name":"f","input":{}},{"type":"document"},{"type":"new"}]}`, "assistant",
			"reasoning /content/0, said /content/1, call /content/2 t1 f, media /content/3, other /content/4"},
		{"Anthropic: a result", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}`, "user", "result /content/0 t1"},
		{"Anthropic: a result alone", `{"type":"tool_result","tool_use_id":"t1","content":"x"}`, "", "result  t1"},
		{"LangChain: a constructor", `{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessage"],"kwargs":{"content":"x","tool_calls":[{"name":"f","args":{},"id":"c1","type":"tool_call"}]}}`, "assistant",
			"said /kwargs/content, call /kwargs/tool_calls/0 c1 f"},
		{"LangChain: a constructor of a result", `{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],"kwargs":{"content":"x","tool_call_id":"c1","name":"f","status":"success"}}`, "tool", "result /kwargs c1 f"},
		{"LangChain: stored", `{"type":"human","data":{"content":"x"}}`, "user", "said /data/content"},
		{"LangChain: a stored result", `{"type":"tool","data":{"content":"x","tool_call_id":"c1"}}`, "tool", "result /data c1"},
		{"LangChain: flat", `{"type":"ai","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"c1","name":"f","input":{}}],"tool_calls":[{"name":"f","args":{},"id":"c1"}]}`, "assistant", "said /content/0, call /content/1 c1 f"},
		{"LangChain: a flat result", `{"type":"tool","content":"x","tool_call_id":"c1"}`, "tool", "result  c1"},
		{"LangChain: another role", `{"type":"chat","data":{"role":"User","content":"x"}}`, "user", "said /data/content"},
		{"AI SDK: a ModelMessage", `{"role":"assistant","content":[{"type":"reasoning","text":"x"},{"type":"tool-call","toolCallId":"c1","toolName":"f","input":{}},{"type":"file","data":"","mediaType":"a/b"}]}`, "assistant",
			"reasoning /content/0, call /content/1 c1 f, media /content/2"},
		{"AI SDK: results", `{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"f","output":{"type":"text","value":"x"}}]}`, "tool", "result /content/0 c1 f"},
		{"AI SDK: a UIMessage", `{"id":"m","role":"assistant","parts":[{"type":"step-start"},{"type":"text","text":"x"},{"type":"tool-f","toolCallId":"c1","state":"output-available","input":{},"output":1},{"type":"dynamic-tool","toolName":"g","toolCallId":"c2","state":"input-available"}]}`, "assistant",
			"other /parts/0, said /parts/1, call /parts/2 c1 f, result /parts/2 c1 f, call /parts/3 c2 g"},
		{"Gemini", `{"role":"model","parts":[{"text":"x","thought":true},{"text":"x"},{"functionCall":{"name":"f","args":{}}},{"inlineData":{}},{"executableCode":{}}]}`, "assistant",
			"reasoning /parts/0, said /parts/1, call /parts/2  f, media /parts/3, hosted call /parts/4"},
		{"Gemini: tools of Google", `{"role":"model","parts":[{"toolCall":{"id":"t1","toolType":"GOOGLE_SEARCH_WEB","args":{}}},{"toolResponse":{"id":"t1","toolType":"GOOGLE_SEARCH_WEB","response":{}}},{"codeExecutionResult":{"outcome":"OUTCOME_OK"}}]}`, "assistant",
			"hosted call /parts/0 t1 GOOGLE_SEARCH_WEB, hosted result /parts/1 t1 GOOGLE_SEARCH_WEB, hosted result /parts/2"},
		{"Gemini: a response", `{"role":"user","parts":[{"function_response":{"id":"c1","name":"f","response":{}}}]}`, "user", "result /parts/0 c1 f"},
		{"ADK", `{"author":"a","content":{"role":"model","parts":[{"text":"x"}]},"actions":{}}`, "assistant", "said /content/parts/0"},
		{"the AI SDK: a tool of the provider", `{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"f","input":{},"providerExecuted":true},{"type":"tool-result","toolCallId":"c1","toolName":"f","output":{"type":"text","value":"x"}}]}`, "assistant",
			"hosted call /content/0 c1 f, hosted result /content/1 c1 f"},
		{"OpenCode: a call and its result", `{"info":{"role":"assistant"},"parts":[{"id":"p","messageID":"m","type":"tool","callID":"c1","tool":"f","state":{"status":"completed","input":{},"output":"x"}}]}`, "assistant",
			"call /parts/0 c1 f, result /parts/0/state/output c1 f"},
		{"OpenCode: a result without an output has a place", `{"info":{"role":"assistant"},"parts":[{"id":"p","messageID":"m","type":"tool","callID":"c1","tool":"f","state":{"status":"completed","input":{}}}]}`, "assistant",
			"call /parts/0 c1 f, result /parts/0/state c1 f"},
		{"the AI SDK: an approval", `{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"f","input":{}},{"type":"tool-approval-request","approvalId":"a1","toolCallId":"c1"}]}`, "assistant",
			"call /content/0 c1 f, request /content/1 a1"},
		{"the AI SDK: the answer", `{"role":"tool","content":[{"type":"tool-approval-response","approvalId":"a1","approved":true}]}`, "tool", "response /content/0 a1"},
		{"a UIMessage: a denied call", `{"role":"assistant","parts":[{"type":"tool-f","toolCallId":"c1","state":"approval-responded","input":{},"approval":{"id":"a1","approved":false}}]}`, "assistant",
			"call /parts/0 c1 f, result /parts/0 c1 f"},
		{"Anthropic: a tool of the server", `{"role":"assistant","content":[{"type":"server_tool_use","id":"s1","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}]}`, "assistant",
			"hosted call /content/0 s1 web_search, hosted result /content/1 s1"},
		{"LangChain: a tool of the provider", `{"type":"ai","content":[{"type":"server_tool_call","id":"s1","name":"web_search","args":{}},{"type":"server_tool_call_result","toolCallId":"s1","status":"success","output":{}}]}`, "assistant",
			"hosted call /content/0 s1 web_search, hosted result /content/1 s1"},
		{"LangChain: an invalid call", `{"type":"ai","content":"","tool_calls":[],"invalid_tool_calls":[{"type":"invalid_tool_call","id":"c1","name":"f","args":"{"}]}`, "assistant", "call /invalid_tool_calls/0 c1 f"},
		{"A2A", `{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"},{"data":{}},{"url":"u"}]}`, "assistant", "said /parts/0, other /parts/1, media /parts/2"},
		{"Claude Code", `{"type":"assistant","uuid":"u","message":{"role":"assistant","content":[{"type":"text","text":"x"}]}}`, "assistant", "said /message/content/0"},
		{"Codex", `{"type":"response_item","payload":{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}}`, "", "call /payload c1 f"},
		{"no turn", `5`, "", ""},
		{"members that wrap nothing", `{"role":"user","content":"x","data":{},"message":{},"payload":{},"kwargs":{}}`, "user", "said /content"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(tt.turn)), jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for p := range Parts(doc.Root()) {
				kind := [...]string{"other", "said", "call", "result", "reasoning", "media", "request", "response"}[p.Kind]
				if p.Hosted {
					kind = "hosted " + kind
				}
				got = append(got, strings.TrimRight(fmt.Sprintf("%s %s %s %s", kind, p.Value.Pointer(), p.ID.Text(), p.Tool()), " "))
			}
			want := strings.Split(tt.want, ", ")
			for i := range want {
				want[i] = strings.TrimRight(want[i], " ")
			}
			if diff := cmp.Diff(strings.Join(want, ", "), strings.Join(got, ", ")); diff != "" {
				t.Error(diff)
			}
			if role := Role(doc.Root()); role != tt.role {
				t.Errorf("the role is %q, want %q", role, tt.role)
			}
		})
	}
}

func TestTypesAreSorted(t *testing.T) {
	for _, list := range [][]Type{types, members} {
		if !slices.IsSortedFunc(list, func(a, b Type) int { return strings.Compare(a.Name, b.Name) }) {
			t.Error("row finds types in sorted lists only")
		}
	}
}

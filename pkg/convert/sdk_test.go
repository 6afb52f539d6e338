package convert

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/provider"
)

// sdkForms are the forms of histories for SDKs that are libraries, with the members of a turn that
// are carried because a rewritten turn lacks them, and the oracle of the SDK.
var sdkForms = []struct {
	format  format.Format
	form    string
	oracle  string
	carried []string // the last member of their places
}{
	{format.AISDK, "model", "ai-model", []string{"mediaType"}},
	{format.AISDK, "model object", "ai-model", []string{"mediaType"}},
	{format.AISDK, "ui", "ai-ui", []string{"id", "metadata", "type", "toolName"}},
	{format.AISDK, "ui object", "ai-ui", []string{"id", "metadata", "type", "toolName"}},
	{format.LangChain, "constructor", "langchain", idle},
	{format.LangChain, "stored", "langchain", idle},
	{format.LangChain, "flat", "langchain", idle},
	{format.LangChain, "state", "langchain", idle},
	{format.LangChain, "command", "", idle},
}

// idle are optional members of LangChain messages, which are set at random.
var idle = []string{"id", "usage_metadata", "tool_calls", "invalid_tool_calls"}

// rewritten returns the view of a message after its turns are read and written again.
func rewritten(s side, message tree.Node) tree.Node {
	m, shape := s.read(message)
	return s.write(m, shape, &exchange.Maker{Source: message, Restoring: true, Known: map[string]bool{}})
}

// TestSDKResidues checks that the carried data of a history is small, because the history is written
// again almost unchanged.
func TestSDKResidues(t *testing.T) {
	for _, tt := range sdkForms {
		t.Run(string(tt.format)+"/"+tt.form, func(t *testing.T) {
			s := sideOf(tt.format)
			for seed := range uint64(tier.Count(50, 200)) {
				text := chatgen.OrdinaryIn(rand.New(rand.NewPCG(seed, 3)), tt.format, tt.form)
				message := tree.Of(parsed(t, text))
				if tt.format == format.AISDK && mixes(message) {
					continue
				}
				p := patchOf(s, rewritten(s, message), message)
				for _, e := range p.members {
					if !strings.HasPrefix(e.at, "/rest/") { // outside the turns
						t.Errorf("seed %d: carried at %s: %s", seed, e.at, text)
					}
				}
				for _, h := range p.turns {
					if len(h.put) > 0 {
						t.Fatalf("seed %d: a turn is carried: %s\nof %s", seed, tree.Array(h.put...).Compact(), text)
					}
					for _, e := range h.edit {
						if member := e.at[strings.LastIndex(e.at, "/")+1:]; !slices.Contains(tt.carried, member) {
							t.Fatalf("seed %d: carried at %s: %s\nof %s", seed, e.at, e.value.Compact(), text)
						}
					}
				}
			}
		})
	}
}

// mixes reports whether a message has two forms of turns, of which only one is written: results of
// parallel calls in separate messages, or images both as image parts and as file parts.
func mixes(message tree.Node) bool {
	last, text := "", string(message.Compact())
	for c := listOf(message).Children(); c.Next(); {
		role := c.Value.Get("role").Text()
		if role == "tool" && last == "tool" {
			return true
		}
		last = role
	}
	return strings.Contains(text, `"image":"`) && strings.Contains(text, `"data":"`)
}

func listOf(message tree.Node) tree.Node {
	for _, name := range []string{"messages", "input", "contents"} {
		if list := message.Get(name); list != tree.None {
			return list
		}
	}
	return message
}

// TestSDKsTake checks that valid histories of all other formats become histories that break no rule of
// an SDK or a provider, and that the SDK accepts.
func TestSDKsTake(t *testing.T) {
	for _, to := range []format.Format{format.AISDK, format.LangChain} {
		var texts [][]byte
		for _, from := range madeUp {
			for seed := range uint64(*histories) {
				if from != to {
					source := chatgen.History(rand.New(rand.NewPCG(seed, 8)), from)
					if bytes.Contains(source, []byte("*** End")) || bytes.Contains(source, []byte(`"invalid_tool_call"`)) {
						continue // the input of a custom tool or an invalid call is a text
					}
					there := converted(t, source, from, to)
					mustBeDetected(t, to, there)
					checkMade(t, from, to, source, there)
					texts = append(texts, there)
				}
			}
		}
		program := oracle.New(t)
		for _, tt := range sdkForms {
			if tt.format != to || tt.oracle == "" {
				continue
			}
			ask := texts
			texts = nil // they do not depend on the form
			t.Run(string(to)+"/"+tt.form, func(t *testing.T) {
				s := sideOf(to)
				for seed := range uint64(*histories) { // rewritten in the form
					text := chatgen.OrdinaryIn(rand.New(rand.NewPCG(seed, 7)), to, tt.form)
					again := s.message(rewritten(s, tree.Of(parsed(t, text)))).Compact()
					checkMade(t, to, to, text, again)
					if !bytes.Contains(again, []byte(`["langchain","schema",`)) { // the form of Python, which JavaScript does not load
						ask = append(ask, again)
					}
				}
				for i, answer := range program.Start(t, tt.oracle).Ask(ask...) {
					if !answer.OK {
						t.Errorf("%s\n%s", answer.Error, ask[i])
					}
				}
				t.Logf("%d histories", len(ask))
			})
		}
	}
}

// checkMade fails if the converted source is invalid, or is rejected although the source is not.
func checkMade(t *testing.T, from, to format.Format, source, made []byte) {
	t.Helper()
	if problems := conform(t, to, made); len(problems) > 0 {
		t.Fatalf("%s\n%s\n%s", problems, source, made)
	}
	for _, p := range provider.All() {
		if len(refused(t, from, source, p)) > 0 {
			continue
		}
		// A blank result is not visible in a UIMessage, where it is in the part of the call. The title of a
		// document for Anthropic is a file name elsewhere, and Bedrock restricts only names.
		problems := slices.DeleteFunc(refused(t, to, made, p), func(s string) bool {
			return strings.HasPrefix(s, "bedrock-converse/empty-content ") || from == format.Anthropic && strings.HasPrefix(s, "bedrock-converse/document-name ")
		})
		if len(problems) > 0 {
			t.Fatalf("%s refuses: %s\n%s\n%s", p, problems, source, made)
		}
	}
}

// TestSDKTurns checks that a turn is translated if both formats have an equivalent.
func TestSDKTurns(t *testing.T) {
	for _, tt := range []struct {
		name     string
		from, to format.Format
		in, want string // the turns
	}{
		{
			name: "a call and its result", from: format.OpenAIChat, to: format.AISDK,
			in: `[{"role":"user","content":"Where is it?"},
				{"role":"assistant","content":"I look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{\"b\":1.0,\"a\":12345678901234567890}"}}]},
				{"role":"tool","tool_call_id":"c1","content":"Bonn"}]`,
			want: `[{"role":"user","content":"Where is it?"},
				{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool-call","toolCallId":"c1","toolName":"find","input":{"b":1.0,"a":12345678901234567890}}]},
				{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"find","output":{"type":"text","value":"Bonn"}}]}]`,
		},
		{
			name: "parallel calls", from: format.OpenAIChat, to: format.AISDK,
			in: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"no JSON"}}]},
				{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"2"}]}]`,
			want: `[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"f","input":{}},{"type":"tool-call","toolCallId":"b","toolName":"g","input":"no JSON"}]},
				{"role":"tool","content":[{"type":"tool-result","toolCallId":"a","toolName":"f","output":{"type":"text","value":"1"}},
					{"type":"tool-result","toolCallId":"b","toolName":"g","output":{"type":"content","value":[{"type":"text","text":"2"}]}}]}]`,
		},
		{
			name: "media", from: format.OpenAIChat, to: format.AISDK,
			in: `[{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}},
				{"type":"image_url","image_url":{"url":"https://example.com/a.png"}},{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}},
				{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERi0="}},{"type":"file","file":{"file_id":"file-17"}}]}]`,
			want: `[{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"file","data":"iVBORw0KGgo=","mediaType":"image/png"},
				{"type":"image","image":"https://example.com/a.png"},{"type":"file","data":"UklGRg==","mediaType":"audio/wav"},
				{"type":"file","data":"JVBERi0=","mediaType":"application/pdf","filename":"a.pdf"},{"type":"file","data":"file-17","mediaType":"application/pdf"}]}]`,
		},
		{
			name: "reasoning as @ai-sdk/amazon-bedrock 5.0.101 returns and sends it", from: format.AISDK, to: format.BedrockConverse,
			in: `[{"role":"user","content":"Where is it?"},{"role":"assistant","content":[{"type":"reasoning","text":"","providerOptions":{"bedrock":{"redactedContent":"RXE="}}},
				{"type":"reasoning","text":"","providerOptions":{"bedrock":{"redactedData":"RXI="}}},{"type":"reasoning","text":"","providerOptions":{"amazonBedrock":{"redactedContent":"RXM="}}},
				{"type":"reasoning","text":"Hm.","providerOptions":{"amazonBedrock":{"signature":"EqQB"}}},{"type":"text","text":"In Bonn."}]}]`,
			want: `[{"role":"user","content":[{"text":"Where is it?"}]},{"role":"assistant","content":[{"reasoningContent":{"redactedContent":"RXE="}},{"reasoningContent":{"redactedContent":"RXI="}},
				{"reasoningContent":{"redactedContent":"RXM="}},{"reasoningContent":{"reasoningText":{"text":"Hm.","signature":"EqQB"}}},{"text":"In Bonn."}]}]`,
		},
		{
			name: "a UIMessage", from: format.AISDK, to: format.OpenAIChat,
			in: `[{"id":"1","role":"assistant","parts":[{"type":"step-start"},{"type":"reasoning","text":"Hm."},{"type":"text","text":"I look."},
					{"type":"tool-find","toolCallId":"c1","state":"output-available","input":{"q":"it"},"output":{"city":"Bonn","size":1.50}},
					{"type":"dynamic-tool","toolName":"ask","toolCallId":"c2","state":"output-error","input":{},"errorText":"nobody is there"},
					{"type":"step-start"},{"type":"source-url","sourceId":"s","url":"https://example.com"},{"type":"text","text":"In Bonn."}]}]`,
			want: `[{"role":"assistant","content":[{"type":"text","text":"I look."}],"tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{\"q\":\"it\"}"}},{"id":"c2","type":"function","function":{"name":"ask","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"c1","content":"{\"city\":\"Bonn\",\"size\":1.50}"},{"role":"tool","tool_call_id":"c2","content":"nobody is there"},
				{"role":"assistant","content":"In Bonn."}]`,
		},
		{
			name: "approvals", from: format.AISDK, to: format.OpenAIChat,
			in: `[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"pay","input":{}},{"type":"tool-approval-request","approvalId":"a","toolCallId":"c1"}]},
				{"role":"tool","content":[{"type":"tool-approval-response","approvalId":"a","approved":false}]},
				{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"pay","output":{"type":"execution-denied","reason":"too much"}}]}]`,
			want: `[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"pay","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"c1","content":"too much"}]`,
		},
		{
			name: "a call and its result", from: format.AISDK, to: format.LangChain,
			in: `[{"role":"user","content":"Where is it?"},
				{"role":"assistant","content":[{"type":"reasoning","text":"Hm.","providerOptions":{"anthropic":{"signature":"Eq1"}}},{"type":"text","text":"I look."},
					{"type":"tool-call","toolCallId":"c1","toolName":"find","input":{"size":1.50}}]},
				{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"find","output":{"type":"error-text","value":"nothing"}}]}]`,
			want: `[{"type":"human","content":"Where is it?"},
				{"type":"ai","content":[{"type":"thinking","thinking":"Hm.","signature":"Eq1"},{"type":"text","text":"I look."},{"type":"tool_use","id":"c1","name":"find","input":{"size":1.50}}],
					"tool_calls":[{"name":"find","args":{"size":1.50},"id":"c1","type":"tool_call"}]},
				{"type":"tool","content":"nothing","tool_call_id":"c1","name":"find","status":"error"}]`,
		},
		{
			name: "results that are late", from: format.LangChain, to: format.AISDK,
			in: `[{"type":"ai","content":"","tool_calls":[{"name":"f","args":{},"id":"a","type":"tool_call"},{"name":"g","args":{},"id":"b","type":"tool_call"}]},
				{"type":"tool","content":"1","tool_call_id":"a"},{"type":"human","content":"And?"},{"type":"ai","content":"Wait."},
				{"type":"tool","content":"2","tool_call_id":"b"},{"type":"human","content":"Well?"}]`,
			want: `[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"f","input":{}},{"type":"tool-call","toolCallId":"b","toolName":"g","input":{}}]},
				{"role":"tool","content":[{"type":"tool-result","toolCallId":"a","toolName":"f","output":{"type":"text","value":"1"}},
					{"type":"tool-result","toolCallId":"b","toolName":"g","output":{"type":"text","value":"2"}}]},
				{"role":"user","content":"And?"},{"role":"assistant","content":"Wait."},{"role":"user","content":"Well?"}]`,
		},
		{
			name: "what OpenAI's models think", from: format.AISDK, to: format.LangChain,
			in:   `[{"role":"assistant","content":[{"type":"reasoning","text":"Hm.","providerOptions":{"openai":{"itemId":"rs_1","reasoningEncryptedContent":"gA"}}},{"type":"text","text":"Hello."}]}]`,
			want: `[{"type":"ai","content":"Hello.","additional_kwargs":{"reasoning":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"gA"}}}]`,
		},
		{
			name: "arguments that are none", from: format.OpenAIChat, to: format.LangChain,
			in: `[{"role":"developer","content":"Be brief."},
				{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":"}},{"id":"b","type":"function","function":{"name":"g","arguments":""}}]},
				{"role":"tool","tool_call_id":"a","content":"bad arguments"},{"role":"tool","tool_call_id":"b","content":"2"}]`,
			want: `[{"type":"system","content":"Be brief.","additional_kwargs":{"__openai_role__":"developer"}},
				{"type":"ai","content":"","tool_calls":[{"name":"g","args":{},"id":"b","type":"tool_call"}],
					"invalid_tool_calls":[{"name":"f","args":"{\"x\":","id":"a","error":null,"type":"invalid_tool_call"}]},
				{"type":"tool","content":"bad arguments","tool_call_id":"a"},{"type":"tool","content":"2","tool_call_id":"b"}]`,
		},
		{
			name: "files", from: format.OpenAIChat, to: format.LangChain,
			in: `[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}},{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}},
				{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERi0="}}]}]`,
			want: `[{"type":"human","content":[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}},{"type":"audio","mimeType":"audio/wav","mime_type":"audio/wav","data":"UklGRg==","base64":"UklGRg=="},
				{"type":"file","mimeType":"application/pdf","mime_type":"application/pdf","data":"JVBERi0=","base64":"JVBERi0=","metadata":{"filename":"a.pdf"}}],"response_metadata":{"output_version":"v1"}}]`,
		},
		{
			name: "constructors, and what only LangChain writes", from: format.LangChain, to: format.OpenAIChat,
			in: `[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":["Where is it?",{"type":"image","source_type":"base64","mime_type":"image/png","data":"iVBORw0KGgo="}],"type":"human","name":"ada"}},
				{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessageChunk"],"kwargs":{"content":[{"type":"tool_use","id":"c1","name":"find","input":{}}],"tool_calls":[{"name":"find","args":{},"id":"c1","type":"tool_call"}],"type":"AIMessageChunk"}},
				{"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],"kwargs":{"content":"Bonn","tool_call_id":"c1","artifact":{"lat":50.7},"type":"tool"}},
				{"lc":1,"type":"constructor","id":["langchain","schema","messages","RemoveMessage"],"kwargs":{"content":"","id":"m1","type":"remove"}}]`,
			want: `[{"role":"user","content":[{"type":"text","text":"Where is it?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}],"name":"ada"},
				{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"c1","content":"Bonn"}]`,
		},
		{
			name: "content blocks, and a call that was cut off", from: format.LangChain, to: format.OpenAIChat,
			in: `[{"type":"human","data":{"content_blocks":[{"type":"text","text":"Read it."},{"type":"file","mimeType":"application/pdf","data":"JVBERi0="}],"response_metadata":{"output_version":"v1"}}},
				{"type":"ai","data":{"content":[{"type":"text","text":"I pay."}],"tool_calls":[{"name":"pay","args":{"euros":4},"id":"c1","type":"tool_call"}],
					"tool_call_chunks":[{"name":"pay","args":"{\"euros\": 4","id":"c1","index":0,"type":"tool_call_chunk"}]}}]`,
			want: `[{"role":"user","content":[{"type":"text","text":"Read it."},{"type":"file","file":{"file_data":"data:application/pdf;base64,JVBERi0="}}]},
				{"role":"assistant","content":[{"type":"text","text":"I pay."}],"tool_calls":[{"id":"c1","type":"function","function":{"name":"pay","arguments":"{\"euros\": 4"}}]}]`,
		},
		{
			name: "a denied call, and one that was not decided", from: format.AISDK, to: format.OpenAIChat,
			in: `[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"drop","input":{}},{"type":"tool-call","toolCallId":"b","toolName":"drop","input":{}},
					{"type":"tool-approval-request","approvalId":"p","toolCallId":"a"},{"type":"tool-approval-request","approvalId":"q","toolCallId":"b"}]},
				{"role":"tool","content":[{"type":"tool-approval-response","approvalId":"p","approved":false,"reason":"Audit until May."}]},
				{"role":"user","content":"Go on."}]`,
			want: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"drop","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"a","content":"Audit until May."},{"role":"user","content":"Go on."}]`,
		},
		{
			name: "a denied call of a UIMessage, and what the user said meanwhile", from: format.AISDK, to: format.OpenAIChat,
			in: `[{"id":"m1","role":"assistant","parts":[{"type":"tool-drop","toolCallId":"a","state":"approval-responded","input":{},"approval":{"id":"p","approved":false}},
				{"type":"step-start"},{"type":"steering-message","id":"s","parts":[{"type":"text","text":"Hurry."}]},{"type":"text","text":"I stop."}]}]`,
			want: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"drop","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"a","content":"Tool call execution denied."},{"role":"user","content":"Hurry."},{"role":"assistant","content":"I stop."}]`,
		},
		{
			name: "a denied approval of an MCP tool", from: format.OpenAIResponses, to: format.OpenAIChat,
			in: `[{"role":"user","content":"Drop it."},{"type":"mcp_approval_request","id":"mcpr_1","name":"drop","arguments":"{}","server_label":"db"},
				{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":false,"reason":"Audit until May."},
				{"type":"mcp_approval_request","id":"mcpr_2","name":"drop","arguments":"{}","server_label":"db"},{"role":"user","content":"Go on."}]`,
			want: `[{"role":"user","content":"Drop it."},{"role":"assistant","content":null,"tool_calls":[{"id":"mcpr_1","type":"function","function":{"name":"drop","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"mcpr_1","content":"Audit until May."},{"role":"user","content":"Go on."}]`,
		},
		{
			name: "instructions among the turns", from: format.OpenAIChat, to: format.AISDK,
			in:   `[{"role":"user","content":"Hello."},{"role":"system","content":"Be brief."},{"role":"user","content":"Go on."}]`,
			want: `[{"role":"user","content":"Hello."},{"role":"user","content":"[system] Be brief."},{"role":"user","content":"Go on."}]`,
		},
		{
			name: "a hosted tool of Anthropic in the AI SDK", from: format.Anthropic, to: format.AISDK,
			in: `[{"role":"user","content":"Tide?"},{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"tide"}},
				{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://e.test","title":"T","encrypted_content":"Eq"}]},
				{"type":"server_tool_use","id":"srvtoolu_2","name":"bash_code_execution","input":{"command":"ls"}},
				{"type":"bash_code_execution_tool_result","tool_use_id":"srvtoolu_2","content":{"type":"bash_code_execution_result","stdout":"a","stderr":"","return_code":0,"content":[]}},{"type":"text","text":"Low."}]}]`,
			want: `[{"role":"user","content":"Tide?"},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"srvtoolu_1","toolName":"web_search","input":{"query":"tide"},"providerExecuted":true},
				{"type":"tool-result","toolCallId":"srvtoolu_1","toolName":"web_search","output":{"type":"json","value":[{"type":"web_search_result","url":"https://e.test","title":"T","encryptedContent":"Eq","pageAge":null}]}},
				{"type":"tool-call","toolCallId":"srvtoolu_2","toolName":"code_execution","input":{"command":"ls","type":"bash_code_execution"},"providerExecuted":true},
				{"type":"tool-result","toolCallId":"srvtoolu_2","toolName":"code_execution","output":{"type":"json","value":{"type":"bash_code_execution_result","stdout":"a","stderr":"","return_code":0,"content":[]}}},{"type":"text","text":"Low."}]}]`,
		},
		{
			name: "a call from the code that Claude executes", from: format.Anthropic, to: format.AISDK,
			in: `[{"role":"user","content":"Tide?"},{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"code_execution","input":{"code":"tide()"}},
				{"type":"tool_use","id":"toolu_1","name":"tide","input":{},"caller":{"type":"code_execution_20250825","tool_id":"srvtoolu_1"}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"low"}]}]`,
			want: `[{"role":"user","content":"Tide?"},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"srvtoolu_1","toolName":"code_execution","input":{"code":"tide()"},"providerExecuted":true},
				{"type":"tool-call","toolCallId":"toolu_1","toolName":"tide","input":{},"providerOptions":{"anthropic":{"caller":{"type":"code_execution_20250825","toolId":"srvtoolu_1"}}}}]},
				{"role":"tool","content":[{"type":"tool-result","toolCallId":"toolu_1","toolName":"tide","output":{"type":"text","value":"low"}}]}]`,
		},
		{
			name: "a call from the code that Claude executes", from: format.Anthropic, to: format.LangChain,
			in: `[{"role":"user","content":"Tide?"},{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"code_execution","input":{"code":"tide()"}},
				{"type":"tool_use","id":"toolu_1","name":"tide","input":{},"caller":{"type":"code_execution_20250825","tool_id":"srvtoolu_1"}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"low"}]}]`,
			want: `[{"type":"human","content":"Tide?"},{"type":"ai","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"code_execution","input":{"code":"tide()"}},
				{"type":"tool_use","id":"toolu_1","name":"tide","input":{},"caller":{"type":"code_execution_20250825","tool_id":"srvtoolu_1"}}],
				"tool_calls":[{"name":"tide","args":{},"id":"toolu_1","type":"tool_call"}]},
				{"type":"tool","content":"low","tool_call_id":"toolu_1"}]`,
		},
		{
			name: "signatures of Gemini", from: format.Gemini, to: format.AISDK,
			in: `[{"role":"user","parts":[{"text":"Tide?"}]},{"role":"model","parts":[{"text":"Hm.","thought":true,"thoughtSignature":"c2ln"},{"text":"I look.","thoughtSignature":"dGV4dA=="},
				{"functionCall":{"id":"c1","name":"tide","args":{}},"thoughtSignature":"Y2FsbA=="}]},
				{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"tide","response":{"output":"low"}}}]}]`,
			want: `[{"role":"user","content":"Tide?"},{"role":"assistant","content":[{"type":"reasoning","text":"Hm.","providerOptions":{"google":{"thoughtSignature":"c2ln"}}},
				{"type":"text","text":"I look.","providerOptions":{"google":{"thoughtSignature":"dGV4dA=="}}},
				{"type":"tool-call","toolCallId":"c1","toolName":"tide","input":{},"providerOptions":{"google":{"thoughtSignature":"Y2FsbA=="}}}]},
				{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"tide","output":{"type":"text","value":"low"}}]}]`,
		},
		{
			name: "a signed call of Gemini in LangChain", from: format.LangChain, to: format.Gemini,
			in: `[{"type":"human","content":"Tide?"},{"type":"ai","content":"","additional_kwargs":{"__gemini_function_call_thought_signatures__":{"c1":"Y2FsbA=="}},
				"tool_calls":[{"name":"tide","args":{},"id":"c1","type":"tool_call"}]},{"type":"tool","content":"low","tool_call_id":"c1"}]`,
			want: `[{"role":"user","parts":[{"text":"Tide?"}]},{"role":"model","parts":[{"functionCall":{"id":"c1","name":"tide","args":{}},"thoughtSignature":"Y2FsbA=="}]},
				{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"tide","response":{"output":"low"}}}]}]`,
		},
		{
			name: "signatures of Gemini in a UIMessage", from: format.AISDK, to: format.Gemini,
			in: `[{"id":"1","role":"user","parts":[{"type":"text","text":"Tide?"}]},{"id":"2","role":"assistant","parts":[{"type":"step-start"},{"type":"reasoning","text":"Hm.","providerMetadata":{"vertex":{"thoughtSignature":"c2ln"}}},
				{"type":"tool-tide","toolCallId":"c1","state":"output-available","input":{},"output":"low","callProviderMetadata":{"google":{"thoughtSignature":"Y2FsbA=="}}},
				{"type":"step-start"},{"type":"text","text":"Low.","providerMetadata":{"google":{"thoughtSignature":"dGV4dA=="}}}]}]`,
			want: `[{"role":"user","parts":[{"text":"Tide?"}]},{"role":"model","parts":[{"text":"Hm.","thought":true,"thoughtSignature":"c2ln"},
				{"functionCall":{"id":"c1","name":"tide","args":{}},"thoughtSignature":"Y2FsbA=="}]},
				{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"tide","response":{"output":"low"}}}]},{"role":"model","parts":[{"text":"Low.","thoughtSignature":"dGV4dA=="}]}]`,
		},
		{
			name: "a hosted tool of the AI SDK in LangChain", from: format.AISDK, to: format.LangChain,
			in: `[{"role":"user","content":"Tide?"},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"srvtoolu_1","toolName":"web_search","input":{"query":"tide"},"providerExecuted":true},
				{"type":"tool-result","toolCallId":"srvtoolu_1","toolName":"web_search","output":{"type":"json","value":[{"type":"web_search_result","url":"https://e.test","title":"T","pageAge":null,"encryptedContent":"Eq"}]}},{"type":"text","text":"Low."}]}]`,
			want: `[{"type":"human","content":"Tide?"},{"type":"ai","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"tide"}},
				{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://e.test","title":"T","page_age":null,"encrypted_content":"Eq"}]},{"type":"text","text":"Low."}]}]`,
		},
		{
			name: "items of the Agents SDK for JavaScript", from: format.OpenAIJS, to: format.OpenAIResponses,
			in: `[{"type":"message","role":"user","content":[{"type":"input_text","text":"Book it."},{"type":"input_image","image":{"id":"file-1"}}]},{"type":"reasoning","id":"rs_1","content":[{"type":"input_text","text":"Hm."}],"providerData":{"encrypted_content":"gA"}},
				{"type":"function_call","id":"fc_1","callId":"c1","name":"book","arguments":"{}","status":"completed"},
				{"type":"function_call_result","callId":"c1","name":"book","status":"completed","output":{"type":"text","text":"booked"}},
				{"type":"shell_call","callId":"c2","status":"completed","action":{"commands":["ls"],"timeoutMs":5}},{"type":"shell_call_output","callId":"c2","output":[{"stdout":"a","stderr":"","outcome":{"type":"exit","exitCode":0}}]},
				{"type":"hosted_tool_call","id":"ws_1","name":"web_search_call","status":"completed","providerData":{"type":"web_search_call","action":{"type":"search","query":"tide"}}}]`,
			want: `[{"type":"message","role":"user","content":[{"type":"input_text","text":"Book it."},{"type":"input_image","file_id":"file-1"}]},{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"gA"},
				{"type":"function_call","id":"fc_1","call_id":"c1","name":"book","arguments":"{}","status":"completed"},{"type":"function_call_output","call_id":"c1","output":"booked","status":"completed"},
				{"type":"shell_call","call_id":"c2","status":"completed","action":{"commands":["ls"],"timeout_ms":5}},{"type":"shell_call_output","call_id":"c2","output":[{"stdout":"a","stderr":"","outcome":{"type":"exit","exit_code":0}}]},
				{"type":"web_search_call","action":{"type":"search","query":"tide"},"id":"ws_1","status":"completed"}]`,
		},
		{
			name: "short messages", from: format.LangChain, to: format.AISDK,
			in:   `["Where is it?",["assistant","In Bonn."],{"role":"human","content":"Thanks."},{"type":"chat","role":"critic","content":"Brief!"}]`,
			want: `[{"role":"user","content":"Where is it?"},{"role":"assistant","content":"In Bonn."},{"role":"user","content":"Thanks."},{"role":"user","content":"Brief!"}]`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := result(t, []byte(tt.in), tt.to, Options{From: tt.from})
			mustEqual(t, listOf(tree.Of(parsed(t, r.Text))).Compact(), []byte(tt.want))
			mustEqual(t, result(t, r.Text, tt.from, Options{From: tt.to}).Text, []byte(tt.in))
		})
	}
}

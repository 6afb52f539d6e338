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
	"github.com/eaapl/handoff/pkg/jsonstream"
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
				text := chatgen.HistoryIn(rand.New(rand.NewPCG(seed, 3)), tt.format, tt.form)
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
	if message.Is(jsonstream.Object) {
		return message.Get("messages")
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
					there := converted(t, source, from, to)
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
					text := chatgen.HistoryIn(rand.New(rand.NewPCG(seed, 7)), to, tt.form)
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
		// A blank result is not visible in a UIMessage, where it is in the part of the call.
		problems := slices.DeleteFunc(refused(t, to, made, p), func(s string) bool { return strings.HasPrefix(s, "bedrock-converse/empty-content ") })
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
			want: `[{"type":"human","content":[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}},{"type":"audio","source_type":"base64","mime_type":"audio/wav","data":"UklGRg=="},
				{"type":"file","source_type":"base64","mime_type":"application/pdf","data":"JVBERi0=","metadata":{"filename":"a.pdf"}}]}]`,
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

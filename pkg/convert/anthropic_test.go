package convert

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// TestBlocksSay compares chats and blocks after the conversion to the form of another API.
func TestBlocksSay(t *testing.T) {
	const (
		chat = `{"messages":[{"role":"developer","content":"Be brief."},{"role":"user","content":"Weather?"},` +
			`{"role":"assistant","content":null,"tool_calls":[{"id":"call.1","type":"function","function":{"name":"get.weather","arguments":"{\"city\": \"Bonn\", \"at\": 1.50}"}},` +
			`{"id":"call.2","type":"function","function":{"name":"time","arguments":""}}]},` +
			`{"role":"tool","tool_call_id":"call.2","content":""},{"role":"tool","tool_call_id":"call.1","content":"18 °C"},` +
			`{"role":"user","content":[{"type":"text","text":"And this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}},{"type":"image_url","image_url":{"url":"https://x.test/a.png"}}]},` +
			`{"role":"system","content":"Hurry."},{"role":"assistant","content":"A map. \n"}]}`
		blocks = `[{"role":"user","content":"Weather?"},` +
			`{"role":"assistant","content":[{"type":"thinking","thinking":"A tool helps.","signature":"EqQB"},{"type":"redacted_thinking","data":"AAAA"},{"type":"text","text":"I look."},` +
			`{"type":"tool_use","id":"toolu_1","name":"get_weather","input":{"city":"Bonn","at":1.50}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"down"}],"is_error":true},` +
			`{"type":"document","title":"a.txt","source":{"type":"text","media_type":"text/plain","data":"18"}}]}]`
	)
	for _, tt := range []struct {
		name     string
		from, to format.Format
		in, want string
	}{
		{"to Anthropic", format.OpenAIChat, format.Anthropic, chat, `{"system":"Be brief.","messages":[{"role":"user","content":"Weather?"},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"get_weather","input":{"city":"Bonn","at":1.50}},{"type":"tool_use","id":"call_2","name":"time","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_2","content":""},{"type":"tool_result","tool_use_id":"call_1","content":"18 °C"},` +
			`{"type":"text","text":"And this?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}},{"type":"image","source":{"type":"url","url":"https://x.test/a.png"}},` +
			`{"type":"text","text":"[system] Hurry."}]},{"role":"assistant","content":"A map."}]}`},
		{"to Bedrock", format.OpenAIChat, format.BedrockConverse, chat, `{"system":[{"text":"Be brief."}],"messages":[{"role":"user","content":[{"text":"Weather?"}]},` +
			`{"role":"assistant","content":[{"toolUse":{"toolUseId":"call_1","name":"get_weather","input":{"city":"Bonn","at":1.50}}},{"toolUse":{"toolUseId":"call_2","name":"time","input":{}}}]},` +
			`{"role":"user","content":[{"toolResult":{"toolUseId":"call_2","content":[]}},{"toolResult":{"toolUseId":"call_1","content":[{"text":"18 °C"}]}},` +
			`{"text":"And this?"},{"image":{"format":"png","source":{"bytes":"iVBORw0KGgo="}}},{"text":"[image https://x.test/a.png]"},` +
			`{"text":"[system] Hurry."}]},{"role":"assistant","content":[{"text":"A map."}]}]}`},
		{"Anthropic to Bedrock", format.Anthropic, format.BedrockConverse, blocks, `{"messages":[{"role":"user","content":[{"text":"Weather?"}]},` +
			`{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"A tool helps.","signature":"EqQB"}}},{"reasoningContent":{"redactedContent":"AAAA"}},{"text":"I look."},` +
			`{"toolUse":{"toolUseId":"toolu_1","name":"get_weather","input":{"city":"Bonn","at":1.50}}}]},` +
			`{"role":"user","content":[{"toolResult":{"toolUseId":"toolu_1","content":[{"text":"down"}],"status":"error"}},` +
			`{"document":{"format":"txt","name":"a txt","source":{"bytes":"MTg="}}},{"text":"[document]"}]}]}`},
		{"redacted thinking that is not base64, which Bedrock refuses", format.Anthropic, format.BedrockConverse, strings.Replace(blocks, `"AAAA"`, `"AAA"`, 1), `{"messages":[{"role":"user","content":[{"text":"Weather?"}]},` +
			`{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"A tool helps.","signature":"EqQB"}}},{"text":"I look."},` +
			`{"toolUse":{"toolUseId":"toolu_1","name":"get_weather","input":{"city":"Bonn","at":1.50}}}]},` +
			`{"role":"user","content":[{"toolResult":{"toolUseId":"toolu_1","content":[{"text":"down"}],"status":"error"}},` +
			`{"document":{"format":"txt","name":"a txt","source":{"bytes":"MTg="}}},{"text":"[document]"}]}]}`},
		{"from Anthropic", format.Anthropic, format.OpenAIChat, blocks, `{"messages":[{"role":"user","content":"Weather?"},` +
			`{"role":"assistant","content":[{"type":"text","text":"I look."}],"tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"get_weather","arguments":"{\"at\":1.50,\"city\":\"Bonn\"}"}}]},` +
			`{"role":"tool","tool_call_id":"toolu_1","content":"down"},` +
			`{"role":"user","content":[{"type":"file","file":{"filename":"a.txt","file_data":"data:text/plain;base64,MTg="}}]}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tree.Of(parsed(t, converted(t, []byte(tt.in), tt.from, tt.to))).With("handoff", tree.None)
			if want, ok := tree.Parse([]byte(tt.want)); !ok || !tree.Same(got, want) {
				t.Error(cmp.Diff(tt.want, string(got.Compact())))
			}
		})
	}
}

// TestSessionsOracle checks that the session reader of the Claude Agent SDK returns all lines of
// converted sessions in order, with carried data at the end.
func TestSessionsOracle(t *testing.T) {
	sdk := oracle.Start(t, "claude-code")
	var docs [][]byte
	for seed := range uint64(*histories) {
		r := rand.New(rand.NewPCG(seed, 27))
		for _, from := range madeUp {
			lines := tree.Elements(tree.Of(parsedIn(t, converted(t, chatgen.History(r, from), from, format.ClaudeCode), format.ClaudeCode)))
			docs = append(docs, tree.Array(lines...).Compact())
		}
	}
	docs = append(docs, tree.Array(tree.Elements(tree.Of(parsedIn(t, converted(t, sample(t, format.EAAPL), format.EAAPL, format.ClaudeCode), format.ClaudeCode)))...).Compact())
	for i := range docs {
		docs[i] = bytes.ReplaceAll(docs[i], []byte("9007199254740993"), []byte("9007199254740992")) // JavaScript numbers are doubles
	}
	for i, answer := range sdk.Ask(docs...) {
		if !answer.OK {
			t.Fatalf("%s\n%s", answer.Error, docs[i])
		}
		got, _ := tree.Parse(answer.Raw)
		lines := tree.Elements(tree.Of(parsed(t, docs[i])))
		lines = slices.DeleteFunc(slices.Clone(lines), func(line tree.Node) bool { return line.Get("uuid") == tree.None })
		read := tree.Elements(got.Get("messages"))
		if len(read) != len(lines) {
			t.Fatalf("%d messages are read of %d lines\n%s", len(read), len(lines), docs[i])
		}
		for n, line := range lines {
			if read[n].Get("uuid").Text() != line.Get("uuid").Text() || !tree.Same(read[n].Get("message"), line.Get("message")) {
				t.Fatalf("message %d is %s, want %s", n, read[n].Compact(), line.Compact())
			}
		}
	}
}

// TestSessionsStayLinked checks that the lines of a session stay linked if a turn is added or removed in
// another format.
func TestSessionsStayLinked(t *testing.T) {
	for _, text := range sessions(t, format.ClaudeCode)[:2] {
		source := parsed(t, text)
		there := result(t, text, format.EAAPL, Options{From: format.ClaudeCode})
		turns := len(tree.Elements(tree.Of(parsed(t, there.Text)).At(exchange.Turns)))
		for name, e := range map[string]edit{
			"added":   add(exchange.Turns, `{"role":"user","content":"And now?"}`),
			"trimmed": drop(exchange.Turns, 2),
		} {
			want := turns + 1
			if name == "trimmed" {
				want = turns - 2
			}
			back := result(t, e(tree.Of(parsed(t, there.Text))).Append(nil), format.ClaudeCode, Options{})
			m, _ := sideOf(format.ClaudeCode).read(tree.Of(parsedIn(t, back.Text, format.ClaudeCode)))
			if len(m.Turns) != want {
				t.Errorf("%s: %d turns of the conversation, want %d of %d lines\n%s", name, len(m.Turns), want, source.Root().Len(), back.Text)
			}
		}
	}
}

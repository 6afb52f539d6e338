package convert

import (
	"math/rand/v2"
	"testing"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// TestCodexCarriesNoTurns checks that a generated rollout can be translated back, except for its first
// line, which has the place of the session.
func TestCodexCarriesNoTurns(t *testing.T) {
	for seed := range uint64(100) {
		made := withoutLine(t, converted(t, chatgen.History(rand.New(rand.NewPCG(seed, 7)), format.OpenAIResponses), format.OpenAIResponses, format.Codex))
		r, err := Convert(parsed(t, made), format.EAAPL, Options{From: format.Codex})
		if err != nil {
			t.Fatal(err)
		}
		turns := tree.Elements(tree.Of(parsed(t, r.Text)).At("/extensions/codex/turns"))
		for _, h := range turns {
			for _, e := range tree.Elements(h.Get("edit")) {
				switch e.Get("at").Text() {
				case "/payload/id", "/payload/session_id", "/payload/timestamp", "/timestamp": // of the first line
				default:
					t.Fatalf("seed %d: %s is carried\n%s", seed, e.Compact(), made)
				}
			}
			if h.Get("put") != tree.None {
				t.Fatalf("seed %d: %s is carried\n%s", seed, h.Compact(), made)
			}
		}
	}
}

// TestOpenAIPairs checks the features that two formats have in common.
func TestOpenAIPairs(t *testing.T) {
	const items = `[
		{"role":"developer","content":"Be brief."},
		{"role":"user","content":[{"type":"input_text","text":"What is it?"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo=","detail":"low"}]},
		{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"},
		{"type":"function_call","id":"fc_1","call_id":"call_1","name":"look","arguments":"{\"n\": 1.0}"},
		{"type":"function_call","id":"fc_2","call_id":"call_2","name":"look","arguments":"{}"},
		{"type":"function_call_output","call_id":"call_1","output":"a lamp"},
		{"type":"function_call_output","call_id":"call_2","output":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"https://example.com/a.png","detail":"auto"}]},
		{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"lamp"}},
		{"role":"assistant","content":"A lamp."}]`
	for _, tt := range []struct {
		name     string
		from, to format.Format
		in, want string
	}{
		{"items as messages", format.OpenAIResponses, format.OpenAIChat, items, `{"messages":[
			{"role":"developer","content":"Be brief."},
			{"role":"user","content":[{"type":"text","text":"What is it?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]},
			{"role":"assistant","content":null,"tool_calls":[
				{"id":"call_1","type":"function","function":{"name":"look","arguments":"{\"n\": 1.0}"}},
				{"id":"call_2","type":"function","function":{"name":"look","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"call_1","content":"a lamp"},
			{"role":"tool","tool_call_id":"call_2","content":"see\n[image https://example.com/a.png]"},
			{"role":"assistant","content":"Searched the web for: lamp"},
			{"role":"assistant","content":"A lamp."}]}`},
		{"messages as items", format.OpenAIChat, format.OpenAIResponses, `{"messages":[
			{"role":"system","content":"Be brief."},
			{"role":"user","name":"ada","content":"What is it?"},
			{"role":"assistant","content":"I look.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"look","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"call_1","content":[{"type":"text","text":"a lamp"}]}]}`, `{"instructions":"Be brief.","input":[
			{"role":"user","content":"What is it?"},
			{"role":"assistant","content":"I look."},
			{"type":"function_call","call_id":"call_1","name":"look","arguments":"{}"},
			{"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"a lamp"}]}]}`},
		{"thoughts of another provider, and a failed tool", format.EAAPL, format.OpenAIResponses, `{"conversationHistoryVerbatim":[
			{"role":"user","content":"What is it?"},
			{"role":"assistant","content":[{"type":"reasoning","text":"Hm.","signature":"x","provider":"anthropic"},{"type":"text","text":"I look."},{"type":"text","text":"Now."}],
				"tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"look","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"toolu_1","content":"too dark","is_error":true}]}`, `{"input":[
			{"role":"user","content":"What is it?"},
			{"role":"assistant","content":"I look."},
			{"role":"assistant","content":"Now."},
			{"type":"function_call","call_id":"toolu_1","name":"look","arguments":"{}"},
			{"type":"function_call_output","call_id":"toolu_1","output":"too dark"}]}`},
		{"lines as items", format.Codex, format.OpenAIResponses, `[
			{"timestamp":"2026-06-14T11:00:01.000Z","type":"session_meta","payload":{"id":"019a2d7a-41c4-78b1-b7cc-a45d62a89cd5"}},
			{"timestamp":"2026-06-14T11:00:02.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"What is it?"}]}},
			{"timestamp":"2026-06-14T11:00:02.000Z","type":"event_msg","payload":{"type":"user_message","message":"What is it?"}},
			{"timestamp":"2026-06-14T11:00:03.000Z","type":"response_item","payload":{"type":"reasoning","summary":[],"encrypted_content":"gAAA"}},
			{"timestamp":"2026-06-14T11:00:04.000Z","type":"response_item","payload":{"type":"custom_tool_call","call_id":"c","name":"apply_patch","input":"*** Begin Patch"}},
			{"timestamp":"2026-06-14T11:00:05.000Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c","output":"Success."}}]`, `{"input":[
			{"role":"user","content":"What is it?"},
			{"type":"reasoning","summary":[],"encrypted_content":"gAAA"},
			{"type":"custom_tool_call","call_id":"c","name":"apply_patch","input":"*** Begin Patch"},
			{"type":"custom_tool_call_output","call_id":"c","output":"Success."}]}`},
		{"items as lines", format.OpenAIResponses, format.Codex, `{"instructions":"Be brief.","input":[
			{"role":"user","content":"What is it?"},
			{"type":"reasoning","id":"rs_1","summary":[]},
			{"type":"file_search_call","id":"fs_1","queries":["lamp"],"status":"completed"},
			{"role":"assistant","content":"A lamp."}]}`, `[
			{"timestamp":"1970-01-01T00:00:00Z","type":"session_meta","payload":{"id":"ID","session_id":"ID","timestamp":"1970-01-01T00:00:00Z","cwd":".",
				"originator":"handoff","cli_version":"0.0.0","source":"cli","model_provider":"openai"}},
			{"timestamp":"1970-01-01T00:00:00.000+00:00","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"Be brief."}]}},
			{"timestamp":"1970-01-01T00:00:00.000+00:00","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"What is it?"}]}},
			{"timestamp":"1970-01-01T00:00:00.000+00:00","type":"event_msg","payload":{"type":"user_message","message":"What is it?"}},
			{"timestamp":"1970-01-01T00:00:00.000+00:00","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Searched the files for: lamp"}]}},
			{"timestamp":"1970-01-01T00:00:00.000+00:00","type":"event_msg","payload":{"type":"agent_message","message":"Searched the files for: lamp"}},
			{"timestamp":"1970-01-01T00:00:00.000+00:00","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"A lamp."}]}},
			{"timestamp":"1970-01-01T00:00:00.000+00:00","type":"event_msg","payload":{"type":"agent_message","message":"A lamp."}}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			there := converted(t, []byte(tt.in), tt.from, tt.to)
			bare := withoutHandoff
			if tt.to == format.Codex {
				bare = withoutLine
			}
			got := tree.Of(parsed(t, bare(t, there)))
			if id := got.At("/0/payload/id"); id != tree.None {
				got = got.Set("/0/payload/id", tree.String("ID")).Set("/0/payload/session_id", tree.String("ID"))
			}
			mustEqual(t, got.Compact(), []byte(tt.want))
			mustEqual(t, converted(t, there, tt.to, tt.from), []byte(tt.in))
		})
	}
}

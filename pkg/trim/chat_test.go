package trim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/vectors"
)

// A room writes turns of a chat format. In its texts, # is replaced by the number of the exchange,
// which all related turns contain.
type room struct {
	format      format.Format
	user, model string
	// Calls are the turns of one exchange: the model's, then the tools'.
	calls [][]string
	forms []string // of messages
}

var rooms = []room{
	{format.OpenAIChat, `{"role":"user","content":%}`, `{"role":"assistant","content":%}`, [][]string{
		{`{"role":"assistant","content":null,"tool_calls":[{"id":"#","type":"function","function":{"name":"call#","arguments":"{}"}}]}`, `{"role":"tool","tool_call_id":"#","content":"answer#"}`},
		{`{"role":"assistant","content":%,"tool_calls":[{"id":"#","type":"function","function":{"name":"call#","arguments":"{}"}},{"id":"b#","type":"function","function":{"name":"call#","arguments":"{}"}}]}`,
			`{"role":"tool","tool_call_id":"b#","content":"answer#"}`, `{"role":"tool","tool_call_id":"#","content":%}`},
	}, []string{`[$]`, `{"model":"m","messages":[$]}`}},
	{format.OpenAIResponses, `{"type":"message","role":"user","content":[{"type":"input_text","text":%}]}`, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":%}]}`, [][]string{
		{`{"type":"reasoning","id":"rs#","summary":[]}`, `{"type":"function_call","call_id":"#","name":"call#","arguments":"{}"}`, `{"type":"function_call_output","call_id":"#","output":"answer#"}`},
		{`{"type":"custom_tool_call","call_id":"#","name":"call#","input":%}`, `{"type":"custom_tool_call_output","call_id":"#","output":"answer#"}`},
	}, []string{`[$]`, `{"model":"m","input":[$]}`}},
	{format.Anthropic, `{"role":"user","content":%}`, `{"role":"assistant","content":[{"type":"text","text":%}]}`, [][]string{
		{`{"role":"assistant","content":[{"type":"thinking","thinking":%,"signature":"s"},{"type":"tool_use","id":"#","name":"call#","input":{}}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"#","content":"answer#"}]}`},
		{`{"role":"assistant","content":[{"type":"text","text":%},{"type":"tool_use","id":"#","name":"call#","input":{}}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"#","content":"answer#"},{"type":"text","text":%}]}`},
	}, []string{`[$]`, `{"model":"m","max_tokens":9,"system":"s","messages":[$]}`}},
	{format.LangChain, `{"type":"human","content":%}`, `{"type":"ai","content":%}`, [][]string{
		{`{"type":"ai","content":"","additional_kwargs":{"tool_calls":[{"id":"#","function":{"name":"call#"}}]},"tool_calls":[{"id":"#","name":"call#","args":{}}]}`, `{"type":"tool","content":"answer#","tool_call_id":"#"}`},
	}, []string{`[$]`, `{"messages":[$]}`, `{"update":{"messages":[$],"active_agent":"b"},"goto":"b"}`}},
	{format.LangChain, `{"type":"human","data":{"content":%}}`, `{"type":"ai","data":{"content":%,"type":"ai"}}`, [][]string{
		{`{"type":"ai","data":{"content":%,"tool_calls":[{"id":"#","name":"call#","args":{}}]}}`, `{"type":"tool","data":{"content":"answer#","tool_call_id":"#"}}`},
	}, []string{`[$]`}},
	{format.LangChain, `{"lc":1,"type":"constructor","id":["langchain_core","messages","HumanMessage"],"kwargs":{"content":%}}`, `{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessage"],"kwargs":{"content":%}}`, [][]string{
		{`{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessage"],"kwargs":{"content":[{"type":"tool_use","id":"#","name":"call#","input":{}}],"tool_calls":[{"id":"#","name":"call#","args":{}}]}}`,
			`{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],"kwargs":{"content":"answer#","tool_call_id":"#"}}`},
	}, []string{`[$]`}},
	{format.AISDK, `{"role":"user","content":[{"type":"text","text":%}]}`, `{"role":"assistant","content":%}`, [][]string{
		{`{"role":"assistant","content":[{"type":"reasoning","text":%},{"type":"tool-call","toolCallId":"#","toolName":"call#","input":{}}]}`,
			`{"role":"tool","content":[{"type":"tool-result","toolCallId":"#","toolName":"f","output":{"type":"text","value":"answer#"}}]}`},
	}, []string{`[$]`, `{"messages":[$]}`}},
	{format.AISDK, `{"id":"m","role":"user","parts":[{"type":"text","text":%}]}`, `{"id":"m","role":"assistant","parts":[{"type":"step-start"},{"type":"text","text":%}]}`, [][]string{
		{`{"id":"m#","role":"assistant","parts":[{"type":"step-start"},{"type":"tool-f","toolCallId":"#","state":"output-available","input":"call#","output":"answer#"}]}`},
	}, []string{`[$]`}},
	{format.Gemini, `{"role":"user","parts":[{"text":%}]}`, `{"role":"model","parts":[{"text":%}]}`, [][]string{
		{`{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":"call#"}},"thoughtSignature":"s"}]}`, `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"a":"answer#"}}}]}`},
		{`{"role":"model","parts":[{"text":%},{"functionCall":{"name":"f","args":{"a":"call#"}}},{"functionCall":{"name":"g","args":{"a":"call#"}}}]}`,
			`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"a":"answer#"}}},{"functionResponse":{"name":"g","response":{"a":"answer#"}}}]}`},
	}, []string{`[$]`, `{"contents":[$],"generationConfig":{}}`}},
	{format.Gemini, `{"author":"user","content":{"role":"user","parts":[{"text":%}]}}`, `{"author":"a","invocationId":"i","content":{"role":"model","parts":[{"text":%}]}}`, [][]string{
		{`{"author":"a","content":{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":"call#"}}}]}}`, `{"author":"a","invocationId":"state","actions":{"stateDelta":{}}}`,
			`{"author":"a","content":{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"a":"answer#"}}}]}}`},
	}, []string{`{"id":"s","appName":"x","events":[$]}`, `[$]`}},
	{format.BedrockConverse, `{"role":"user","content":[{"text":%}]}`, `{"role":"assistant","content":[{"text":%}]}`, [][]string{
		{`{"role":"assistant","content":[{"text":%},{"toolUse":{"toolUseId":"#","name":"call#","input":{}}}]}`, `{"role":"user","content":[{"toolResult":{"toolUseId":"#","content":[{"text":"answer#"}]}}]}`},
	}, []string{`[$]`, `{"modelId":"m","messages":[$]}`}},
	{format.A2A, `{"messageId":"m","role":"ROLE_USER","parts":[{"text":%}]}`, `{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":%}]}`, nil,
		[]string{`{"id":"t","contextId":"c","status":{},"history":[$]}`, `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","contextId":"c","status":{},"history":[$]}}}`}},
	{format.A2A, `{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":%}]}`, `{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":%}]}`, nil,
		[]string{`{"kind":"task","id":"t","contextId":"c","status":{},"history":[$]}`}},
}

// write writes a message that begins with a turn of the user and has a turn that only the
// format has.
func (r *room) write(w *writer) []byte {
	var turns []string
	n := 0
	say := func(form string) {
		text := strings.ReplaceAll(w.text(), `"`, "")
		text = strings.ReplaceAll(text, `\`, "")
		turns = append(turns, strings.ReplaceAll(strings.ReplaceAll(form, "%", fmt.Sprintf(`"said%dx %s"`, len(turns), text)), "#", fmt.Sprintf("%dx", n)))
	}
	say(r.user)
	for range 1 + w.upTo(10) {
		n++
		switch {
		case w.maybe() && r.calls != nil:
			for _, form := range r.calls[w.upTo(len(r.calls)-1)] {
				say(form)
			}
		case w.maybe():
			say(r.user)
		default:
			say(r.model)
		}
	}
	return []byte(strings.Replace(w.choose(r.forms...), "$", strings.Join(turns, ", "), 1))
}

// TestChatProperties checks trimmed histories of all chat formats: the result is a list of turns of the
// format, is within the limits, has no call without its result and no result without its call, and
// begins with the user if the format requires it. Nothing else is written into the message, and the
// archive restores it byte for byte.
func TestChatProperties(t *testing.T) {
	for i := range rooms {
		r := &rooms[i]
		t.Run(fmt.Sprint(r.format, i), rapid.MakeCheck(func(t *rapid.T) { checkChat(t, r) }))
	}
}

func checkChat(t *rapid.T, r *room) {
	w := &writer{T: t}
	original := r.write(w)
	now := original
	var archive []Result
	for range 1 + w.upTo(2) {
		h := openAs(t, now, r.format)
		o := w.options(sizeOf(h, now), len(h.Turns))
		o.Format = r.format
		result, err := Message(context.Background(), document(t, now), jsonstream.Limits{}, o)
		if over := (*OverError)(nil); errors.As(err, &over) && over.Over > 0 {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v\n%s\n%s", o, now, result.Text)
		if result.Changed {
			archive = append(archive, result)
			checkChatTrimmed(t, r, original, h, o, result)
		}
		now = result.Text
	}
	if len(archive) == 0 {
		return
	}
	back, err := archiveOf(t, archives(archive)...).Restore(document(t, now), r.format, jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if want := jsonstream.AppendCompact(nil, original); !bytes.Equal(back, want) {
		t.Fatalf("restored\n%s\nwas\n%s", back, want)
	}
}

func openAs(t fataler, text []byte, f format.Format) *history.History {
	h, err := history.Of(document(t, text), f, jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return h
}

func checkChatTrimmed(t *rapid.T, r *room, original []byte, before *history.History, o Options, result Result) {
	h := openAs(t, result.Text, r.format)
	if after := sizeOf(h, result.Text); o.MaxTokens > 0 && after.tokens > o.MaxTokens || o.MaxBytes > 0 && after.bytes > o.MaxBytes || result.Record.TokensAfter != after.tokens {
		t.Fatalf("%+v, recorded %d", after, result.Record.TokensAfter)
	}
	for _, turn := range h.Turns {
		if formats.Named(r.format).Known.Fit(turn.Value) == format.Foreign {
			t.Fatalf("no turn of the format: %s", turn.Value.Raw())
		}
	}
	if strings.Contains(string(result.Text), `"extensions"`) || strings.Contains(string(result.Text), `"sha256"`) {
		t.Fatal("a record in the message")
	}
	was := textsOf(openAs(t, original, r.format).Turns)
	left := textsOf(h.Turns)
	for n := range strings.Count(string(original), "\"said") + 40 {
		call, answer := fmt.Sprintf("call%dx", n), fmt.Sprintf("answer%dx", n)
		calls, answers := strings.Count(left, call), strings.Count(left, answer)
		if calls > strings.Count(was, call) || (calls == 0) != (answers == 0) || calls > 0 && (calls != strings.Count(was, call) || answers != strings.Count(was, answer)) {
			t.Fatalf("torn: %d of %s, %d of %s", calls, call, answers, answer)
		}
		if calls > 0 && o.DropTools {
			t.Fatalf("%s is still there", call)
		}
	}
	if h.Layout().UserFirst && o.Roles == nil && !o.DropTools && (&draft{h: before}).asks(0) && !(&draft{h: h}).asks(0) {
		t.Fatalf("begins with %s", h.Turns[0].Value.Raw())
	}
	again, err := Message(context.Background(), document(t, result.Text), jsonstream.Limits{}, o)
	if err != nil && errors.Is(err, ErrNoLimit) || err == nil && again.Changed {
		t.Fatalf("again: %v\n%s", err, again.Text)
	}
}

// textsOf returns the texts of the turns, one per line, without summaries.
func textsOf(turns []conversation.Turn) string {
	var lines []string
	for _, t := range turns {
		if !strings.HasPrefix(soleText(t.Value), preamble) {
			lines = append(lines, string(t.Value.Raw()))
		}
	}
	return strings.Join(lines, "\n")
}

// TestRestoreByDigest checks that it is an error if the archive does not have the message, or if its
// entries for it differ.
func TestRestoreByDigest(t *testing.T) {
	turn := func(text string) string { return `{"role":"user","content":"` + text + `"}` }
	one := mustTrim(t, `[`+turn("a")+`, `+turn("z")+`]`, Options{Last: 1})
	two := mustTrim(t, `[`+turn("b")+`,`+turn("z")+`]`, Options{Last: 1})
	if string(one.Text) != `[`+turn("z")+`]` || !bytes.Equal(one.Text, two.Text) {
		t.Fatalf("trimmed to %s and %s", one.Text, two.Text)
	}
	restore := func(text string, entries ...[]byte) (string, error) {
		back, err := archiveOf(t, entries...).Restore(document(t, []byte(text)), "", jsonstream.Limits{})
		return string(back), err
	}
	if got, err := restore(string(one.Text), one.Archive, one.Archive); err != nil || got != `[`+turn("a")+`,`+turn("z")+`]` {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := restore(string(one.Text), one.Archive, two.Archive); err == nil || !strings.Contains(err.Error(), "of different messages") {
		t.Errorf("two candidates: %v", err)
	}
	if _, err := restore(`[`+turn("y")+`]`, one.Archive); !errors.Is(err, ErrNoEntry) || !strings.Contains(err.Error(), "has no place for a record of the trim") {
		t.Errorf("unknown: %v", err)
	}
	changed := bytes.Replace(one.Archive, []byte(`"content":"a"`), []byte(`"content":"c"`), 1)
	if _, err := restore(string(one.Text), changed); err == nil || !strings.Contains(err.Error(), "the archive was changed") {
		t.Errorf("an archive that was changed: %v", err)
	}
	spaced := strings.ReplaceAll(string(one.Text), ",", " ,\n")
	if got, err := restore(spaced, one.Archive); err != nil || got != `[`+turn("a")+`,`+turn("z")+`]` {
		t.Errorf("written otherwise: %s, %v", got, err)
	}
}

// TestChatSummaries checks that a summary has the form of its neighbours, and that a later trim replaces
// it.
func TestChatSummaries(t *testing.T) {
	for _, r := range rooms {
		for _, form := range r.forms {
			var turns []string
			for i := range 12 {
				turns = append(turns, strings.ReplaceAll([]string{r.user, r.model}[i%2], "%", fmt.Sprintf(`"%s turn %d"`, long, i)))
			}
			text := strings.Replace(form, "$", strings.Join(turns, ","), 1)
			first := mustTrim(t, text, Options{Format: r.format, Last: 6, KeepTurns: 1, Summarizer: says("Ann. ")})
			second := mustTrim(t, string(first.Text), Options{Format: r.format, Last: 3, KeepTurns: 1, Summarizer: says("Bob. ")})
			h := openAs(t, second.Text, r.format)
			if n := slices.IndexFunc(h.Turns, func(t conversation.Turn) bool { return strings.HasPrefix(t.Text(), preamble) }); n != 0 {
				t.Errorf("%s: the summary is turn %d of %s", r.format, n, second.Text)
			}
			if n := strings.Count(string(second.Text), "Summary of"); n != 1 || len(h.Turns) != 4 || !strings.Contains(string(second.Text), "Bob.") {
				t.Errorf("%s: %d summaries in %s", r.format, n, second.Text)
			}
			back, err := archiveOf(t, first.Archive, second.Archive).Restore(document(t, second.Text), r.format, jsonstream.Limits{})
			if err != nil || string(back) != text {
				t.Errorf("%s: restored %s: %v", r.format, back, err)
			}
		}
	}
}

// Histories from real threads, broken ones among them, are trimmed and restored to the byte.
func TestThreads(t *testing.T) {
	trimmed := 0
	for _, c := range vectors.Cases("histories") {
		text := []byte(c.Input.History)
		if c.Operation != vectors.CheckHistory || bytes.Contains(text, []byte("}\n{")) {
			continue
		}
		h, err := history.Of(document(t, text), "", jsonstream.Limits{})
		if err != nil {
			continue // its format is not supported yet
		}
		for _, o := range []Options{{Last: max(1, len(h.Turns)/2)}, {Last: 2, Summarizer: says("So. ")}, {MaxBytes: len(text) * 2 / 3}, {DropTools: true}} {
			o.KeepTurns, o.Format = 1, h.Format
			r, err := Message(context.Background(), document(t, text), jsonstream.Limits{}, o)
			if over := (*OverError)(nil); errors.As(err, &over) || err == nil && !r.Changed {
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", c.ID, err)
				continue
			}
			trimmed++
			back, err := archiveOf(t, r.Archive).Restore(document(t, r.Text), h.Format, jsonstream.Limits{})
			if want := jsonstream.AppendCompact(nil, text); err != nil || !bytes.Equal(back, want) {
				t.Errorf("%s: restored %s: %v", c.ID, back, err)
			}
		}
	}
	if trimmed < 40 {
		t.Errorf("%d trims", trimmed)
	}
}

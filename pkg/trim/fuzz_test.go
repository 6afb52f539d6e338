package trim

import (
	"context"
	"errors"
	"testing"

	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/summarize"
)

// Trimming any message gives strict JSON within the limits or an error, changes nothing the
// second time, and can be undone.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"handoffId":"h","conversationHistorySummary":"s","conversationHistoryVerbatim":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"1"}]},{"role":"tool","tool_call_id":"1"}],"signature":"x"}`,
		`{"conversation_history":[{"role":"user","content":"a"},7],"tool_state":{"cached_results":{"a":1,"b":[2]}},"metadata":{"trim":{"droppedTurns":1}}}`,
		`{"context_snapshot":"eyAiY29udmVyc2F0aW9uX2hpc3RvcnkiOlt7InJvbGUiOiJ1c2VyIn0sMV19","from_agent":"a"}`,
		`{"context_snapshot":{"conversation_history":[{"role":"assistant","content":"Summary of the earlier conversation, whose turns were removed:\n"},1,2]}}`,
		`{"input_history":"\ud83d\ude00","new_items":[{"type":"reasoning"},{"type":"function_call","call_id":"1"},{"type":"function_call_output","call_id":"1"}],"extensions":[1e400]}`,
		`{"messages":[{"message_type":"HandoffContext","payload":{"content_type":"application/json","context":"eyAiY29udmVyc2F0aW9uX2hpc3RvcnkiOlt7InJvbGUiOiJ1c2VyIn0sMV19"}}]}`,
		`[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"tool_use","id":"1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]},{"role":"user","content":"b"}]`,
		`{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"role":"user","parts":[{"functionResponse":{"name":"f"}}]},{"role":"user","parts":[{"text":"Summary of removed turns:\\n"}]}]}`,
		`{"update":{"messages":[{"type":"ai","data":{"content":"","tool_calls":[{"id":"1","name":"f"}]}},{"type":"tool","data":{"content":"r","tool_call_id":"1"}}]}}`,
		`[{"author":"user","content":{"role":"user","parts":[{"text":"a"}]}},{"author":"b","actions":{}},{"author":"b","content":{"parts":[{"text":"c"}]}}]`,
		`[{"id":"m","role":"user","parts":[{"type":"text","text":"a"}]},{"id":"m","role":"assistant","parts":[{"type":"step-start"},{"type":"tool-f","toolCallId":"1","state":"output-available"}]}]`,
		`{"id":"t","contextId":"c","history":[{"messageId":"1","role":"agent","parts":[{"kind":"text","text":"a"}]},{"messageId":"2","role":"user","parts":[]}]}`,
	} {
		for _, options := range []uint32{0x00000001, 0x00120105, 0x0001ff83, 0xffffffff} {
			f.Add([]byte(seed), options)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, options uint32) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
		if err != nil {
			return
		}
		o := fuzzOptions(options)
		o.Format, _ = history.FormatOf(doc.Root(), "") // an empty array has no format
		r, err := Message(context.Background(), doc, jsonstream.Limits{}, o)
		if over := (*OverError)(nil); errors.As(err, &over) && over.Over <= 0 {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		out, err := jsonstream.Parse(jsonstream.NewRaw(r.Text), jsonstream.Unlimited())
		if err != nil {
			t.Fatalf("%v in %s", err, r.Text)
		}
		h, err := history.Of(out, o.Format, jsonstream.Unlimited())
		if err != nil {
			t.Fatal(err)
		}
		if tokens := h.Measure(o.Meter).Total; o.MaxTokens > 0 && tokens > o.MaxTokens || r.Changed && tokens != r.Record.TokensAfter {
			t.Fatalf("%d tokens, recorded %d", tokens, r.Record.TokensAfter)
		}
		if n := len(jsonstream.AppendCompact(nil, r.Text)); o.MaxBytes > 0 && n > o.MaxBytes {
			t.Fatalf("%d bytes", n)
		}
		again, err := Message(context.Background(), out, jsonstream.Unlimited(), o)
		if err != nil || again.Changed {
			t.Fatalf("again: %v\n%s\n%s", err, r.Text, again.Text)
		}
		if !r.Changed {
			return
		}
		was := recordOf(doc)
		back, err := archiveOf(t, r.Archive).Restore(out, o.Format, jsonstream.Unlimited())
		if was != "" { // trimmed before, without an archive
			if !errors.Is(err, ErrNoEntry) && was != r.Record.SHA256 {
				t.Fatal(err)
			}
			return
		}
		if err != nil || plain(back) != plain(text) {
			t.Fatalf("%v\n%s\nrestored\n%s\nfrom\n%s", err, text, back, r.Text)
		}
	})
}

// recordOf returns the digest in the record of a message.
func recordOf(doc *jsonstream.Document) string {
	h, err := history.Of(doc, "", jsonstream.Limits{})
	if err != nil {
		return ""
	}
	return h.Root.Get(holder(h.ContextFormat)).Get(recordMember).Get("sha256").Text()
}

// fuzzOptions makes options from bits.
func fuzzOptions(bits uint32) Options {
	take := func(n int) int {
		v := int(bits & (1<<n - 1))
		bits >>= n
		return v
	}
	o := Options{MaxTokens: take(8) * 2, MaxBytes: take(5) * 32, Last: take(3), KeepTurns: take(3), SummaryTokens: take(3) * 8, Meter: quarters}
	o.DropTools = take(1) == 1
	o.Also = Extras()[:take(2)]
	switch take(2) {
	case 1:
		o.Roles = []string{"user", "assistant"}
	case 2:
		o.Roles = []string{"tool"}
	}
	switch take(2) {
	case 1:
		o.Summarizer = summarize.Extractive{}
	case 2:
		o.Summarizer = says("\"\x00\xff")
	}
	return o
}

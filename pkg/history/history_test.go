package history

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func parse(t testing.TB, text string) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return doc
}

func read(t testing.TB, text string) *History {
	t.Helper()
	h, err := Of(parse(t, text), "", jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const twoTurns = `{"conversation_history":[{"role":"User","content":"a"},{"role":"assistant","content":"b"}]}`

func encodedRequest(context string) string {
	return `{"from_agent":"x","context_snapshot":"` + base64.StdEncoding.EncodeToString([]byte(context)) + `"}`
}

// TestTurns compares the turns of every format, written as list/index/role/text.
func TestTurns(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		format   format.Format
		want     []string
	}{
		{"canonical", `{"handoffId":"h","conversationHistoryVerbatim":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`,
			format.EAAPL, []string{"conversationHistoryVerbatim/0/user/a", "conversationHistoryVerbatim/1/assistant/b"}},
		{"canonical without a history", `{"handoffId":"h"}`, format.EAAPL, nil},
		{"a history that is none", `{"handoffId":"h","conversationHistoryVerbatim":{"0":"x"}}`, format.EAAPL, nil},
		{"SW4RM context, the role in another case", twoTurns, format.SW4RMContext,
			[]string{"conversation_history/0/user/a", "conversation_history/1/assistant/b"}},
		{"SW4RM request in base64", encodedRequest(twoTurns), format.SW4RMRequest,
			[]string{"conversation_history/0/user/a", "conversation_history/1/assistant/b"}},
		{"SW4RM request, inline", `{"context_snapshot":` + twoTurns + `}`, format.SW4RMRequest,
			[]string{"conversation_history/0/user/a", "conversation_history/1/assistant/b"}},
		{"SW4RM request with null for a snapshot", `{"context_snapshot":null}`, format.SW4RMRequest, nil},
		{"SW4RM request without a snapshot", `{"from_agent":"a"}`, format.SW4RMRequest, nil},
		{"SW4RM request with an array as context", encodedRequest(`[1]`), format.SW4RMRequest, nil},
		{"OpenAI with a string", `{"input_history":"hi","pre_handoff_items":[],"new_items":[{"role":"assistant","content":"b"}]}`, format.OpenAI,
			[]string{"input_history/0/user/hi", "new_items/0/assistant/b"}},
		{"OpenAI, in the order of the conversation", `{"new_items":[{"role":"user","content":"c"}],"input_items":[{"role":"user","content":"d"}],` +
			`"pre_handoff_items":[{"type":"function_call","name":"f","arguments":"{}"}],"input_history":[{"role":"user","content":"a"}]}`, format.OpenAI,
			[]string{"input_history/0/user/a", "pre_handoff_items/0//f {}", "new_items/0/user/c", "input_items/0/user/d"}},
		{"OpenAI with null for input_items", `{"input_history":[],"input_items":null}`, format.OpenAI, nil},
		{"turns that are none", `{"conversation_history":[5,"x",null,[],{"role":7}]}`, format.SW4RMContext,
			[]string{"conversation_history/0//", "conversation_history/1//x", "conversation_history/2//", "conversation_history/3//", "conversation_history/4//"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := read(t, tt.in)
			var got []string
			for _, turn := range h.Turns {
				got = append(got, strings.Join([]string{h.Lists[turn.List].Name, string(rune('0' + turn.Index)), turn.Role, turn.Text()}, "/"))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || h.Format != tt.format {
				t.Errorf("%s %s", h.Format, diff)
			}
		})
	}
}

func TestNoHistory(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"another document", `{"a":1}`, "found neither handoffId"},
		{"no object", `[1]`, "found neither handoffId"},
		{"a snapshot that is not base64", `{"context_snapshot":"{}"}`, "/context_snapshot: not base64 of a context: illegal base64 data at input byte 0"},
		{"a snapshot that is not JSON", encodedRequest("no"), "/context_snapshot: the content is not JSON, at 1:1 in it: "},
		{"an empty snapshot", `{"context_snapshot":""}`, "/context_snapshot: the content is not JSON, at 1:1 in it: "},
		{"a snapshot over the limits", encodedRequest(strings.Repeat("[", 600) + strings.Repeat("]", 600)), "nested"},
		{"a snapshot of another type", `{"context_snapshot":[1]}`, "/context_snapshot: expected base64 of a context, or the context, found array"},
	} {
		_, err := Of(parse(t, tt.in), "", jsonstream.Limits{})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v", tt.name, err)
		}
		if errors.Is(err, ErrFormat) != !strings.Contains(tt.in, "context_snapshot") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestMessageOfContext checks that a message is unchanged after an unchanged context is put back.
func TestMessageOfContext(t *testing.T) {
	for _, in := range []string{
		twoTurns, encodedRequest(twoTurns), encodedRequest(" " + twoTurns + "\n"), `{ "context_snapshot" : ` + twoTurns + `, "a":1}`,
		`{"context_snapshot":null}`, `{"from_agent":"a"}`, `{"input_history":"hi"}`, `{"handoffId":1}`,
	} {
		h := read(t, in)
		got, err := h.Message(h.Context().Raw().Bytes)
		if err != nil || string(got) != in {
			t.Errorf("got %s, %v", got, err)
		}
	}
}

// TestEncodedAndBeside checks that Encoded and Beside are upper bounds for the size of a context in its
// message, and exact to a few bytes.
func TestEncodedAndBeside(t *testing.T) {
	for n := range 9 {
		context := `{"conversation_history":[],"x":"` + strings.Repeat("x", n) + `"}`
		for _, in := range []string{context, `{"a":[ 1 ],"context_snapshot":` + context + `}`, encodedRequest(context), transcript(macpContext("application/json", context))} {
			h := read(t, in)
			has := len(jsonstream.AppendCompact(nil, []byte(in)))
			if said := h.Encoded(len(context)) + h.Beside(); said < has || said > has+2 {
				t.Errorf("%s: %d bytes, said to be %d", in, has, said)
			}
		}
	}
}

func TestTally(t *testing.T) {
	count := func(s string) int { return len(s) }
	m := Meter{Count: count, PerTurn: 1000, PerName: 100, PerReply: 10000}
	h := read(t, `{"a":"é","b": { "x" : 1 },"input_history":"hi","new_items":[`+
		`{"role":"user","content":"four"},`+
		`{"role":"user","name":"ann","content":[{"type":"text","text":"five5"},{ "x":1 }]},`+
		`{"type":"function_call","arguments":"{}"}, 7, {}],"pre_handoff_items":{"no":"list"}}`)
	got := h.Measure(m)
	want := Tally{
		Turns: []int{1000 + len("userhi"), 1000 + 8, 1000 + 4 + 100 + 3 + 5 + len(`{"x":1}`), 1000 + len("function_call{}"), 1000, 1000},
		Members: []MemberSize{{"a", 2}, {"b", len(`{"x":1}`)}, {"input_history", 1006}, {"new_items", 5000 + 8 + 119 + 15},
			{"pre_handoff_items", len(`{"no":"list"}`)}},
	}
	want.Total = 10000
	for _, member := range want.Members {
		want.Total += member.Size
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := read(t, `{"handoffId":"h","conversationHistoryVerbatim":[]}`).Measure(m).Total; got != 1 {
		t.Errorf("without a turn, there is no reply: got %d", got)
	}
	// For a request, only the context is measured, independently of its encoding in the request.
	if a, b := read(t, encodedRequest(twoTurns)).Measure(m), read(t, twoTurns).Measure(m); !cmp.Equal(a, b) {
		t.Error(cmp.Diff(a, b))
	}
}

// FuzzOf checks that no document causes a panic, and that each unit is identified by its lowest index.
func FuzzOf(f *testing.F) {
	for _, seed := range []string{
		twoTurns, encodedRequest(twoTurns), `{"context_snapshot":` + twoTurns + `}`, `{"input_history":"hi","new_items":[{"type":"reasoning"},{"type":"program","call_id":"p"}]}`,
		`{"handoffId":1,"conversationHistoryVerbatim":[{"role":"tool","tool_call_id":""},{"content":[{"type":"tool_use"}],"tool_calls":[{"id":"1"}]},{"role":"tool","tool_call_id":"1"}]}`,
		transcript(macpContext("application/json", twoTurns), macpContext("text/plain", "x")),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
		if err != nil {
			return
		}
		h, err := Of(doc, "", jsonstream.Limits{})
		if err != nil {
			return
		}
		units := conversation.Units(h.Turns)
		for i, u := range units {
			if u > i || units[u] != u {
				t.Fatalf("%v", units)
			}
		}
		conversation.Duplicates(h.Turns)
		h.Measure(Meter{Count: func(s string) int { return len(s) }})
		for _, turn := range h.Turns {
			_ = turn.Text()
		}
		again, err := h.Message(h.Context().Raw().Bytes)
		if err == nil && !h.Carrier().Exists() && !bytes.Equal(again, text) {
			t.Fatalf("%s", again)
		}
	})
}

package trim

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFilters applies the filters of the OpenAI documents to every format, and checks that no call is
// separated from its result.
func TestFilters(t *testing.T) {
	chat := `{"role":"user","content":"q"},{"role":"assistant","content":"so","tool_calls":[{"id":"1"}],"x":1},{"role":"tool","tool_call_id":"1","content":"r"},{"role":"assistant","content":null,"tool_calls":[{"id":"2"}]},{"role":"tool","tool_call_id":"2"}`
	responses := `{"role":"user","content":"q"},{"type":"reasoning"},{"type":"function_call","call_id":"1"},{"type":"function_call_output","call_id":"1"},{"type":"mcp_list_tools"},{"type":"message","role":"assistant","content":"a"}`
	anthropic := `{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool_use","id":"1"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"text","text":"and"}]},{"role":"assistant","content":[{"type":"tool_use","id":"2"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"2"}]}`
	unlisted := `{"role":"user","content":"q"},{"role":"assistant","content":"so"},{"role":"tool","tool_call_id":"1","content":"r"}`
	legacy := `{"role":"user","content":"q"},{"role":"assistant","content":null,"function_call":{"name":"g","arguments":"{}"}},{"role":"function","name":"g","content":"r"},{"role":"assistant","content":"a"}`
	approved := `{"role":"user","content":"q"},{"type":"function_call","call_id":"1"},{"type":"tool_approval_item","raw_item":{"call_id":"1"}},{"type":"function_call_output","call_id":"1"},{"role":"assistant","content":"a"}`
	for _, tt := range []struct {
		name, turns, want string
		o                 Options
	}{
		{"Chat without tools", chat, `{"role":"user","content":"q"},{"role":"assistant","content":"so","x":1}`, Options{DropTools: true}},
		{"Chat by roles", chat, `{"role":"user","content":"q"},{"role":"assistant","content":"so","x":1}`, Options{Roles: []string{"user", "assistant"}}},
		{"Chat, what is left of tools alone", chat, ``, Options{Roles: []string{"tool"}}},
		{"Chat, pairs by role", chat, strings.ReplaceAll(chat, `{"role":"user","content":"q"},`, ""), Options{Roles: []string{"assistant", "tool"}}},
		{"Responses without tools", responses, `{"role":"user","content":"q"},{"type":"message","role":"assistant","content":"a"}`, Options{DropTools: true}},
		{"Responses by roles", responses, `{"role":"user","content":"q"},{"type":"message","role":"assistant","content":"a"}`, Options{Roles: []string{"user", "assistant"}}},
		{"Anthropic without tools", anthropic, `{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"text","text":"so"}]},{"role":"user","content":[{"type":"text","text":"and"}]}`, Options{DropTools: true}},
		{"Anthropic by roles", anthropic, `{"role":"assistant","content":[{"type":"text","text":"so"}]}`, Options{Roles: []string{"assistant"}}},
		{"SW4RM without tools", unlisted, `{"role":"user","content":"q"},{"role":"assistant","content":"so"}`, Options{DropTools: true}},
		{"legacy without tools", legacy, `{"role":"user","content":"q"},{"role":"assistant","content":"a"}`, Options{DropTools: true}},
		{"legacy by roles", legacy, `{"role":"user","content":"q"},{"role":"assistant","content":"a"}`, Options{Roles: []string{"user", "assistant"}}},
		{"legacy, and a limit", legacy, `{"role":"user","content":"q"},{"role":"assistant","content":"a"}`, Options{Last: 3, KeepTurns: 1}},
		{"an approval goes with its call", approved, `{"role":"user","content":"q"},{"role":"assistant","content":"a"}`, Options{Last: 4, KeepTurns: 1}},
		{"approvals are about tools", approved, `{"role":"user","content":"q"},{"role":"assistant","content":"a"}`, Options{DropTools: true}},
		{"an object as content says something", `{"role":"assistant","content":{"a":1},"tool_calls":[{"id":"1"}]}`, `{"role":"assistant","content":{"a":1}}`, Options{DropTools: true}},
		{"a filter and a limit", chat, `{"role":"user","content":"q"}`, Options{DropTools: true, Last: 1}},
		{"nothing to drop", `{"role":"user","content":[{"type":"text","text":"q"}],"tool_calls":[]}`, `{"role":"user","content":[{"type":"text","text":"q"}],"tool_calls":[]}`, Options{DropTools: true}},
	} {
		for _, form := range []string{`{"handoffId":"h","conversationHistoryVerbatim":[%]}`, `{"conversation_history":[%]}`, `{"context_snapshot":{"conversation_history":[%]}}`, `{"input_history":[%]}`} {
			text := strings.Replace(form, "%", tt.turns, 1)
			r := mustTrim(t, text, tt.o)
			var got []string
			for _, turn := range open(t, r.Text).Turns {
				got = append(got, string(turn.Value.Raw()))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, ",")); diff != "" {
				t.Errorf("%s, in %s: %s", tt.name, form, diff)
			}
			if r.Changed != (tt.want != tt.turns) {
				t.Errorf("%s: changed %v", tt.name, r.Changed)
			}
			if got := restored(t, r.Text, r); got != text {
				t.Errorf("%s: restored %s", tt.name, got)
			}
			if again := mustTrim(t, string(r.Text), tt.o); again.Changed {
				t.Errorf("%s: again to %s", tt.name, again.Text)
			}
		}
	}
}

// Elements that a conversion has added to the conversation always stay, and do not count as
// turns for a limit. The record counts every element of the lists.
func TestContextStays(t *testing.T) {
	const (
		brief   = `{"role":"user","content":"[CONTEXT FROM PREVIOUS AGENT — DATA ONLY]\n{}"}`
		carried = `{"type":"tool_approval_item","name":"handoff.carried","carried":{"call_id":"1"}}`
		ask     = `{"role":"user","content":"u"}`
		called  = `{"type":"function_call","call_id":"1"},{"type":"function_call_output","call_id":"1"}`
		answer  = `{"role":"assistant","content":"a"}`
		text    = `{"input_history":[` + brief + `,` + ask + `],"pre_handoff_items":[` + carried + `,` + called + `,` + answer + `],"new_items":[]}`
	)
	for _, tt := range []struct {
		name string
		o    Options
		want string
		gone int
	}{
		{"last 2", Options{Last: 2, KeepTurns: 1}, `[` + brief + `,` + ask + `],"pre_handoff_items":[` + carried + `,` + answer + `]`, 2},
		{"last 4, which is all", Options{Last: 4, KeepTurns: 1}, `[` + brief + `,` + ask + `],"pre_handoff_items":[` + carried + `,` + called + `,` + answer + `]`, 0},
		{"roles", Options{Roles: []string{"assistant"}}, `[` + brief + `],"pre_handoff_items":[` + carried + `,` + answer + `]`, 3},
		{"no tools", Options{DropTools: true}, `[` + brief + `,` + ask + `],"pre_handoff_items":[` + carried + `,` + answer + `]`, 2},
	} {
		r := mustTrim(t, text, tt.o)
		if got, want := bare(t, r.Text), `{"input_history":`+tt.want+`,"new_items":[]}`; got != want {
			t.Errorf("%s: got %s", tt.name, got)
		}
		if r.Changed != (tt.gone > 0) || r.Gone != tt.gone || r.Record.OriginalTurns != 6 || r.Record.DroppedTurns != tt.gone {
			t.Errorf("%s: %d gone, %+v", tt.name, r.Gone, r.Record)
		}
		if got := restored(t, r.Text, r); got != text {
			t.Errorf("%s: restored %s", tt.name, got)
		}
	}
	if _, err := trimText(t, text, Options{Last: 1, KeepTurns: 1}); err == nil || !strings.HasPrefix(err.Error(), "still 1 turn over the limit of 1 ") {
		t.Errorf("the user's turn and the last one stay: %v", err)
	}
}

// TestFiltersOnString checks that a history that is a string counts as a turn of the user.
func TestFiltersOnString(t *testing.T) {
	const text = `{"input_history":"hi","new_items":[{"type":"reasoning"}]}`
	if got := bare(t, mustTrim(t, text, Options{DropTools: true}).Text); got != `{"input_history":"hi","new_items":[]}` {
		t.Errorf("got %s", got)
	}
	r := mustTrim(t, text, Options{Roles: []string{"assistant"}})
	if got := bare(t, r.Text); got != `{"input_history":[],"new_items":[]}` {
		t.Errorf("got %s", got)
	}
	if got := restored(t, r.Text, r); got != text {
		t.Errorf("restored %s", got)
	}
	more := appendTurn(t, r.Text, `{"role":"user","content":"since"}`)
	want := `{"input_history":[{"role":"user","content":"hi"},{"role":"user","content":"since"}],"new_items":[{"type":"reasoning"}]}`
	if got := restored(t, more, r); got != want {
		t.Errorf("restored %s", got)
	}
}

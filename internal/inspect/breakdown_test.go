package inspect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/internal/inspect"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// All lists are in order of size, largest first, then in the order of the message. A token is a
// byte here.
func TestBreakDown(t *testing.T) {
	for _, tt := range []struct {
		name, turns string
		want        inspect.Breakdown
		total       int
	}{
		{
			name:  "a role with several turns, and a duplicate",
			turns: `[{"role":"user","content":"the supplier of the parts is liable for what is missing","timestamp":"2026-06-11T10:15:00Z"},{"role":"assistant","content":"the longest of all that is said in this conversation by whomever it may be"},{"role":"user","content":"the supplier of the parts is liable for what is missing","timestamp":"2026-06-11T10:15:00Z"},{"content":"x"}]`,
			total: 277,
			want: inspect.Breakdown{
				Members: []inspect.Part{{Name: "conversation_history", Tokens: 242}, {Name: "tool_state", Tokens: 26}, {Name: "metadata", Tokens: 9}},
				Roles:   []inspect.Part{{Name: "user", Turns: 2, Tokens: 158}, {Name: "assistant", Turns: 1, Tokens: 83}, {Name: "(none)", Turns: 1, Tokens: 1}},
				Turns: []inspect.TurnSize{
					{Pointer: "/conversation_history/1", Role: "assistant", Tokens: 83, Turn: 1},
					{Pointer: "/conversation_history/0", Role: "user", Tokens: 79, Turn: 0},
					{Pointer: "/conversation_history/2", Role: "user", Tokens: 79, Turn: 2},
					{Pointer: "/conversation_history/3", Role: "(none)", Tokens: 1, Turn: 3},
				},
				Duplicates: []inspect.Duplicate{{Pointer: "/conversation_history/2", Of: "/conversation_history/0", Tokens: 79}},
			},
		},
		{
			name: "no turns", turns: `[]`, total: 35,
			want: inspect.Breakdown{
				Members: []inspect.Part{{Name: "tool_state", Tokens: 26}, {Name: "metadata", Tokens: 9}, {Name: "conversation_history"}},
				Roles:   []inspect.Part{}, Turns: []inspect.TurnSize{}, Duplicates: []inspect.Duplicate{},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := `{"conversation_history":` + tt.turns + `,"tool_state":{"longer":"than metadata"},"metadata":{"k":"v"}}`
			doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			h, err := history.Of(doc, format.SW4RMContext, jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			got, total := inspect.BreakDown(h, history.Meter{Count: func(text string) int { return len(text) }})
			if d := cmp.Diff(tt.want, got); d != "" || total != tt.total {
				t.Errorf("total %d, want %d\n%s", total, tt.total, d)
			}
		})
	}
}

// In chat formats, the sizes of the turns and the other members add up to that of the message,
// whatever contains the turns.
func TestBreakDownOfChats(t *testing.T) {
	for _, tt := range []struct{ text, members, roles, turns string }{
		{`[{"role":"user","content":"abc"},{"role":"assistant","content":"de"}]`, "", "assistant 11, user 7", "/1 11, /0 7"},
		{`{"model":"m","messages":[{"role":"user","content":"abc"}]}`, "messages 7, model 1", "user 7", "/messages/0 7"},
		{`[{"type":"human","data":{"content":"abc"}},{"type":"ai","data":{"content":"de"}}]`, "", "user 3, assistant 2", "/0 3, /1 2"},
		{`{"update":{"messages":[{"type":"human","content":"abc"}],"a":1},"goto":"b"}`, "messages 8, a 1", "user 8", "/messages/0 8"},
		{`{"contents":[{"role":"model","parts":[{"text":"abc"}]}],"generationConfig":{}}`, "contents 21, generationConfig 2", "assistant 21", "/contents/0 21"},
		{`[{"author":"a","actions":{}},{"author":"a","content":{"role":"model","parts":[{"text":"abc"}]}}]`, "", "assistant 21", "/1 21"},
	} {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(tt.text)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		h, err := history.Of(doc, "", jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, total := inspect.BreakDown(h, history.Meter{Count: func(text string) int { return len(text) }, PerReply: 100})
		var members, roles, turns []string
		sum := 100
		for _, m := range got.Members {
			members = append(members, fmt.Sprint(m.Name, " ", m.Tokens))
			if m.Name != h.Lists[0].Name {
				sum += m.Tokens
			}
		}
		for _, r := range got.Roles {
			roles = append(roles, fmt.Sprint(r.Name, " ", r.Tokens))
		}
		for _, turn := range got.Turns {
			turns = append(turns, fmt.Sprint(turn.Pointer, " ", turn.Tokens))
			sum += turn.Tokens
		}
		if sum != total {
			t.Errorf("%s: %d in all, and the parts %d", tt.text, total, sum)
		}
		for _, pair := range [][2]string{{strings.Join(members, ", "), tt.members}, {strings.Join(roles, ", "), tt.roles}, {strings.Join(turns, ", "), tt.turns}} {
			if pair[0] != pair[1] {
				t.Errorf("%s: got %q, want %q", tt.text, pair[0], pair[1])
			}
		}
	}
}

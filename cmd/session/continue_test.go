package session

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/session"
)

// TestDifference checks that difference names each loss, and ignores additions.
func TestDifference(t *testing.T) {
	whole := func() *session.Session {
		return &session.Session{Folder: "/home/ann/mill", Branch: "grind", Turns: []session.Turn{
			{Role: "user", Text: "Grind.\n[image of 10 bytes]"}, {Role: "assistant", Text: "First.\n\nSecond.", Calls: []session.Call{{ID: "c", Tool: "Bash", Input: `{"a": 1, "b": 2}`}}},
			{Role: "tool", CallID: "c", Text: "done"},
		}}
	}
	for name, c := range map[string]struct {
		change func(*session.Session)
		want   string
	}{
		"nothing": {func(*session.Session) {}, ""},
		"another layout": {func(s *session.Session) {
			s.Turns[1].Calls[0].Input = `{"b":2,"a":1}`
			s.Turns[0].Text = "Grind.\n[image of 99 bytes]"
		}, ""},
		"a text of the program, added": {func(s *session.Session) {
			s.Turns = append([]session.Turn{{Role: "user", Text: "A summary."}}, s.Turns...)
		}, ""},
		"a request":  {func(s *session.Session) { s.Turns[0].Text = "" }, "request 1 would be missing: Grind."},
		"a line":     {func(s *session.Session) { s.Turns[1].Text = "First." }, "line 2 would be missing: Second."},
		"a call":     {func(s *session.Session) { s.Turns[1].Calls[0].Input = `{"a": 1}` }, "call 1 would be missing: Bash"},
		"a result":   {func(s *session.Session) { s.Turns[2].Text = "" }, "result 1 would be missing: done"},
		"the branch": {func(s *session.Session) { s.Branch = "" }, `its branch is "grind", and would be ""`},
		"the folder": {func(s *session.Session) { s.Folder = "/" }, `its working folder is "/home/ann/mill", and would be "/"`},
	} {
		t.Run(name, func(t *testing.T) {
			after := whole()
			c.change(after)
			if got := siteDifference(whole(), after, nil, &target{}) + difference(whole(), after); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

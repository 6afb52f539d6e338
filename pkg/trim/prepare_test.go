package trim

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func mustPrepare(t testing.TB, text string, last int) Result {
	t.Helper()
	doc, err := parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	count := func(s string) int { return len(s) }
	o := Options{Last: last, Tokenizer: "bytes"}
	o.Meter.Count = count
	r, err := Prepare(doc, jsonstream.Limits{}, o)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return r
}

// prepareContext is prepare_handoff_context of the document ("Trimming Large Contexts"), line
// by line.
func prepareContext(history []string, activeCalls, pendingApprovals string, maxHistory int) string {
	kept := history[max(len(history)-maxHistory, 0):]
	return fmt.Sprintf(`{"conversation_history":[%s],"tool_state":{"active_calls":%s,"pending_approvals":%s},"metadata":{"original_history_length":%d,"trimmed":%v}}`,
		strings.Join(kept, ","), activeCalls, pendingApprovals, len(history), len(history) > maxHistory)
}

// withoutRecord removes the record, which is not in the document.
func withoutRecord(t testing.TB, text []byte) string {
	t.Helper()
	doc, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if doc.Root().At("/metadata/trim").Exists() {
		if text, err = jsonstream.Remove(doc, "/metadata/trim"); err != nil {
			t.Fatal(err)
		}
	}
	return string(text)
}

// Prepare agrees with the document's function, changes nothing the second time, and can
// be undone.
func TestSpecTrimmingLargeContexts(t *testing.T) {
	turn := func(i int) string {
		roles := []string{"system", "user", "assistant", "tool"}
		return fmt.Sprintf(`{"role":"%s","content":"turn %d","tool_call_id":"c%d"}`, roles[i%4], i, i/2)
	}
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 7, 49, 50, 51, 60}).Draw(r, "turns")
		last := rapid.SampledFrom([]int{1, 7, 50}).Draw(r, "last")
		var history []string
		for i := range n {
			history = append(history, turn(i))
		}
		active := rapid.SampledFrom([]string{"", "[]", `[{"call_id":"x","n":0.10}]`}).Draw(r, "active")
		pending := rapid.SampledFrom([]string{"", "[]", `["y"]`}).Draw(r, "pending")
		state := []string{}
		for _, m := range [][2]string{{"cached_results", `{"a":1}`}, {"pending_approvals", pending}, {"configurations", "{}"}, {"active_calls", active}} {
			if m[1] != "" && (m[0] == "pending_approvals" || m[0] == "active_calls" || rapid.Bool().Draw(r, m[0])) {
				state = append(state, fmt.Sprintf("%q:%s", m[0], m[1]))
			}
		}
		in := `{"conversation_history":[` + strings.Join(history, ",") + `],"tool_state":{` + strings.Join(state, ",") + `},"metadata":{}}`
		empty := func(list string) string {
			if list == "" {
				return "[]"
			}
			return list
		}
		want := prepareContext(history, empty(active), empty(pending), last)
		got := mustPrepare(t, in, last)
		gotText := withoutRecord(t, got.Text)
		if ours, theirs := open(t, []byte(gotText)).Root, open(t, []byte(want)).Root; !equalContexts(ours, theirs) {
			r.Fatal(cmp.Diff(want, gotText))
		}
		if again := mustPrepare(t, string(got.Text), last); again.Changed || string(again.Text) != string(got.Text) {
			r.Fatalf("prepared twice: %s", again.Text)
		}
		doc, err := parse(got.Text)
		if err != nil {
			r.Fatal(err)
		}
		if doc.Root().At("/metadata/trim").Exists() != got.Changed {
			r.Fatalf("a record exactly where something went: %s", got.Text)
		}
		if !got.Changed {
			return
		}
		restored, err := archiveOf(t, got.Archive).Restore(doc, "", jsonstream.Limits{})
		if err != nil || string(restored) != in {
			r.Fatalf("%s was restored as %s, %v", in, restored, err)
		}
	})
}

// equalContexts compares all members, in any order: an unreduced tool state keeps its own
// order.
func equalContexts(a, b jsonstream.Value) bool {
	for _, pointer := range []string{"/conversation_history", "/tool_state/active_calls", "/tool_state/pending_approvals", "/metadata"} {
		if !equal.Values(a.At(pointer), b.At(pointer)) {
			return false
		}
	}
	return a.Get("tool_state").Len() == b.Get("tool_state").Len() && a.Len() == b.Len()
}

func TestPrepare(t *testing.T) {
	const prepared = `"tool_state":{"active_calls":[],"pending_approvals":[]}`
	for _, tt := range []struct {
		name, in, want string // without the record
		last           int
		changed        bool // whether anything was removed
	}{
		{"metadata and unknown members stay", `{"x":1.0,"metadata":{"a":1e400},"conversation_history":[{"content":"1"},{"content":"2"}],"tool_state":{}}`,
			`{"x":1.0,"metadata":{"a":1e400,"original_history_length":2,"trimmed":true},"conversation_history":[{"content":"2"}],` + prepared + `}`, 1, true},
		{"what was trimmed before is counted", `{"conversation_history":[{"content":"1"},{"content":"2"}],"tool_state":{"cached_results":{"a":1}},"metadata":{"original_history_length":9,"trimmed":true}}`,
			`{"conversation_history":[{"content":"2"}],` + prepared + `,"metadata":{"original_history_length":9,"trimmed":true}}`, 1, true},
		{"what the document's own function made is prepared", `{"conversation_history":[{"content":"1"}],` + prepared + `,"metadata":{"trimmed":true,"original_history_length":9}}`, "", 1, false},
		{"a stale count is put right", `{"conversation_history":[{"content":"1"}],` + prepared + `,"metadata":{"trimmed":false,"original_history_length":9}}`,
			`{"conversation_history":[{"content":"1"}],` + prepared + `,"metadata":{"trimmed":false,"original_history_length":1}}`, 1, false},
		{"metadata that have a member trim of their own", `{"conversation_history":[{"content":"1"}],"tool_state":{},"metadata":{"trim":{"a":1}}}`,
			`{"conversation_history":[{"content":"1"}],` + prepared + `,"metadata":{"trim":{"a":1},"original_history_length":1,"trimmed":false}}`, 1, false},
		{"lengths that say nothing", `{"conversation_history":[{"content":"1"}],` + prepared + `,"metadata":{"trimmed":true,"original_history_length":1e400}}`,
			`{"conversation_history":[{"content":"1"}],` + prepared + `,"metadata":{"trimmed":false,"original_history_length":1}}`, 1, false},
		{"a request without a context", `{"from_agent":"a","metadata":{}}`, "", 1, false},
		{"an inline context", `{"from_agent":"a", "context_snapshot":{"conversation_history":[{"content":"1"},{"content":"2"}],"tool_state":{},"metadata":{}}}`, `{"from_agent":"a","context_snapshot":` +
			`{"conversation_history":[{"content":"2"}],` + prepared + `,"metadata":{"original_history_length":2,"trimmed":true}}}`, 1, true},
	} {
		r := mustPrepare(t, tt.in, tt.last)
		want := tt.want
		if want == "" {
			want = tt.in
		}
		doc, err := parse(r.Text)
		if err != nil {
			t.Fatal(err)
		}
		text := r.Text
		for _, record := range []string{"/metadata/trim", "/context_snapshot/metadata/trim"} {
			if doc.Root().At(record).Exists() && r.Changed {
				if text, err = jsonstream.Remove(doc, record); err != nil {
					t.Fatal(err)
				}
			}
		}
		if diff := cmp.Diff(want, string(text)); diff != "" || r.Changed != tt.changed {
			t.Errorf("%s: changed %v: %s", tt.name, r.Changed, diff)
		}
	}

	snapshot := base64.StdEncoding.EncodeToString([]byte(prepareContext([]string{`{"content":"1"}`, `{"content":"2"}`}, "[]", "[]", 5)))
	r := mustPrepare(t, `{"from_agent":"a","context_snapshot":"`+snapshot+`"}`, 1)
	if h := open(t, r.Text); len(h.Turns) != 1 || h.Format != format.SW4RMRequest || r.Gone != 1 {
		t.Errorf("%s", r.Text)
	}
}

func TestPrepareRejects(t *testing.T) {
	const two = `{"conversation_history":[{"content":"1"},{"content":"2"}],"tool_state":{},"metadata":`
	for in, want := range map[string]string{
		`{"handoffId":"h"}`:   "only SW4RM contexts can be prepared: found eaapl; use trim",
		two + `{"trim":"x"}}`: "/metadata/trim: this member is reserved for the record of the trim: found string that is not a record; rename this member",
		`{"from_agent":"a","context_snapshot":` + two + `{"trim":1}}}`: "/context_snapshot/metadata/trim: this member is reserved for the record of the trim: found number that is not a record; rename this member",
		two + `{"trim":{"a":1}}}`:                                      "/metadata/trim: this member is reserved for the record of the trim: found object that is not a record; rename this member",
		two + `"x"}`:                                                   "/metadata: expected an object for the record of the trim: found string; rename this member",
		`{"conversation_history":[],"metadata":[1]}`:                   "/metadata: expected an object for the record of the trim: found array; rename this member",
	} {
		doc, err := parse([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Prepare(doc, jsonstream.Limits{}, Options{Last: 1, Meter: quarters})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", in, err)
		}
	}
}

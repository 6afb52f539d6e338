package diff_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// words writes changes in a form for comparison.
func words(changes []format.Change) string {
	var all []string
	for _, c := range changes {
		switch {
		case c.Noun != "":
			all = append(all, fmt.Sprintf("%d %s %s", c.Count, c.Noun, c.Became))
		case c.Is != nil:
			all = append(all, strings.Join(c.Was, ">")+" is "+strings.Join(c.Is, ">"))
		default:
			all = append(all, strings.TrimSpace(c.Text+" "+c.By))
		}
	}
	return strings.Join(all, ", ")
}

func TestMeaning(t *testing.T) {
	tests := []struct {
		name string
		a, b string // the members of a message, without its handoffId
		want string
	}{
		{name: "the same", a: `"taskId":"t","signature":"s"`, b: `"signature":"s","taskId":"t"`},
		{name: "a subtask completed", a: `"remainingSubtasks":[{"subtaskId":"s1"}]`, b: `"completedSubtasks":[{"subtaskId":"s1"}]`,
			want: "1 subtask completed"},
		{name: "subtasks lost, from both lists", a: `"completedSubtasks":[{"subtaskId":"s1"}],"remainingSubtasks":[{"subtaskId":"s2"},{"subtaskId":"s3"}]`,
			b: `"remainingSubtasks":[{"subtaskId":"s3"}]`, want: "2 subtask lost"},
		{name: "a subtask reopened, one added", a: `"completedSubtasks":[{"subtaskId":"s1"}]`, b: `"remainingSubtasks":[{"subtaskId":"s1"},{"subtaskId":"s2"}]`,
			want: "1 subtask reopened, 1 subtask added"},
		{name: "a subtask in both lists is completed", a: `"completedSubtasks":[{"subtaskId":"s1"}],"remainingSubtasks":[{"subtaskId":"s1"}]`,
			b: `"completedSubtasks":[{"subtaskId":"s1"}]`},
		{name: "results changed, of which one is gone and one the same number",
			a:    `"completedSubtasks":[{"subtaskId":"s1","result":{"a":[1]}},{"subtaskId":"s2","result":0},{"subtaskId":"s3","result":1.0}]`,
			b:    `"completedSubtasks":[{"subtaskId":"s3","result":1},{"subtaskId":"s1","result":{"a":[2]}},{"subtaskId":"s2"}]`,
			want: "2 result changed"},
		{name: "constraints", a: `"constraints":["a","b","b"]`, b: `"constraints":["b","c","d"]`, want: "1 constraint dropped, 2 constraint added"},
		{name: "state", a: `"currentState":{"a":1,"b":2}`, b: `"currentState":{"b":3,"c":null}`, want: "1 state member lost, 1 state member added"},
		{name: "costs, exactly",
			a:    `"costTracking":{"costBudgetRemainingUSD":0.30,"tokenSpent":{"prompt":9007199254740992,"completion":1}}`,
			b:    `"costTracking":{"costBudgetRemainingUSD":0.1,"tokenSpent":{"prompt":9007199254740993,"completion":0}}`,
			want: "budget % USD -0.2"},
		{name: "costs that do not compute",
			a: `"costTracking":{"costBudgetRemainingUSD":"0.30","tokenSpent":{"prompt":1,"completion":1e999999999}}`,
			b: `"costTracking":{"costBudgetRemainingUSD":0.1,"tokenSpent":{"prompt":1,"completion":0}}`},
		{name: "another task and route", a: `"taskId":"t","fromAgent":{"agentId":"x"},"toAgent":{"agentType":"y"}`, b: `"taskId":"u","fromAgent":{"agentId":"y"}`,
			want: "another task, x>y is y>"},
		{name: "a stale signature", a: `"x":1,"signature":"s"`, b: `"x":2,"signature":"s"`, want: "signature no longer covers this"},
		{name: "a signature added", a: ``, b: `"signature":"s"`, want: "signed"},
		{name: "a signature removed", a: `"signature":"s"`, b: ``, want: "signature removed"},
		{name: "null is no signature", a: `"signature":null`, b: `"signature":"s"`, want: "signed"},
		{name: "signed again", a: `"signature":"s"`, b: `"x":1,"signature":"t"`, want: "signed again"},
		{name: "members of other types", a: `"completedSubtasks":{"subtaskId":1},"remainingSubtasks":[1,{"subtaskId":2}],"constraints":"c","currentState":[1]`,
			b: `"completedSubtasks":null,"costTracking":[],"conversationHistoryVerbatim":7`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wrap := func(members string) *jsonstream.Document {
				if members != "" {
					members = "," + members
				}
				return parse(t, `{"handoffId":"h"`+members+`}`)
			}
			if got := words(diff.MeaningOf(wrap(tt.a), wrap(tt.b), nil, "")); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMeaningIsOfOneFormat(t *testing.T) {
	for a, b := range map[string]string{
		`{"x":1}`:         `{"x":2}`,
		`{"handoffId":1}`: `{"input_history":[]}`,
		`[]`:              `{"handoffId":1}`,
	} {
		if m := diff.MeaningOf(parse(t, a), parse(t, b), nil, ""); m != nil {
			t.Errorf("%s and %s: %+v", a, b, m)
		}
	}
}

// The turns of every format are counted from the edits.
func TestMeaningTurns(t *testing.T) {
	snapshot := func(context string) string {
		return `{"request_id":"r","context_snapshot":"` + base64.StdEncoding.EncodeToString([]byte(context)) + `"}`
	}
	// The edits of a list without its first turn, and with another one at its end.
	edits := func(list func(*jsonstream.Document) jsonstream.Value, a, b *jsonstream.Document) *diff.Edit {
		old, new := list(a), list(b)
		return &diff.Edit{Kind: diff.Changed, Old: old, New: new, Edits: []*diff.Edit{
			{Kind: diff.Removed, Old: old.At("/0")},
			{Kind: diff.Changed, Old: old.At("/1"), New: new.At("/0")},
			{Kind: diff.Moved, Old: old.At("/2"), New: new.At("/1"), Edits: []*diff.Edit{{Kind: diff.Changed}}},
			{Kind: diff.Added, New: new.At("/2")},
		}}
	}
	inRoot := func(name string) func(a, b *jsonstream.Document) *diff.Edit {
		return func(a, b *jsonstream.Document) *diff.Edit {
			list := func(d *jsonstream.Document) jsonstream.Value { return d.Root().Get(name) }
			return &diff.Edit{Kind: diff.Changed, Old: a.Root(), New: b.Root(), Edits: []*diff.Edit{edits(list, a, b)}}
		}
	}
	// one is the edit of one member.
	one := func(kind diff.Kind, name string) func(a, b *jsonstream.Document) *diff.Edit {
		return func(a, b *jsonstream.Document) *diff.Edit {
			e := &diff.Edit{Kind: kind, Old: a.Root().Get(name), New: b.Root().Get(name)}
			return &diff.Edit{Kind: diff.Changed, Old: a.Root(), New: b.Root(), Edits: []*diff.Edit{e}}
		}
	}
	const each = "1 turn added, 1 turn removed, 1 turn changed, 1 turn moved"
	tests := []struct {
		name string
		a, b string
		edit func(a, b *jsonstream.Document) *diff.Edit
		want string
	}{
		{"canonical", `{"handoffId":"h","conversationHistoryVerbatim":[0,1,2]}`, `{"handoffId":"h","conversationHistoryVerbatim":[3,4,5]}`,
			inRoot("conversationHistoryVerbatim"), each},
		{"SW4RM context", `{"conversation_history":[0,1,2]}`, `{"conversation_history":[3,4,5]}`, inRoot("conversation_history"), each},
		{"OpenAI", `{"input_history":[],"new_items":[0,1,2]}`, `{"input_history":[],"new_items":[3,4,5]}`, inRoot("new_items"), each},
		{"SW4RM request", snapshot(`{"conversation_history":[0,1,2]}`), snapshot(`{"conversation_history":[3,4,5]}`),
			func(a, b *jsonstream.Document) *diff.Edit {
				e := one(diff.Changed, "context_snapshot")(a, b)
				e.Edits[0].Inside = inRoot("conversation_history")(parse(t, `{"conversation_history":[0,1,2]}`), parse(t, `{"conversation_history":[3,4,5]}`))
				return e
			}, each},
		{"a snapshot written differently", snapshot(`{"conversation_history":[0]}`), snapshot(`{"conversation_history": [0]}`), one(diff.Changed, "context_snapshot"), ""},
		{"a snapshot with turns for one without", snapshot(`{"x":0}`), snapshot(`{"conversation_history":[0,1]}`), one(diff.Changed, "context_snapshot"), "2 turn added"},
		{"a list removed", `{"handoffId":"h","conversationHistoryVerbatim":[0,1,2]}`, `{"handoffId":"h"}`, one(diff.Removed, "conversationHistoryVerbatim"), "3 turn removed"},
		{"one turn as text", `{"input_history":"a"}`, `{"input_history":"b"}`, one(diff.Changed, "input_history"), "1 turn changed"},
		{"a list for text", `{"input_history":"a"}`, `{"input_history":[0,1]}`, one(diff.Changed, "input_history"), "2 turn added, 1 turn removed"},
		{"other members", `{"input_history":"a","x":1}`, `{"input_history":"a","x":2}`, one(diff.Changed, "x"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := parse(t, tt.a), parse(t, tt.b)
			if got := words(diff.MeaningOf(a, b, tt.edit(a, b), "")); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSameInside(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte(`{"x": 1}`))
	tests := []struct {
		name string
		a, b string // JSON
		want bool
	}{
		{"JSON", `"[1,{}]"`, `" [1.0, {}]"`, true},
		{"JSON and base64 of it", `"{\"x\":1}"`, `"` + encoded + `"`, true},
		{"other JSON", `"[1]"`, `"[2]"`, false},
		{"text", `"a"`, `"a "`, false},
		{"what begins as JSON", `"[1"`, `"[1 "`, false},
		{"no strings", `[1]`, `[1.0]`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := diff.Compare(parse(t, tt.a), parse(t, tt.b), diff.Options{})
			if got := e != nil && e.SameInside; got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

package diff_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// outline writes edits one per line: the kind, the places, and the edits inside. The old and the
// new value follow a replaced one.
func outline(e *diff.Edit) []string {
	if e == nil {
		return nil
	}
	if e.Kind == diff.Changed && e.Edits != nil {
		return outlines(e.Edits)
	}
	var line string
	switch e.Kind {
	case diff.Added:
		line = fmt.Sprintf("+ %s %s", e.New.Pointer(), e.New.Raw())
	case diff.Removed:
		line = fmt.Sprintf("- %s %s", e.Old.Pointer(), e.Old.Raw())
	case diff.Moved:
		line = fmt.Sprintf("> %s to %s", e.Old.Pointer(), e.New.Pointer())
	default:
		line = fmt.Sprintf("! %s %s to %s %s", e.Old.Pointer(), e.Old.Raw(), e.New.Pointer(), e.New.Raw())
	}
	lines := append([]string{line}, outlines(e.Edits)...)
	for _, inner := range outline(e.Inside) {
		lines = append(lines, "  "+inner)
	}
	return lines
}

func outlines(edits []*diff.Edit) (lines []string) {
	for _, e := range edits {
		lines = append(lines, outline(e)...)
	}
	return lines
}

func patterns(t interface{ Fatal(...any) }, texts ...string) []jsonstream.Pattern {
	var list []jsonstream.Pattern
	for _, text := range texts {
		p, err := jsonstream.ParsePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

func key(t *testing.T, array string, members ...string) diff.Key {
	return diff.Key{Array: patterns(t, array)[0], Members: members}
}

func base64Of(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b string
		o    diff.Options
		want []string
	}{
		{name: "the same", a: `{"a":[1,{"b":null}]}`, b: `{"a":[1,{"b":null}]}`},
		{name: "the order of members and white space are no difference", a: `{"a":1,"b":2}`, b: `{ "b":2, "a":1 }`},
		{name: "escapes are no difference", a: `{"a":"é"}`, b: `{"\u0061":"\u00e9"}`},
		{name: "a number is its decimal value", a: `[1.0,1e2,-0]`, b: `[1,100,0]`},
		{name: "a number has all of its digits", a: `[9007199254740993]`, b: `[9007199254740992]`,
			want: []string{"! /0 9007199254740993 to /0 9007199254740992"}},
		{name: "exact numbers are written alike", o: diff.Options{Exact: true}, a: `{"a":1.0,"b":2}`, b: `{"a":1,"b":2}`,
			want: []string{"! /a 1.0 to /a 1"}},
		{name: "roots of other kinds", a: `{"a":1}`, b: `[1]`, want: []string{`!  {"a":1} to  [1]`}},
		{name: "scalar roots", a: `1`, b: `2`, want: []string{`!  1 to  2`}},
		{name: "members in the order of the old ones, then added ones", a: `{"z":1,"gone":2,"a":3}`, b: `{"new":0,"a":4,"z":5}`,
			want: []string{"! /z 1 to /z 5", "- /gone 2", "! /a 3 to /a 4", "+ /new 0"}},
		{name: "a member of another kind is replaced", a: `{"a":"x"}`, b: `{"a":{"x":1}}`, want: []string{`! /a "x" to /a {"x":1}`}},
		{name: "null is a value", a: `{"a":null}`, b: `{}`, want: []string{"- /a null"}},

		{name: "an inserted element is one insertion", a: `["p q","r s","t u"]`, b: `["p q","new one","r s","t u"]`,
			want: []string{`+ /1 "new one"`}},
		{name: "a scalar that changed at its place", a: `[1,2,3]`, b: `[1,5,3]`, want: []string{"! /1 2 to /1 5"}},
		{name: "a boolean that changed at its place", a: `[1,true]`, b: `[1,false]`, want: []string{"! /1 true to /1 false"}},
		{name: "a scalar of another kind is another element", a: `[1,2,3]`, b: `[1,"x",3]`, want: []string{"- /1 2", `+ /1 "x"`}},
		{name: "scalars in gaps of other lengths are other elements", a: `[1,2,3]`, b: `[1,5,6,3]`,
			want: []string{"- /1 2", "+ /1 5", "+ /2 6"}},
		{name: "an equal element elsewhere has moved", a: `[1,2,3,4]`, b: `[4,1,2,3]`, want: []string{"> /3 to /0"}},
		{name: "the longest part in order has not moved", a: `["c","a","b"]`, b: `["a","b","c"]`, want: []string{"> /0 to /2"}},
		{name: "a scalar never moves and changes", a: `["alpha beta gamma",1,2,3,4]`, b: `[1,2,3,4,"alpha beta delta"]`,
			want: []string{`- /0 "alpha beta gamma"`, `+ /4 "alpha beta delta"`}},
		{name: "an element that kept its index has not moved", a: `["p","p2","q"]`, b: `["q","p2"]`, want: []string{"- /0 \"p\"", "> /2 to /0"}},
		{name: "a scalar gives way to what moved with others", a: `[{"n":"o1","a":1,"b":2,"v":1},{"n":"o2","a":1,"b":2,"v":1},{"n":"o3","a":1,"b":2,"v":1},1,"s"]`,
			b: `[{"x":1},{"y":2},{"z":3},2,"s",{"n":"o1","a":1,"b":2,"v":0},{"n":"o2","a":1,"b":2,"v":0},{"n":"o3","a":1,"b":2,"v":0}]`,
			want: []string{`+ /0 {"x":1}`, `+ /1 {"y":2}`, `+ /2 {"z":3}`, "+ /3 2", "> /4 to /4",
				"! /0/v 1 to /5/v 0", "! /1/v 1 to /6/v 0", "! /2/v 1 to /7/v 0", "- /3 1"}},
		{name: "a scalar at another place of a gap is another one", a: `[1,"p q r s"]`, b: `["x y z w",2]`,
			want: []string{"- /0 1", `- /1 "p q r s"`, `+ /0 "x y z w"`, "+ /1 2"}},
		{name: "an object is not an array", a: `[{"":"x"}]`, b: `[["x"]]`, want: []string{`- /0 {"":"x"}`, `+ /0 ["x"]`}},
		{name: "removed elements are where they were", a: `[1,2,3,4,5]`, b: `[1,3,5]`, want: []string{"- /1 2", "- /3 4"}},
		{name: "a text that shares words has changed", a: `["keep","returnJSON:true"]`, b: `["keep","returnJSON:false and more"]`,
			want: []string{`- /1 "returnJSON:true"`, `+ /1 "returnJSON:false and more"`}},
		{name: "a text with most words has changed", a: `["a","send the report to legal"]`, b: `["a","send the report to finance"]`,
			want: []string{`! /1 "send the report to legal" to /1 "send the report to finance"`}},
		{name: "an object with most members has changed", a: `[{"a":1,"b":2,"c":3},0]`, b: `[0.5,{"a":1,"b":2,"c":4},0]`,
			want: []string{"+ /0 0.5", "! /0/c 3 to /1/c 4"}},
		{name: "an object that moved and changed a little", a: `[{"name":"x","list":[1,2,3],"v":1},"p","q","r"]`,
			b:    `["p","q","r",{"name":"x","list":[1,2,3],"v":2}]`,
			want: []string{"> /0 to /3", "! /0/v 1 to /3/v 2"}},
		{name: "an unlike object is another element", a: `[{"name":"x","size":"big"}]`, b: `[{"title":"y","color":"red"}]`,
			want: []string{`- /0 {"name":"x","size":"big"}`, `+ /0 {"title":"y","color":"red"}`}},
		{name: "an identifier says that it is the same", a: `[{"id":"c1","text":"one two three"},{"id":"c2","text":"four"}]`,
			b: `[{"id":"c1","text":"seven eight nine"},{"id":"c2","text":"four"}]`,
			want: []string{
				`! /0/text "one two three" to /0/text "seven eight nine"`}},
		{name: "a call is not its result", a: `[{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}]`,
			b: `[{"type":"function_call_output","call_id":"c1","output":"done"}]`,
			want: []string{`- /0 {"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`,
				`+ /0 {"type":"function_call_output","call_id":"c1","output":"done"}`}},
		{name: "arrays in arrays", a: `[[1,2],[3,4],[5,6]]`, b: `[[1,2],[3,5],[5,6]]`, want: []string{"! /1/1 4 to /1/1 5"}},

		{name: "turns are matched by what was said", a: `{"conversationHistoryVerbatim":[
				{"role":"user","content":"Please score the clauses of the contract"},
				{"role":"assistant","content":"There are twelve of them"}]}`,
			b: `{"conversationHistoryVerbatim":[
				{"role":"user","content":"Hello"},
				{"role":"user","content":"Please score all clauses of the contract"},
				{"role":"assistant","content":"There are twelve of them"}]}`,
			want: []string{`+ /conversationHistoryVerbatim/0 {"role":"user","content":"Hello"}`,
				`! /conversationHistoryVerbatim/0/content "Please score the clauses of the contract" to /conversationHistoryVerbatim/1/content "Please score all clauses of the contract"`}},

		{name: "subtasks are matched by subtaskId", a: `{"taskId":"t","remainingSubtasks":[{"subtaskId":"s1","description":"a"},{"subtaskId":"s2","description":"b"}]}`,
			b:    `{"taskId":"t","remainingSubtasks":[{"subtaskId":"s3","description":"a"},{"subtaskId":"s2","description":"c"}]}`,
			want: []string{`- /remainingSubtasks/0 {"subtaskId":"s1","description":"a"}`, `+ /remainingSubtasks/0 {"subtaskId":"s3","description":"a"}`, `! /remainingSubtasks/1/description "b" to /remainingSubtasks/1/description "c"`}},
		{name: "subtasks out of order have moved", a: `{"taskId":"t","remainingSubtasks":[{"subtaskId":"s1","d":1},{"subtaskId":"s2"},{"subtaskId":"s3"}]}`,
			b:    `{"taskId":"t","remainingSubtasks":[{"subtaskId":"s2"},{"subtaskId":"s3"},{"subtaskId":"s1","d":2}]}`,
			want: []string{"> /remainingSubtasks/0 to /remainingSubtasks/2", "! /remainingSubtasks/0/d 1 to /remainingSubtasks/2/d 2"}},
		{name: "tool calls are matched by tool and time", a: `{"taskId":"t","toolCallHistory":[{"tool":"a","calledAt":"1","n":1},{"tool":"a","calledAt":"2","n":1}]}`,
			b:    `{"taskId":"t","toolCallHistory":[{"tool":"a","calledAt":"2","n":5}]}`,
			want: []string{`- /toolCallHistory/0 {"tool":"a","calledAt":"1","n":1}`, `! /toolCallHistory/1/n 1 to /toolCallHistory/0/n 5`}},
		{name: "contexts with one source are told apart by their order", a: `{"taskId":"t","relevantContext":[{"source":"s","v":1},{"source":"s","v":2},{"source":"r","v":3}]}`,
			b:    `{"taskId":"t","relevantContext":[{"source":"s","v":4},{"source":"s","v":5},{"source":"r","v":3}]}`,
			want: []string{"! /relevantContext/0/v 1 to /relevantContext/0/v 4", "! /relevantContext/1/v 2 to /relevantContext/1/v 5"}},
		{name: "an inserted context with the same source is one insertion", a: `{"taskId":"t","relevantContext":[{"source":"s","v":1},{"source":"s","v":2}]}`,
			b:    `{"taskId":"t","relevantContext":[{"source":"s","v":0},{"source":"s","v":1},{"source":"s","v":2}]}`,
			want: []string{`+ /relevantContext/0 {"source":"s","v":0}`}},
		{name: "receivers are matched by agentType", a: `{"taskId":"t","receiverList":[{"agentType":"a","v":"x"},{"agentType":"b","v":"y"}]}`,
			b:    `{"taskId":"t","receiverList":[{"agentType":"b","v":"z"}]}`,
			want: []string{`- /receiverList/0 {"agentType":"a","v":"x"}`, `! /receiverList/1/v "y" to /receiverList/0/v "z"`}},
		{name: "keys of a format count for messages of that format only", a: `{"remainingSubtasks":[{"subtaskId":"s1","d":"one"}]}`,
			b:    `{"remainingSubtasks":[{"subtaskId":"s2","d":"one"}]}`,
			want: []string{`! /remainingSubtasks/0/subtaskId "s1" to /remainingSubtasks/0/subtaskId "s2"`}},
		{name: "active calls of SW4RM are matched by call_id", a: `{"conversation_history":[],"tool_state":{"active_calls":[{"call_id":"1","tool":"x"},{"call_id":"2","tool":"x"}]}}`,
			b:    `{"conversation_history":[],"tool_state":{"active_calls":[{"call_id":"2","tool":"y"}]}}`,
			want: []string{`- /tool_state/active_calls/0 {"call_id":"1","tool":"x"}`, `! /tool_state/active_calls/1/tool "x" to /tool_state/active_calls/0/tool "y"`}},
		{name: "given keys", o: diff.Options{Keys: []diff.Key{key(t, "/list/*/of", "k")}},
			a:    `{"list":[{"of":[{"k":1,"v":"a"},{"k":2,"v":"b"}]}]}`,
			b:    `{"list":[{"of":[{"k":2.0,"v":"c"},{"k":3,"v":"a"}]}]}`,
			want: []string{`- /list/0/of/0 {"k":1,"v":"a"}`, `! /list/0/of/1/v "b" to /list/0/of/0/v "c"`, `+ /list/0/of/1 {"k":3,"v":"a"}`}},
		{name: "a key is its value, not how it looks", o: diff.Options{Keys: []diff.Key{key(t, "", "k")}}, a: `[{"k":"1","v":1}]`, b: `[{"k":1,"v":1}]`,
			want: []string{`- /0 {"k":"1","v":1}`, `+ /0 {"k":1,"v":1}`}},
		{name: "elements without the members of the key are matched as others", o: diff.Options{Keys: []diff.Key{key(t, "", "k")}},
			a: `[1,{"k":[1],"v":2},{"v":3},{"k":"x"}]`, b: `[{"k":[1],"v":2},2,{"v":3},{"k":"x","w":1}]`,
			want: []string{"- /0 1", "+ /1 2", "+ /3/w 1"}},

		{name: "ignored members", o: diff.Options{Ignore: patterns(t, "/timestamp", "/list/*/at")},
			a: `{"timestamp":1,"list":[{"v":1,"at":1}]}`, b: `{"list":[{"v":1,"at":2}]}`},
		{name: "ignored members do not hide others", o: diff.Options{Ignore: patterns(t, "/**/at")},
			a: `{"at":1,"list":[{"v":1,"at":1}]}`, b: `{"list":[{"v":2,"at":2}]}`, want: []string{"! /list/0/v 1 to /list/0/v 2"}},
		{name: "a member of the key that is ignored identifies nothing", o: diff.Options{Ignore: patterns(t, "/toolCallHistory/*/calledAt")},
			a: `{"taskId":"t","toolCallHistory":[{"tool":"a","calledAt":"1"}]}`, b: `{"taskId":"t","toolCallHistory":[{"tool":"a","calledAt":"2"}]}`},
		{name: "an ignored element is that of its own document", o: diff.Options{Ignore: patterns(t, "/0")}, a: `["x",1,2]`, b: `["y",1,2]`},
		{name: "parts of what was added as a whole are there", o: diff.Options{Ignore: patterns(t, "/*/at")}, a: `{}`, b: `{"x":{"at":1}}`,
			want: []string{`+ /x {"at":1}`}},
		{name: "an ignored root", o: diff.Options{Ignore: patterns(t, "")}, a: `{}`, b: `[]`},
		{name: "only some places", o: diff.Options{Only: patterns(t, "/a/b", "/c")}, a: `{"a":{"b":1,"x":1},"c":{"y":1},"d":1}`,
			b: `{"a":{"b":2,"x":2},"c":{"y":2},"d":2}`, want: []string{"! /a/b 1 to /a/b 2", "! /c/y 1 to /c/y 2"}},
		{name: "nothing there of the only places", o: diff.Options{Only: patterns(t, "/a/b")}, a: `{"a":{"x":1}}`, b: `{"a":5}`},
		{name: "elements of the only places", o: diff.Options{Only: patterns(t, "/*/v")}, a: `[{"v":1,"n":1},{"n":2},{"v":3}]`,
			b: `[{"v":1,"n":5},{"v":3}]`},
		{name: "a value partly in the only places is there as a whole", o: diff.Options{Only: patterns(t, "/a/b")}, a: `{"a":{"b":1,"c":2}}`,
			b: `{}`, want: []string{`- /a {"b":1,"c":2}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := outline(diff.Compare(parse(t, tt.a), parse(t, tt.b), tt.o))
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestCompareInside(t *testing.T) {
	deep := func(end string) string {
		text := `{"end":` + end + `}`
		for range 4 {
			text = fmt.Sprintf(`{"in":%q}`, text)
		}
		return text
	}
	snapshot := func(tool string) string {
		return base64Of(`{"conversation_history":[],"tool_state":{"active_calls":[{"call_id":"1","tool":"a"},{"call_id":"2","tool":"` + tool + `"}]}}`)
	}
	for _, tt := range []struct {
		name string
		a, b string // the strings
		want []string
	}{
		{name: "JSON text", a: `{"q":1}`, b: `{"q": 2}`, want: []string{"! /q 1 to /q 2"}},
		{name: "JSON text, differently written", a: `{"q":1,"r":2}`, b: `{ "r": 2.0, "q": 1 }`},
		{name: "base64", a: base64Of(`{"q":1}`), b: base64Of(`[1]`), want: []string{`!  {"q":1} to  [1]`}},
		{name: "keys of the document inside", a: snapshot("b"), b: snapshot("c"),
			want: []string{`! /tool_state/active_calls/1/tool "b" to /tool_state/active_calls/1/tool "c"`}},
		{name: "one is not JSON", a: `{"q":1}`, b: `{"q":1`},
		{name: "scalars are no documents", a: `1`, b: `2`},
		{name: "what is too long", a: `["` + strings.Repeat("x", 4<<20) + `"]`, b: `[]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := diff.Compare(parse(t, fmt.Sprintf("%q", tt.a)), parse(t, fmt.Sprintf("%q", tt.b)), diff.Options{})
			if e == nil || e.Kind != diff.Changed || e.Edits != nil {
				t.Fatalf("the strings differ, got %v", e)
			}
			if d := cmp.Diff(tt.want, outline(e.Inside)); d != "" {
				t.Error(d)
			}
		})
	}
	e := diff.Compare(parse(t, deep("1")), parse(t, deep("2")), diff.Options{})
	depth := 0
	for ; e != nil && e.Edits != nil; e = e.Edits[0].Inside {
		depth++
	}
	if depth != 4 {
		t.Errorf("looked into %d strings of each other, want 3", depth-1)
	}
}

// D6: two integers with the same double are different numbers.
func TestD6IntegersBeyondDoubles(t *testing.T) {
	a, b := parse(t, `{"n":[9007199254740993]}`), parse(t, `{"n":[9007199254740992]}`)
	if diff.Compare(a, b, diff.Options{}) == nil {
		t.Error("found the same")
	}
}

func TestCompareInsideExactly(t *testing.T) {
	a, b := parse(t, `"{\"n\":1.0}"`), parse(t, `"{\"n\":1}"`)
	got := outline(diff.Compare(a, b, diff.Options{Exact: true}).Inside)
	if d := cmp.Diff([]string{"! /n 1.0 to /n 1"}, got); d != "" {
		t.Error(d)
	}
}

func TestLeavesAndPointers(t *testing.T) {
	e := diff.Compare(parse(t, `{"a":[{"n":"x","list":[1,2,3],"v":1},"p","q"],"b":1}`), parse(t, `{"a":["p","q",{"n":"x","list":[1,2,3],"v":2}]}`), diff.Options{})
	var got []string
	for leaf := range e.Leaves() {
		got = append(got, string(leaf.Kind)+" "+leaf.Pointer())
	}
	if d := cmp.Diff([]string{"moved /a/2", "changed /a/2/v", "removed /b"}, got); d != "" {
		t.Error(d)
	}
	for range (*diff.Edit)(nil).Leaves() {
		t.Error("no difference has a leaf")
	}
	if e.Old.Kind() != jsonstream.Object || e.Pointer() != "" {
		t.Errorf("the root is at %q", e.Pointer())
	}
}

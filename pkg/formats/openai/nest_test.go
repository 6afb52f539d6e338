package openai

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func parse(t testing.TB, text string) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Unlimited())
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return doc
}

// data returns a HandoffInputData with these lists.
func data(history, pre, new string) string {
	return fmt.Sprintf(`{"input_history":%s,"pre_handoff_items":[%s],"new_items":[%s]}`, history, pre, new)
}

func nest(t testing.TB, text string, o NestOptions) *jsonstream.Document {
	t.Helper()
	out, err := Nest(nil, parse(t, text).Root(), o)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return parse(t, string(out))
}

func unnest(t testing.TB, text string, o NestOptions) *jsonstream.Document {
	t.Helper()
	out, err := Unnest(nil, parse(t, text).Root(), o)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return parse(t, string(out))
}

// outline shows a list of items for a test: the lines of a summary, each other
// item as its text.
func outline(list jsonstream.Value) []string {
	var out []string
	for _, item := range list.Elements() {
		if lines, _, ok := newMarkers(jsonstream.Value{}, "", "").lines(item); ok {
			out = append(out, "summary:"+lines)
		} else {
			out = append(out, string(item.Raw()))
		}
	}
	return out
}

const (
	user      = `{"role":"user","content":"Hi"}`
	assistant = `{"role":"assistant","content":"Hello"}`
	call      = `{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`
	result    = `{"type":"function_call_output","call_id":"c1","output":"1"}`
	search    = `{"type":"web_search_call","id":"w1"}`

	callLine   = `{"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}`
	resultLine = `{"type": "function_call_output", "call_id": "c1", "output": "1"}`
)

// TestSummaryText compares the text of a summary message byte by byte.
func TestSummaryText(t *testing.T) {
	got := nest(t, data(`"Hi"`, assistant, ""), NestOptions{}).Root().Get("input_history").At("/0")
	want := "For context, here is the conversation so far between the user and the previous agent:\n" +
		"<CONVERSATION HISTORY>\n1. user: Hi\n2. assistant: Hello\n</CONVERSATION HISTORY>"
	if diff := cmp.Diff(want, got.Get("content").Text()); diff != "" {
		t.Error(diff)
	}
	if got.Get("role").Text() != "assistant" || got.Len() != 2 {
		t.Errorf("got %s", got.Raw())
	}
}

// TestNest checks which items are passed on unchanged, and the places of the summaries.
func TestNest(t *testing.T) {
	tests := []struct {
		name string
		data string
		want []string // outline of input_history
	}{
		{"nothing at all", data(`[]`, "", ""), []string{"summary:\n(no previous turns recorded)"}},
		{"a string is a user message", data(`"Hi"`, "", ""), []string{"summary:\n1. user: Hi"}},
		{"a string of several lines", data(`"a\nb"`, "", ""), []string{`summary:` + "\n" + `1. {"content": "a\nb", "role": "user"}`}},
		{"a message of several lines keeps its order", data(`[{"role":"user","content":"a\nb"}]`, "", ""), []string{`summary:` + "\n" + `1. {"role": "user", "content": "a\nb"}`}},
		{"pre: an assistant message is summarised", data(`[`+user+`]`, assistant, ""), []string{"summary:\n1. user: Hi\n2. assistant: Hello"}},
		{"pre: calls, results and reasoning are summarised", data(`[]`, call+","+result+`,{"type":"reasoning","summary":[]}`, ""),
			[]string{"summary:\n1. " + callLine + "\n2. " + resultLine + "\n" + `3. {"type": "reasoning", "summary": []}`}},
		{"pre: a user message is forwarded", data(`[`+user+`]`, user, ""), []string{"summary:\n1. user: Hi", user}},
		{"pre: other items are forwarded", data(`[`+user+`]`, search, ""), []string{"summary:\n1. user: Hi", search}},
		{"new: an assistant message is forwarded", data(`[`+user+`]`, "", assistant), []string{"summary:\n1. user: Hi", assistant}},
		{"new: any role is forwarded, whatever the type", data(`[]`, "", `{"type":"function_call","role":"critic"}`),
			[]string{"summary:\n(no previous turns recorded)", `{"type":"function_call","role":"critic"}`}},
		{"new: calls and results are summarised", data(`[`+user+`]`, "", call+","+result),
			[]string{"summary:\n1. user: Hi\n2. " + callLine + "\n3. " + resultLine}},
		{"new: other items are forwarded", data(`[`+user+`]`, "", search), []string{"summary:\n1. user: Hi", search}},
		{"programs are summarised everywhere", data(`[]`, `{"type":"program","role":"user"}`, `{"type":"program_output","role":"user"}`),
			[]string{"summary:\n1. user: \n2. user: "}},
		{"what a program called is summarised", data(`[]`, "", `{"type":"web_search_call","caller":{"type":"program"}}`),
			[]string{`summary:` + "\n" + `1. {"type": "web_search_call", "caller": {"type": "program"}}`}},
		{"an item of another caller is forwarded", data(`[]`, "", `{"type":"web_search_call","caller":{"type":"direct"}}`),
			[]string{"summary:\n(no previous turns recorded)", `{"type":"web_search_call","caller":{"type":"direct"}}`}},
		{"approval items are dropped", data(`[]`, `{"type":"tool_approval_item"}`, `{"type":"tool_approval_item"}`),
			[]string{"summary:\n(no previous turns recorded)"}},
		{"run items are their raw items", data(`[`+runItem("input_item", user)+`]`, runItem("tool_call_item", call)+","+runItem("tool_call_output_item", result)+","+runItem("tool_approval_item", call), runItem("message_output_item", assistant)),
			[]string{"summary:\n1. user: Hi\n2. " + callLine + "\n3. " + resultLine, assistant}},
		{"the first forwarded item has a summary before it, though nothing is pending", data(`[]`, user+","+user, ""),
			[]string{"summary:\n(no previous turns recorded)", user, user}},
		{"what is pending between forwarded items", data(`[`+user+`]`, search+","+assistant+","+search, ""),
			[]string{"summary:\n1. user: Hi", search, "summary:\n1. assistant: Hello", search}},
		{"what is pending at the end", data(`[`+user+`]`, "", search+","+call+","+result),
			[]string{"summary:\n1. user: Hi", search, "summary:\n1. " + callLine + "\n2. " + resultLine}},
		{"pre and new are one sequence", data(`[]`, assistant, call+","+assistant),
			[]string{"summary:\n1. assistant: Hello\n2. " + callLine, assistant}},
		{"white space of forwarded items goes", data(`[]`, `{ "role" : "user" , "content" : "a b" }`, ""),
			[]string{"summary:\n(no previous turns recorded)", `{"role":"user","content":"a b"}`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := nest(t, test.data, NestOptions{}).Root()
			if diff := cmp.Diff(test.want, outline(root.Get("input_history"))); diff != "" {
				t.Error(diff)
			}
			for name, want := range map[string]string{
				"pre_handoff_items": "[]", "input_items": "[]",
				"new_items": string(jsonstream.AppendCompact(nil, parse(t, test.data).Root().Get("new_items").Raw())),
			} {
				if got := string(root.Get(name).Raw()); got != want {
					t.Errorf("%s: got %s, want %s", name, got, want)
				}
			}
		})
	}
}

// TestLine checks the summary line of an item.
func TestLine(t *testing.T) {
	tests := []struct{ name, item, want string }{
		{"role and content", user, `user: Hi`},
		{"name", `{"role":"user","name":"Ann","content":"Hi"}`, `user (Ann): Hi`},
		{"empty name", `{"role":"user","name":"","content":"Hi"}`, `user: Hi`},
		{"name that is not a string", `{"role":"user","name":1,"content":"Hi"}`, `user: Hi`},
		{"no content", `{"role":"user"}`, `user: `},
		{"null content", `{"role":"user","content":null}`, `user: `},
		{"empty content", `{"role":"user","content":""}`, `user: `},
		{"other members are left out", `{"id":"m","type":"message","role":"user","content":"Hi","status":"completed"}`, `user: Hi`},
		{"any role", `{"role":"critic","content":"No"}`, `critic: No`},
		{"line feed", `{"role":"user","content":"a\nb"}`, `{"role": "user", "content": "a\nb"}`},
		{"carriage return", `{"role":"user","content":"a\rb"}`, `{"role": "user", "content": "a\rb"}`},
		{"other line ends are no line ends", `{"role":"user","content":"a\u2028\u0085\u000bb"}`, "user: a\u2028\u0085\vb"},
		{"parts", `{"role":"user","content":[{"type":"input_text","text":"Hi"}]}`, `{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}`},
		{"content of another kind", `{"role":"user","content":1}`, `{"role": "user", "content": 1}`},
		{"role that is not a string", `{"role":null,"content":"Hi"}`, `{"role": null, "content": "Hi"}`},
		{"provider_data at the top", `{"type":"x","provider_data":{"a":1},"b":{"provider_data":2}}`, `{"type": "x", "b": {"provider_data": 2}}`},
		{"empty object", `{}`, `{}`},
		{"member order and numbers", `{"z":1.50,"a":[1e400,-0,9007199254740993],"e":[],"o":{}}`, `{"z": 1.50, "a": [1e400, -0, 9007199254740993], "e": [], "o": {}}`},
		{"literals", `{"a":[true,false,null]}`, `{"a": [true, false, null]}`},
		{"escapes", `{"a\/\u00e9":"\u0000\u001f\b\f\n\r\t\"\\\/\u007f\u2028\ud83d\ude00é"}`,
			`{"a/é": "\u0000\u001f\b\f\n\r\t\"\\/` + "\u007f\u2028😀é" + `"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := string(newMarkers(jsonstream.Value{}, "", "").appendLine(nil, parse(t, test.item).Root())); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestMarkers(t *testing.T) {
	o := NestOptions{Start: "<<\n", End: "\">>"}
	once := nest(t, data(`"Hi"`, assistant, ""), o)
	content := once.Root().At("/input_history/0/content").Text()
	if want := preamble + "\n<<\n\n1. user: Hi\n2. assistant: Hello\n\">>"; content != want {
		t.Errorf("got %q, want %q", content, want)
	}
	twice := nest(t, string(once.Raw().Bytes), o)
	if diff := cmp.Diff(string(once.Raw().Bytes), string(twice.Raw().Bytes)); diff != "" {
		t.Error(diff)
	}
	// A summary between the default markers is flattened, whatever the markers are.
	other := nest(t, string(nest(t, data(`"Hi"`, "", ""), NestOptions{}).Raw().Bytes), o)
	if got := other.Root().At("/input_history/0/content").Text(); got != preamble+"\n<<\n\n1. user: Hi\n\">>" {
		t.Errorf("got %q", got)
	}
	for _, o := range []NestOptions{{Start: "\xff"}, {End: "\xff"}} {
		if out, err := Nest([]byte("x"), parse(t, data(`[]`, "", "")).Root(), o); err == nil || string(out) != "x" {
			t.Errorf("got %q, %v", out, err)
		}
	}
}

func TestNestKeepsUnknownMembers(t *testing.T) {
	got := nest(t, `{"a":1.0, "input_items":null,"new_items":[],"input_history":[],"b":{"c":[]},"pre_handoff_items":[]}`, NestOptions{})
	var names []string
	for name := range got.Root().Members() {
		names = append(names, name)
	}
	if diff := cmp.Diff([]string{"a", "input_items", "new_items", "input_history", "b", "pre_handoff_items"}, names); diff != "" {
		t.Error(diff)
	}
	if a, b := got.Root().Get("a").Raw(), got.Root().Get("b").Raw(); string(a) != "1.0" || string(b) != `{"c":[]}` {
		t.Errorf("got %s, %s", a, b)
	}
}

// TestNestEarly checks the form of the first release of the SDK.
func TestNestEarly(t *testing.T) {
	text := data(`[`+user+`]`, assistant+","+user+","+call+`,{"type":"tool_approval_item"}`, result+","+assistant)
	root := nest(t, text, NestOptions{Early: true}).Root()
	want := []string{"summary:\n1. user: Hi\n2. assistant: Hello\n3. user: Hi\n4. " + callLine + "\n5. " + resultLine + "\n6. assistant: Hello"}
	if diff := cmp.Diff(want, outline(root.Get("input_history"))); diff != "" {
		t.Error(diff)
	}
	if got := string(root.Get("pre_handoff_items").Raw()); got != "["+user+","+call+`,{"type":"tool_approval_item"}]` {
		t.Errorf("pre_handoff_items %s", got)
	}
	if got := string(root.Get("new_items").Raw()); got != "["+result+","+assistant+"]" {
		t.Errorf("new_items %s", got)
	}
	if root.Get("input_items").Exists() {
		t.Error("input_items is there")
	}
}

func TestShapeErrors(t *testing.T) {
	tests := []struct{ name, data, pointer, want string }{
		{"no object", `[]`, "", "HandoffInputData must be an object, found array"},
		{"no history", `{}`, "", "input_history is missing: add it, empty if there are no items"},
		{"history of another kind", data(`1`, "", ""), "/input_history", "input_history must be a string or an array of items, found number"},
		{"no new_items", `{"input_history":[],"pre_handoff_items":[]}`, "", "new_items is missing: add it, empty if there are no items"},
		{"a string in place of a list", `{"input_history":[],"pre_handoff_items":"","new_items":[]}`, "/pre_handoff_items", "pre_handoff_items must be an array of items, found string"},
		{"an item that is not an object", data(`[]`, `{},"x"`, ""), "/pre_handoff_items/1", "an item of pre_handoff_items must be an object, found string"},
		{"input_items", `{"input_history":[],"pre_handoff_items":[],"new_items":[],"input_items":{}}`, "/input_items", "input_items must be an array of items or null, found object"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := parse(t, test.data).Root()
			for name, run := range map[string]func() ([]byte, error){
				"Nest":   func() ([]byte, error) { return Nest([]byte("x"), root, NestOptions{}) },
				"Unnest": func() ([]byte, error) { return Unnest([]byte("x"), root, NestOptions{}) },
				"Apply":  func() ([]byte, error) { return Apply([]byte("x"), root, Last(1)) },
			} {
				out, err := run()
				shape, ok := err.(*ShapeError)
				if !ok || shape.Pointer != test.pointer || shape.Problem != test.want || string(out) != "x" {
					t.Errorf("%s: got %q, %v", name, out, err)
				}
			}
		})
	}
}

func BenchmarkNest(b *testing.B) {
	var items []string
	for i := range 5_000 {
		items = append(items, user, assistant,
			fmt.Sprintf(`{"type":"function_call","call_id":"c%d","name":"f","arguments":"{\"q\": \"%s\"}"}`, i, strings.Repeat("word ", 20)),
			fmt.Sprintf(`{"type":"function_call_output","call_id":"c%d","output":"%s"}`, i, strings.Repeat(`line\n`, 50)))
	}
	plain := parse(b, data("["+strings.Join(items, ",")+"]", "", ""))
	nested := nest(b, string(plain.Raw().Bytes), NestOptions{})
	for name, doc := range map[string]*jsonstream.Document{"20000 items": plain, "20000 items nested": nested} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(doc.Raw().Bytes)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Nest(nil, doc.Root(), NestOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

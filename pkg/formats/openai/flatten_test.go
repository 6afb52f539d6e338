package openai

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// summaryOf returns a HandoffInputData whose history is one message with this text.
func summaryOf(text string) string {
	return data("["+string(pythonSpelling.appendMessage(nil, "assistant", "", text))+"]", "", "")
}

func listed(t *testing.T, text string) []string {
	t.Helper()
	return outline(unnest(t, summaryOf(text), NestOptions{}).Root().Get("input_history"))
}

// TestRecords checks the items in the lines of a summary.
func TestRecords(t *testing.T) {
	tests := []struct {
		name, lines string
		want        []string
	}{
		{"ROLE: CONTENT", "1. user: Hi", []string{user}},
		{"ROLE (NAME): CONTENT", "1. user (Ann): Hi", []string{`{"role":"user","name":"Ann","content":"Hi"}`}},
		{"name with parentheses and colons", "1. user (Ann (QA): b): Hi (x): y", []string{`{"role":"user","name":"Ann (QA","content":"b): Hi (x): y"}`}},
		{"name with a colon", "1. user (a: b): Hi", []string{`{"role":"user","name":"a: b","content":"Hi"}`}},
		{"name with parentheses", "1. user (Ann (QA)): Hi", []string{`{"role":"user","name":"Ann (QA)","content":"Hi"}`}},
		{"content with colons and parentheses", "1. user: a (b): c", []string{`{"role":"user","content":"a (b): c"}`}},
		{"content that looks like a record", "1. user: 2. user: x", []string{`{"role":"user","content":"2. user: x"}`}},
		{"JSON content", `1. user: {"a": 1}`, []string{`{"role":"user","content":"{\"a\": 1}"}`}},
		{"empty content", "1. user: \n2. assistant:", []string{`{"role":"user","content":""}`, `{"role":"assistant","content":""}`}},
		{"blanks around it", "1.   user  :   Hi \t", []string{user}},
		{"any role", "1. critic: No", []string{`{"role":"critic","content":"No"}`}},
		{"a record of several lines", "1. user: a\n b\n\nc\n2. user: Hi", []string{`{"role":"user","content":"a\n b\n\nc"}`, user}},
		{"numbers need not be in order", "7. user: Hi\n7. user: Hi", []string{user, user}},
		{"lines without a number", "user: Hi\nthere", []string{`{"role":"user","content":"Hi\nthere"}`}},
		{"JSON", `1. {"type": "x", "a": [1.0]}`, []string{`{"type": "x", "a": [1.0]}`}},
		{"JSON over several lines", "1. {\"type\":\n \"x\"}", []string{`{"type":"x"}`}},
		{"JSON that is not an object is a role", `1. ["a": 1`, []string{`{"role":"[\"a\"","content":"1"}`}},
		{"broken JSON", `1. {"a": 1`, []string{`{"role":"{\"a\"","content":"1"}`}},
		{"JSON with a member twice is no item", `1. {"a":1,"a":2}`, []string{`{"role":"{\"a\"","content":"1,\"a\":2}"}`}},
		{"TYPE: JSON", `1. function_call: {"call_id": "c1", "name": "f"}`, []string{`{"type":"function_call","call_id":"c1","name":"f"}`}},
		{"TYPE: JSON with a type of its own", `1. x: {"type": "y", "a": 1}`, []string{`{"type":"x","a":1}`}},
		{"TYPE: JSON without members", `1. reasoning: {}`, []string{`{"type":"reasoning"}`}},
		{"TYPE (NAME) is a role", `1. tool (x): {"a": 1}`, []string{`{"role":"tool","name":"x","content":"{\"a\": 1}"}`}},
		{"bare roles", "1. user\n2. developer (Ann)", []string{`{"role":"user","content":""}`, `{"role":"developer","name":"Ann","content":""}`}},
		{"prose", "1. as we said\n2. user: Hi\n3. critic", []string{user}},
		{"no role", "1. : Hi", []string{`{"role":"","content":"Hi"}`}},
		{"nothing", "(no previous turns recorded)", nil},
		{"a number alone", "1.\n2. user: Hi", []string{user}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := listed(t, preamble+"\n"+DefaultStart+"\n"+test.lines+"\n"+DefaultEnd)
			var want []string
			for _, w := range test.want {
				want = append(want, string(jsonstream.AppendCompact(nil, []byte(w))))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSummaryMessages checks which messages are summaries.
func TestSummaryMessages(t *testing.T) {
	lines := "\n" + DefaultStart + "\n1. user: Hi\n" + DefaultEnd
	tests := []struct {
		name, text string
		want       bool
	}{
		{"as the SDK writes it", preamble + lines, true},
		{"the older preamble", olderPreamble + lines, true},
		{"no lines", preamble + "\n" + DefaultStart + "\n" + DefaultEnd, true},
		{"another preamble", "So far:" + lines, false},
		{"no preamble", lines, false},
		{"text after it", preamble + lines + " And now?", false},
		{"text before it", "Hi. " + preamble + lines, false},
		{"no end", preamble + "\n" + DefaultStart + "\n1. user: Hi", false},
		{"text after the start", preamble + "\n" + DefaultStart + "x\n1. user: Hi\n" + DefaultEnd, false},
		{"nothing but the markers in one line", preamble + "\n" + DefaultStart + DefaultEnd, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for item, want := range map[string]bool{
				string(pythonSpelling.appendMessage(nil, "assistant", "", test.text)): test.want,
				string(pythonSpelling.appendMessage(nil, "user", "", test.text)):      false,
			} {
				if _, _, got := newMarkers(jsonstream.Value{}, "", "").lines(parse(t, item).Root()); got != want {
					t.Errorf("%s: got %v, want %v", item, got, want)
				}
			}
		})
	}
}

// TestUnnest checks that summaries inside summaries are flattened, in every list.
func TestUnnest(t *testing.T) {
	inner := preamble + "\n" + DefaultStart + "\n1. user: Hi\n" + DefaultEnd
	for range 3 {
		record := string(appendPython(nil, parse(t, string(pythonSpelling.appendMessage(nil, "assistant", "", inner))).Root()))
		inner = preamble + "\n" + DefaultStart + "\n1. " + record + "\n2. assistant: Hello\n" + DefaultEnd
	}
	message := string(pythonSpelling.appendMessage(nil, "assistant", "", inner))
	root := unnest(t, data("["+message+"]", search+","+message, message), NestOptions{}).Root()
	items := []string{user, assistant, assistant, assistant}
	for name, want := range map[string][]string{
		"input_history": items, "pre_handoff_items": append([]string{search}, items...), "new_items": items,
	} {
		if diff := cmp.Diff(want, outline(root.Get(name))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	// Nesting finds them too, in any place.
	nested := nest(t, data("["+message+"]", message, ""), NestOptions{}).Root().Get("input_history")
	if got := outline(nested); len(got) != 1 || strings.Count(got[0], "\n") != 8 || strings.Contains(got[0], preamble) {
		t.Errorf("got %q", got)
	}
}

// TestDeepSummaries bounds the cost of a text with deeply nested summaries.
func TestDeepSummaries(t *testing.T) {
	text := "user: Hi"
	escape := strings.NewReplacer(`\`, `\u005c`, "\n", `\u000a`, `"`, `\u0022`).Replace
	for range 60 { // escapes that do not double
		text = preamble + "\n" + DefaultStart + "\n1. " + text + "\n" + DefaultEnd
		text = `{"role":"assistant","content":"` + escape(text) + `"}`
	}
	root := nest(t, data("["+text+"]", "", ""), NestOptions{}).Root()
	content := root.At("/input_history/0/content").Text()
	if !strings.Contains(content, `1. {"role": "assistant"`) {
		t.Errorf("got %d bytes, which begin %.100q", len(content), content)
	}
}

func TestUnnestKeepsStringHistory(t *testing.T) {
	text := data(`"Hi"`, "", "")
	if got := string(unnest(t, text, NestOptions{}).Raw().Bytes); got != text {
		t.Errorf("got %s", got)
	}
}

// FuzzRecords checks that any text can be read as the lines of a summary, and that the items are the
// same after they are nested and read again.
func FuzzRecords(f *testing.F) {
	for _, seed := range []string{
		"1. user: Hi\n2. {\"a\": 1}\n3. x: {\"b\":2}", "user", "1.", "12345", "1. user (a: b): c", "1. (x): y", "\n\n", "1. : {",
		"1. {\"role\": \"assistant\", \"content\": \"" + preamble + "\\n" + DefaultStart + "\\n" + DefaultEnd + "\"}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		lines = strings.ToValidUTF8(lines, "?")
		nested := nest(t, summaryOf(preamble+"\n"+DefaultStart+"\n"+lines+"\n"+DefaultEnd), NestOptions{})
		if size, limit := len(nested.Raw().Bytes), 1000+40*len(lines); size > limit {
			t.Errorf("%d bytes of lines made %d", len(lines), size)
		}
		items := unnest(t, string(nested.Raw().Bytes), NestOptions{})
		for _, item := range items.Root().Get("input_history").Elements() {
			if _, _, ok := newMarkers(jsonstream.Value{}, "", "").lines(item); ok {
				t.Errorf("a summary is left: %s", item.Raw())
			}
		}
	})
}

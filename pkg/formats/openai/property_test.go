package openai

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// hostile are pieces of text that look like something else.
var hostile = rapid.SampledFrom([]string{
	"", " ", "\t", "a", "word", "é", "😀", "\u2028", "\u0085", "\u00a0", "\v", "\x00", "\x1c", "\\", `"`, "/", "1", "2. ", "2. user: x", "10.", ".",
	":", ": ", " (", "(", ")", "):", "user", "assistant", "user: ", "critic", "function_call: {}", `{"a": 1}`, "{", "}", `{"type": "x"}`,
	"\n", "\r", "\r\n", "\n3. user: y", preamble, olderPreamble, DefaultStart, DefaultEnd, noItems,
	preamble + "\n" + DefaultStart + "\n1. user: a\n" + DefaultEnd, "<S>", "</S>",
})

var text = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(hostile, 0, 4).Draw(t, "pieces"), "")
})

func quoted(s string) string { return string(appendQuoted(nil, s)) }

var anyJSON = rapid.Custom(func(t *rapid.T) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"null", "true", "1", "1.50", "1e400", "9007199254740993", "[]", "{}", `[{"text": "a\nb"}, 1]`, `{"provider_data": 1}`}),
		rapid.Map(text, quoted),
	).Draw(t, "JSON")
})

// message generates messages, and lets a test choose the roles and names.
func message(role, name *rapid.Generator[string]) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		members := []string{`"role":` + quoted(role.Draw(t, "role"))}
		if rapid.Bool().Draw(t, "named") {
			members = append(members, `"name":`+quoted(name.Draw(t, "name")))
		}
		if rapid.IntRange(0, 9).Draw(t, "with content") > 0 {
			members = append(members, `"content":`+anyJSON.Draw(t, "content"))
		}
		for _, other := range []string{"id", "type", "provider_data"} {
			if rapid.IntRange(0, 4).Draw(t, other) == 0 {
				members = append(members, fmt.Sprintf("%q:%s", other, anyJSON.Draw(t, other)))
			}
		}
		return "{" + strings.Join(rapid.Permutation(members).Draw(t, "members"), ", ") + "}"
	})
}

// work generates items that are not messages.
var work = rapid.Custom(func(t *rapid.T) string {
	kind := rapid.SampledFrom([]string{"function_call", "function_call_output", "reasoning", "program", "web_search_call", "x"}).Draw(t, "type")
	members := []string{`"type":` + quoted(kind)}
	for _, other := range []string{"call_id", "output", "content", "caller", "provider_data", "\x00 é"} {
		if rapid.Bool().Draw(t, other) {
			members = append(members, quoted(other)+":"+anyJSON.Draw(t, other))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
})

var apiMessage = message(rapid.SampledFrom(pythonSpelling.roles), text.Filter(func(name string) bool {
	return !strings.Contains(name, "):") && !recordStart.MatchString(name)
}))

var anyMessage = message(text, text)

// documents generates HandoffInputData of such items.
func documents(item *rapid.Generator[string]) *rapid.Generator[string] {
	list := rapid.Map(rapid.SliceOfN(item, 0, 5), func(items []string) string { return strings.Join(items, ",") })
	return rapid.Custom(func(t *rapid.T) string {
		inputs := rapid.SampledFrom([]string{"", `,"input_items":null`, `,"input_items":[]`}).Draw(t, "input_items")
		past := rapid.OneOf(rapid.Map(list, func(s string) string { return "[" + s + "]" }), rapid.Map(text, quoted)).Draw(t, "history")
		return strings.TrimSuffix(data(past, list.Draw(t, "pre"), list.Draw(t, "new")), "}") + inputs + `,"a":1.0}`
	})
}

func options(t *rapid.T) NestOptions {
	o := rapid.SampledFrom([]NestOptions{{}, {Start: "<S>", End: "</S>"}, {Start: "\n", End: "1. user: x"}, {Start: "{", End: "}"}}).Draw(t, "options")
	o.Early = rapid.Bool().Draw(t, "early")
	return o
}

// carried returns the parts of an item that are kept according to the package documentation.
func carried(item jsonstream.Value) string {
	content := item.Get("content")
	oneLine := content.Kind() == jsonstream.String && !strings.ContainsAny(content.Text(), "\r\n") ||
		content.Kind() == jsonstream.Null || content.Kind() == jsonstream.Absent
	if item.Get("role").Kind() == jsonstream.String && oneLine {
		return string(pythonSpelling.appendMessage(nil, item.Get("role").Text(), item.Get("name").Text(), strings.TrimSpace(content.Text())))
	}
	var members []string
	for name, v := range item.Members() {
		if name != "provider_data" {
			members = append(members, quoted(name)+":"+plain(v))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// plain returns a value as compact JSON with its strings in one form of escaping.
func plain(v jsonstream.Value) string {
	var parts []string
	switch v.Kind() {
	case jsonstream.String:
		return quoted(v.Text())
	case jsonstream.Array:
		for _, element := range v.Elements() {
			parts = append(parts, plain(element))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case jsonstream.Object:
		for name, member := range v.Members() {
			parts = append(parts, quoted(name)+":"+plain(member))
		}
		return "{" + strings.Join(parts, ",") + "}"
	default:
		return string(v.Raw())
	}
}

// expected returns the result of Unnest for the input of Nest: forwarded items unchanged, and the
// others with the data that a summary line keeps.
func expected(doc *jsonstream.Document, o NestOptions) []string {
	var want []string
	if past := doc.Root().Get("input_history"); past.Kind() == jsonstream.String {
		said := carried(mustParse(pythonSpelling.appendMessage(nil, "user", "", past.Text())))
		if strings.ContainsAny(past.Text(), "\r\n") { // JSON shows the SDK's order of the message
			said = `{"content":` + quoted(past.Text()) + `,"role":"user"}`
		}
		want = append(want, said)
	}
	for _, name := range []string{"input_history", "pre_handoff_items", "new_items"} {
		for _, item := range doc.Root().Get(name).Elements() {
			newMarkers(jsonstream.Value{}, o.Start, o.End).flatten(item, func(listed jsonstream.Value) bool {
				if name == "input_history" || o.Early || !forwards(name, item) {
					want = append(want, carried(listed))
				} else {
					want = append(want, plain(listed))
				}
				return true
			})
		}
	}
	return want
}

// forwards is another implementation of the SDK's rule.
func forwards(list string, item jsonstream.Value) bool {
	role, kind := item.Get("role").Text(), item.Get("type").Text()
	summarised := slices.Contains([]string{"function_call", "function_call_output", "reasoning"}, kind)
	switch {
	case kind == "program", kind == "program_output", item.Get("caller").Get("type").Text() == "program":
		return false
	case list == "pre_handoff_items":
		return role != "assistant" && !summarised
	default:
		return role != "" || !summarised
	}
}

// TestUnnestGivesBackItems checks that Unnest restores every item of the input of Nest.
func TestUnnestGivesBackItems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := options(t)
		doc := rapidParse(t, documents(rapid.OneOf(apiMessage, work)).Draw(t, "data"))
		back := rapidParse(t, must(t, Unnest, must(t, Nest, string(doc.Raw().Bytes), o), o))
		var got []string
		for _, item := range back.Root().Get("input_history").Elements() {
			got = append(got, plain(item))
		}
		if diff := cmp.Diff(expected(doc, o), got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestExceptions checks that the exceptions in the package documentation are complete, for messages with
// any role and name.
func TestExceptions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := rapidParse(t, data("["+anyMessage.Draw(t, "message")+"]", "", ""))
		item := doc.Root().At("/input_history/0")
		if !newMarkers(jsonstream.Value{}, "", "").isOneLine(item) || isException(item) {
			return
		}
		back := rapidParse(t, must(t, Unnest, must(t, Nest, string(doc.Raw().Bytes), NestOptions{}), NestOptions{}))
		if got := plain(back.Root().Get("input_history")); got != "["+carried(item)+"]" {
			t.Fatalf("got %s, want %s", got, carried(item))
		}
	})
	for _, item := range []string{
		`{"role":"a:b","content":"x"}`, `{"role":"us\n1. er","content":"x"}`, `{"role":" user","content":"x"}`,
		`{"role":"a (b)","content":"x"}`, `{"role":"{\"a\"","content":"1}"}`, `{"role":"","name":"a","content":"x"}`,
		`{"role":"critic","content":"{\"a\":1}"}`, `{"role":"user","name":"a):b","content":"x"}`, `{"role":"user","name":"a\n1. b","content":"x"}`,
	} {
		value := parse(t, item).Root()
		back := unnest(t, string(nest(t, data("["+item+"]", "", ""), NestOptions{}).Raw().Bytes), NestOptions{})
		if got := plain(back.Root().Get("input_history")); !isException(value) || got == "["+carried(value)+"]" {
			t.Errorf("%s: got %s back, exception: %v", item, got, isException(value))
		}
	}
}

var recordStart = regexp.MustCompile(`\n[0-9]+\.`)

// isException implements the list of exceptions in the package documentation.
func isException(item jsonstream.Value) bool {
	role, name := item.Get("role").Text(), item.Get("name").Text()
	_, isObject := parseObject(strings.TrimSpace(item.Get("content").Text()))
	return strings.Contains(role, ":") || strings.Contains(role, " (") || strings.HasPrefix(role, "{") || recordStart.MatchString(role) ||
		strings.TrimSpace(role) != role ||
		role == "" && name != "" ||
		!slices.Contains(pythonSpelling.roles, role) && name == "" && isObject ||
		strings.Contains(name, "):") || recordStart.MatchString(name)
}

// TestNestTwice checks that nesting twice never puts a summary into a summary, and that nesting a single
// summary changes only white space around contents, and only once.
func TestNestTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := options(t)
		text := documents(rapid.OneOf(apiMessage, anyMessage, work)).Draw(t, "data")
		for range 3 {
			text = must(t, Nest, text, o)
			doc := rapidParse(t, text)
			if p := problemsOf(doc, CheckOptions{Start: o.Start, End: o.End}, "openai/nested-summary"); len(p) > 0 {
				t.Fatalf("%v in %s", p, text)
			}
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		o := options(t)
		text := must(t, Nest, documents(rapid.OneOf(apiMessage, work)).Draw(t, "data"), o)
		root := rapidParse(t, text).Root()
		text = must(t, Nest, data(string(root.Get("input_history").Raw()), "", ""), o)
		text = must(t, Nest, text, o)
		if again := must(t, Nest, text, o); again != text {
			t.Fatal(cmp.Diff(text, again))
		}
	})
}

// TestFiltersProperty checks that filters only remove items, and that Last does not separate a result
// from its call.
func TestFiltersProperty(t *testing.T) {
	filters := rapid.SampledFrom([]Filter{{}, RemoveAllTools(), Last(0), Last(2), Last(5), Last(-1), Roles("user"), Roles(), OnlyMessages()})
	rapid.Check(t, func(t *rapid.T) {
		doc := rapidParse(t, documents(rapid.OneOf(apiMessage, anyMessage, work)).Draw(t, "data"))
		chosen := rapid.SliceOfN(filters, 0, 3).Draw(t, "filters")
		whole, err := Apply(nil, doc.Root(), chosen...)
		if err != nil {
			t.Fatal(err)
		}
		step := doc
		for _, f := range chosen {
			text, err := Apply(nil, step.Root(), f)
			if err != nil {
				t.Fatal(err)
			}
			step = rapidParse(t, string(text))
		}
		if got := string(jsonstream.AppendCompact(nil, step.Raw().Bytes)); got != string(whole) && len(chosen) > 0 {
			t.Fatalf("one by one %s, at once %s", got, whole)
		}
		for _, name := range pythonSpelling.lists {
			if before, after := doc.Root().Get(name), rapidParse(t, string(whole)).Root().Get(name); !isSubsequence(before, after) {
				t.Fatalf("%s: %s of %s", name, after.Raw(), before.Raw())
			}
		}
	})
}

func isSubsequence(whole, part jsonstream.Value) bool {
	var items []jsonstream.Value
	for _, item := range whole.Elements() {
		items = append(items, item)
	}
	for _, item := range part.Elements() {
		at := slices.IndexFunc(items, func(other jsonstream.Value) bool { return equal.Values(item, other) })
		if at < 0 {
			return false
		}
		items = items[at+1:]
	}
	return true
}

func must(t *rapid.T, run func([]byte, jsonstream.Value, NestOptions) ([]byte, error), text string, o NestOptions) string {
	out, err := run(nil, rapidParse(t, text).Root(), o)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func rapidParse(t *rapid.T, text string) *jsonstream.Document {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return doc
}

func problemsOf(doc *jsonstream.Document, o CheckOptions, rule string) []finding.Finding {
	return slices.DeleteFunc(Check(doc, o), func(f finding.Finding) bool { return f.Rule != rule })
}

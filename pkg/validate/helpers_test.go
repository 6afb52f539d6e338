package validate

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/schemas"
)

// parseMessage reads a message that must be strict JSON.
func parseMessage(t testing.TB, text string) *message.Message {
	t.Helper()
	m, err := parseExample(text)
	if err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	return m
}

// exampleText is the published example message, indented.
func exampleText(t testing.TB) string {
	t.Helper()
	text, err := schemas.Example("message")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// with returns the example message with the value at pointer replaced or added.
func with(t testing.TB, pointer, value string) *message.Message {
	t.Helper()
	m, err := parseMessage(t, exampleText(t)).Set(pointer, []byte(value))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// check validates with a clock that is a day after the example.
func check(t testing.TB, m *message.Message, o Options) Result {
	t.Helper()
	o.Now = func() time.Time { return time.Date(2026, 6, 13, 0, 0, 0, 0, time.UTC) }
	r, err := New(o).Validate(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// errorsIn are the findings that make a message invalid.
func errorsIn(r Result) []finding.Finding {
	var list []finding.Finding
	for _, f := range r.Findings {
		if f.Severity == finding.Error {
			list = append(list, f)
		}
	}
	return list
}

func compile(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := CompileSchema("file:///schema.json", []byte(text), nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// edited changes the parent of the value at a pointer of an indented text, and indents the
// result by two spaces a level. It does not use jsonstream.
func edited(t testing.TB, text, pointer string, change func(parent map[string]any, name string)) string {
	t.Helper()
	var root any
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	tokens := strings.Split(pointer, "/")[1:]
	at := root
	for _, token := range tokens[:len(tokens)-1] {
		switch v := at.(type) {
		case map[string]any:
			at = v[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(v) {
				t.Fatalf("%s: no element %s", pointer, token)
			}
			at = v[i]
		}
	}
	parent, ok := at.(map[string]any)
	if !ok {
		t.Fatalf("%s: its parent is not an object", pointer)
	}
	change(parent, tokens[len(tokens)-1])
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// lineOf finds the line on which a value begins, only by the indentation of two spaces a level.
func lineOf(t testing.TB, text, pointer string) int {
	t.Helper()
	lines := strings.Split(text, "\n")
	line := 0
	for depth, token := range strings.Split(pointer, "/")[1:] {
		indent := strings.Repeat("  ", depth+1)
		index := 0
		for line++; ; line++ {
			rest, inside := strings.CutPrefix(lines[line], indent)
			if !inside {
				t.Fatalf("%s is not in the text", pointer)
			}
			if strings.IndexByte(" }]", rest[0]) >= 0 {
				continue // deeper, or the end of something deeper
			}
			if strings.HasPrefix(rest, strconv.Quote(token)+":") || strconv.Itoa(index) == token {
				break
			}
			index++
		}
	}
	return line + 1
}

func TestLineOf(t *testing.T) {
	const text = "{\n  \"a\": [\n    {\n      \"b\": 1,\n      \"c\": 2\n    },\n    {\n      \"c\": 3\n    }\n  ],\n  \"d\": {}\n}"
	for pointer, want := range map[string]int{"": 1, "/a": 2, "/a/0": 3, "/a/0/c": 5, "/a/1": 7, "/a/1/c": 8, "/d": 11} {
		if got := lineOf(t, text, pointer); got != want {
			t.Errorf("%s: got line %d, want %d", pointer, got, want)
		}
	}
}

// deep nests text n levels deep in arrays.
func deep(n int, text string) string {
	return strings.Repeat("[", n) + text + strings.Repeat("]", n)
}

// ruleName returns the name of a finding's rule without the layer.
func ruleName(f finding.Finding) string { return finding.Rule{ID: f.Rule}.Name() }

package patch

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func reverse(t testing.TB, result, patch string) (string, error) {
	t.Helper()
	p, err := Parse(parse(t, patch), Auto)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := p.Reverse(parse(t, result), jsonstream.Limits{})
	if err != nil {
		return "", err
	}
	return string(doc.Raw().Bytes), nil
}

func TestReverse(t *testing.T) {
	tests := []struct{ name, result, patch, want string }{
		{"add", `{"a":1,"b":2}`, `[{"op":"add","path":"/b","value":2}]`, `{"a":1}`},
		{"add over a member", `{"a":2}`, `[{"op":"test","path":"/a","value":1},{"op":"add","path":"/a","value":2}]`, `{"a":1}`},
		{"add before an element", `[0,1]`, `[{"op":"test","path":"/0","value":1},{"op":"add","path":"/0","value":0}]`, `[1]`},
		{"add at the end", `[1,2]`, `[{"op":"add","path":"/-","value":2}]`, `[1]`},
		{"remove", `{"b":2}`, `[{"op":"test","path":"/a","value":1.0},{"op":"remove","path":"/a"}]`, `{"b":2,"a":1.0}`},
		{"remove an element", `[1,3]`, `[{"op":"test","path":"/1","value":2},{"op":"remove","path":"/1"}]`, `[1,2,3]`},
		{"replace", `{"a":2}`, `[{"op":"test","path":"/a","value":1},{"op":"replace","path":"/a","value":2}]`, `{"a":1}`},
		{"replace the root", `2`, `[{"op":"test","path":"","value":[1]},{"op":"replace","path":"","value":2}]`, `[1]`},
		{"move an element", `[2,3,1]`, `[{"op":"move","from":"/0","path":"/2"}]`, `[1,2,3]`},
		{"move to the end", `{"a":[1,2]}`, `[{"op":"move","from":"/b","path":"/a/-"}]`, `{"a":[1],"b":2}`},
		{"move over a member", `{"b":1}`, `[{"op":"test","path":"/b","value":2},{"op":"move","from":"/a","path":"/b"}]`, `{"b":2,"a":1}`},
		{"move over the holder", `{"a":1}`, `[{"op":"test","path":"/a","value":{"b":1}},{"op":"move","from":"/a/b","path":"/a"}]`, `{"a":{"b":1}}`},
		{"move before the holder", `[1,{}]`, `[{"op":"test","path":"/0","value":{"a":1}},{"op":"move","from":"/0/a","path":"/0"}]`, `[{"a":1}]`},
		{"move to where it is", `{"a":1}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":1}`},
		{"copy", `{"a":1,"b":1}`, `[{"op":"copy","from":"/a","path":"/b"}]`, `{"a":1}`},
		{"several", `{"x":{"y":3},"l":[2,9]}`,
			`[{"op":"add","path":"/x/y","value":3},{"op":"add","path":"/l/-","value":9},{"op":"test","path":"/l/0","value":1},{"op":"remove","path":"/l/0"}]`,
			`{"x":{},"l":[1,2]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := reverse(t, tt.result, tt.patch); got != tt.want || err != nil {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestReverseErrors(t *testing.T) {
	const unknown = "cannot be undone: the patch does not contain the old values"
	tests := []struct {
		name, result, patch, want string
		is                        error
	}{
		{name: "remove", result: `{}`, patch: `[{"op":"remove","path":"/a"}]`, want: "operation 1 (remove /a): " + unknown, is: ErrIrreversible},
		{name: "replace, tested elsewhere", result: `{"a":1}`, patch: `[{"op":"test","path":"","value":1},{"op":"replace","path":"/a","value":1}]`,
			want: "operation 2 (replace /a): " + unknown, is: ErrIrreversible},
		{name: "replace, tested earlier", result: `{"a":1}`,
			patch: `[{"op":"test","path":"/a","value":1},{"op":"add","path":"/b","value":1},{"op":"replace","path":"/a","value":1}]`,
			want:  "operation 3 (replace /a): " + unknown, is: ErrIrreversible},
		{name: "a new root", result: `{}`, patch: `[{"op":"add","path":"","value":{}}]`, want: "operation 1 (add): " + unknown, is: ErrIrreversible},
		{name: "merge patch", result: `{"a":1}`, patch: `{"a":1}`, want: "a merge patch " + unknown, is: ErrIrreversible},
		{name: "not the result", result: `{"a":2}`, patch: `[{"op":"add","path":"/a","value":1}]`, want: ErrNotResult.Error(), is: ErrNotResult},
		{name: "a test that fails", result: `{"a":2}`, patch: `[{"op":"test","path":"/a","value":1}]`,
			want: "operation 1 (test /a): cannot be undone: the value is 2, not 1"},
		{name: "nothing to remove", result: `{}`, patch: `[{"op":"add","path":"/a","value":1}]`,
			want: "operation 1 (add /a): cannot be undone: the member does not exist"},
		{name: "no last element", result: `[]`, patch: `[{"op":"add","path":"/-","value":1}]`,
			want: "operation 1 (add /-): cannot be undone: - is the place after the last element, where no value is"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := reverse(t, tt.result, tt.patch)
			if err == nil || err.Error() != tt.want || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

// names are names with special characters of pointers.
var names = []string{"", "a", "b", "~", "/", "-", "0", "~1", "é"}

// randomJSON returns a value with the given maximum depth.
func randomJSON(t *rapid.T, depth int) string {
	kinds := 6
	if depth > 0 {
		kinds = 10
	}
	switch kind := rapid.IntRange(0, kinds-1).Draw(t, "kind"); {
	case kind < 6:
		return []string{"null", "true", "false", "1", "1.0", `"x"`}[kind]
	case kind < 8:
		var elements []string
		for range rapid.IntRange(0, 4).Draw(t, "elements") {
			elements = append(elements, randomJSON(t, depth-1))
		}
		return "[" + strings.Join(elements, ",") + "]"
	default:
		var members []string
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 4, rapid.ID).Draw(t, "names") {
			members = append(members, fmt.Sprintf("%q:%s", name, randomJSON(t, depth-1)))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
}

// randomOperation returns an operation that the document allows, with a test that makes it
// invertible.
func randomOperation(t *rapid.T, doc *jsonstream.Document) string {
	var values []jsonstream.Value
	for v := range doc.Root().All() {
		values = append(values, v)
	}
	place := rapid.SampledFrom(values)
	target := place.Draw(t, "target")
	path := target.Pointer()
	test := fmt.Sprintf(`{"op":"test","path":%q,"value":%s},`, path, target.Raw())
	switch op := rapid.SampledFrom([]string{"add", "remove", "replace", "move", "copy"}).Draw(t, "op"); {
	case op == "replace" || op == "remove" && path == "":
		return test + fmt.Sprintf(`{"op":"replace","path":%q,"value":%s}`, path, randomJSON(t, 1))
	case op == "remove":
		return test + fmt.Sprintf(`{"op":"remove","path":%q}`, path)
	case op == "add" && target.Kind() == jsonstream.Array:
		return fmt.Sprintf(`{"op":"add","path":%q,"value":%s}`, path+"/-", randomJSON(t, 1))
	case op == "add":
		return test + fmt.Sprintf(`{"op":"add","path":%q,"value":%s}`, path, randomJSON(t, 1))
	default:
		from := place.Draw(t, "from").Pointer()
		sibling := strings.Contains(path, "/") && strings.HasPrefix(path, from[:strings.LastIndex(from, "/")+1])
		if op == "move" && (strings.HasPrefix(path, from+"/") || sibling) {
			return `{"op":"test","path":"","value":` + string(doc.Root().Raw()) + `}` // the path may refer to another value after from is removed
		}
		return test + fmt.Sprintf(`{"op":%q,"from":%q,"path":%q}`, op, from, path)
	}
}

// A patch with tests can be undone.
func TestReverseProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := randomJSON(t, 3)
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(before)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var operations []string
		now := doc
		for range rapid.IntRange(0, 6).Draw(t, "operations") {
			step := randomOperation(t, now)
			next, err := mustParse(t, "["+step+"]").Apply(now, jsonstream.Limits{})
			if err != nil {
				t.Fatalf("%s on %s: %v", step, now.Root().Raw(), err)
			}
			now = next
			operations = append(operations, step)
		}
		p := mustParse(t, "["+strings.Join(operations, ",")+"]")
		result, err := p.Apply(doc, jsonstream.Limits{})
		if err != nil || !equal.Values(result.Root(), now.Root()) {
			t.Fatalf("%s on %s: all at once %v, one by one %s", operations, before, err, now.Root().Raw())
		}
		back, err := p.Reverse(result, jsonstream.Limits{})
		if err != nil {
			t.Fatalf("%s from %s to %s: %v", operations, before, result.Root().Raw(), err)
		}
		if !equal.Values(back.Root(), doc.Root()) {
			t.Fatalf("%s from %s to %s and back: %s", operations, before, result.Root().Raw(), back.Root().Raw())
		}
	})
}

func mustParse(t *rapid.T, text string) *Patch {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse(doc, JSON)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

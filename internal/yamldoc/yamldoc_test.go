package yamldoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct{ name, text, want, problem string }{
		{name: "YAML", text: "a: [1, x]\nb: {c: true}\n", want: `{"a":[1,"x"],"b":{"c":true}}`},
		{name: "JSON keeps its numbers", text: `{"a": 1.50}`, want: `{"a": 1.50}`},
		{name: "nothing", text: "", want: "null"},
		{name: "aliases", text: "a: &x [1]\nb: *x\n", want: `{"a":[1],"b":[1]}`},
		{name: "merged", text: "a: &x {b: 1}\nc: {<<: *x, d: 2}\n", want: `{"a":{"b":1},"c":{"d":2,"b":1}}`},
		{name: "the same key twice", text: "a: 1\na: 2\n", problem: `line 2: mapping key "a" already defined at line 1`},
		{name: "no YAML", text: "a: [1\n", problem: "not YAML: line 1"},
		{name: "two documents", text: "a: 1\n---\nb: 2\n", problem: "another one begins"},
		{name: "an alias within itself", text: "a: &x [*x]\n", problem: "more than 100000 values"},
		{name: "aliases of aliases", text: bomb(30), problem: "more than 100000 values"},
		{name: "many keys", text: keys(MaxKeys + 1), problem: "line 1: a mapping of more than 1000 keys"},
		{name: "many values", text: "[" + strings.Repeat("1,", MaxNodes) + "]", problem: "more than 100000 values"},
		{name: "long", text: strings.Repeat("#", MaxBytes+1), problem: "longer than 1048576 bytes"},
		{name: "long JSON", text: `"` + strings.Repeat("x", MaxBytes) + `"`, problem: "longer than 1048576 bytes"},
		{name: "deep", text: strings.Repeat("[", 20_000), problem: "not YAML: exceeded max depth"},
		{name: "a key that is a number", text: "1: a\n", problem: "not YAML that JSON can represent: line 1: a key is not a string: write it in quotes"},
		{name: "a key in quotes", text: "'1': a\n", want: `{"1":"a"}`},
		{name: "the order of keys", text: "b: 1\na: 2\n", want: `{"b":1,"a":2}`},
		{name: "merged from several", text: "- &x {a: 1, b: 1}\n- &y {b: 2, <<: {c: 3}}\n- {<<: [*x, *y]}\n", want: `[{"a":1,"b":1},{"b":2,"c":3},{"a":1,"b":1,"c":3}]`},
		{name: "merged is no mapping", text: "<<: a\n", problem: "line 1: a merge key (<<) needs a mapping"},
		{name: "a long text again and again", text: "a: &x " + strings.Repeat("x", 500_000) + "\nb: [" + strings.Repeat("*x,", 100) + "]\n", problem: "more than 8388608 bytes, with aliases expanded"},
		{name: "no number", text: "a: .nan\n", problem: "not YAML that JSON can represent: line 1: unsupported value: NaN"},
		{name: "keys that are no names", text: "{1: a, [2]: b}", problem: "1:2: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := Parse([]byte(tt.text))
			if tt.problem != "" {
				problem := fmt.Sprint(err)
				if e := (*jsonstream.SyntaxError)(nil); errors.As(err, &e) {
					problem = fmt.Sprintf("%d:%d: %v", e.Line, e.Column, err)
				}
				if !strings.Contains(problem, tt.problem) {
					t.Fatalf("got error %q, want %q", problem, tt.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := string(doc.Raw().Bytes); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	if _, err := Parse([]byte(keys(MaxKeys))); err != nil {
		t.Errorf("as many keys as a mapping may have: %v", err)
	}
}

// keys returns a mapping of n keys.
func keys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	return b.String()
}

// bomb returns a document whose size doubles n times when its aliases are expanded.
func bomb(n int) string {
	b := strings.Builder{}
	b.WriteString("a0: &a0 [x, x]\n")
	for i := range n {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	return b.String()
}

func TestInText(t *testing.T) {
	for _, tt := range []struct{ name, text, pointer, want string }{
		{"a value", "a: 1\nbé: [x, yy]\n", "/bé/1", "2:9"},
		{"the root", "# comment\na: 1\n", "", "2:1"},
		{"within an alias", "a: &x\n  b: 1\nc: *x\n", "/c/b", "2:6"},
		{"an alias", "a: &x\n  b: 1\nc: *x\n", "/c", "3:4"},
		{"merged", "a: &x\n  b: 1\nc: {<<: *x}\n", "/c/b", "2:6"},
		{"JSON", "{\"a\":\n 1}", "/a", "2:2"},
		{"ends of lines", "a: 1\r\nb: 2\rc: 3\u2028d: 4\n", "/d", "4:4"},
		{"after a byte order mark", "\ufeffa:\n  1\n", "/a", "2:3"},
		{"nothing", "", "", "1:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := ParsePlaced([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			v := doc.Root().At(tt.pointer)
			at := doc.InText(v.Position())
			if got := fmt.Sprintf("%d:%d", at.Line, at.Column); got != tt.want {
				t.Errorf("%s is at %s, want %s", tt.pointer, got, tt.want)
			}
			if text := tt.text[at.Offset:]; v.Kind() == jsonstream.Number && !strings.HasPrefix(text, string(v.Raw())) {
				t.Errorf("%s is at offset %d, where there is %q", tt.pointer, at.Offset, text)
			}
		})
	}
}

// FuzzParse checks that every text is read, or rejected with an error, that Decode reads the
// translation, and that every value has a place in the text.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a: [1, x]\n", `{"a": 1.50}`, bomb(3), "a: &x [*x]", "a: |\n  b\n", "? [a]\n: b", "<<: *a", "a: !!binary aGk=", "2001-01-01"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := ParsePlaced(text)
		if (doc == nil) == (err == nil) {
			t.Fatalf("document %v and error %v", doc, err)
		}
		if err != nil {
			return
		}
		for v := range doc.Root().All() {
			if at := doc.InText(v.Position()); at.Line < 1 || at.Column < 1 || at.Offset < 0 || at.Offset > int64(len(text)) {
				t.Fatalf("%s is at %+v", v.Pointer(), at)
			}
		}
		if doc.places == nil {
			return
		}
		decoded, err := Decode(text)
		want, unfit := json.Marshal(decoded)
		if err != nil || unfit != nil {
			return // Decode compares names that it then drops
		}
		if !sameJSON(doc.Raw().Bytes, want) {
			t.Fatalf("translated to %s, decoded as %s", doc.Raw().Bytes, want)
		}
	})
}

// sameJSON reports whether two texts have the same values, with numbers as doubles.
func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

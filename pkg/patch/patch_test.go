package patch

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func parse(t testing.TB, text string) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return doc
}

// apply returns the text of a patched document.
func apply(t testing.TB, doc, patch string, kind Type) (string, error) {
	t.Helper()
	p, err := Parse(parse(t, patch), kind)
	if err != nil {
		return "", err
	}
	result, err := p.Apply(parse(t, doc), jsonstream.Limits{})
	if err != nil {
		return "", err
	}
	return string(result.Raw().Bytes), nil
}

func TestJSONPatch(t *testing.T) {
	tests := []struct{ name, doc, patch, want string }{
		{"A.1 adding a member", `{"foo":"bar"}`, `[{"op":"add","path":"/baz","value":"qux"}]`, `{"foo":"bar","baz":"qux"}`},
		{"A.2 adding an element", `{"foo":["bar","baz"]}`, `[{"op":"add","path":"/foo/1","value":"qux"}]`, `{"foo":["bar","qux","baz"]}`},
		{"A.3 removing a member", `{"baz":"qux","foo":"bar"}`, `[{"op":"remove","path":"/baz"}]`, `{"foo":"bar"}`},
		{"A.4 removing an element", `{"foo":["bar","qux","baz"]}`, `[{"op":"remove","path":"/foo/1"}]`, `{"foo":["bar","baz"]}`},
		{"A.5 replacing", `{"baz":"qux","foo":"bar"}`, `[{"op":"replace","path":"/baz","value":"boo"}]`, `{"baz":"boo","foo":"bar"}`},
		{"A.6 moving a member", `{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}`,
			`[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]`, `{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}`},
		{"A.7 moving an element", `{"foo":["all","grass","cows","eat"]}`, `[{"op":"move","from":"/foo/1","path":"/foo/3"}]`, `{"foo":["all","cows","eat","grass"]}`},
		{"A.8 testing", `{"baz":"qux","foo":["a",2,"c"]}`,
			`[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]`, `{"baz":"qux","foo":["a",2,"c"]}`},
		{"A.10 adding a nested member", `{"foo":"bar"}`, `[{"op":"add","path":"/child","value":{"grandchild":{}}}]`, `{"foo":"bar","child":{"grandchild":{}}}`},
		{"A.11 unknown members are ignored", `{"foo":"bar"}`, `[{"op":"add","path":"/baz","value":"qux","xyz":123}]`, `{"foo":"bar","baz":"qux"}`},
		{"A.14 escapes", `{"/":9,"~1":10}`, `[{"op":"test","path":"/~01","value":10}]`, `{"/":9,"~1":10}`},
		{"A.16 an array as a value", `{"foo":["bar"]}`, `[{"op":"add","path":"/foo/-","value":["abc","def"]}]`, `{"foo":["bar",["abc","def"]]}`},

		{"4.1 add replaces a member in its place", `{"a":1,"b":2}`, `[{"op":"add","path":"/a","value":3}]`, `{"a":3,"b":2}`},
		{"4.1 add at the end", `[1]`, `[{"op":"add","path":"/1","value":2}]`, `[1,2]`},
		{"4.1 add replaces the root", `[1]`, `[{"op":"add","path":"","value":2}]`, `2`},
		{"4.3 replace the root", `[1]`, `[{"op":"replace","path":"","value":null}]`, `null`},
		{"4.4 move to where it is", `{"a":1,"b":2}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":1,"b":2}`},
		{"4.4 move the root to itself", `5`, `[{"op":"move","from":"","path":""}]`, `5`},
		{"4.4 move over the holder", `{"a":{"b":1}}`, `[{"op":"move","from":"/a/b","path":"/a"}]`, `{"a":1}`},
		{"4.5 copies are apart", `{"a":{"x":[1]}}`,
			`[{"op":"add","path":"/a/x/0","value":0},{"op":"copy","from":"/a","path":"/b"},{"op":"remove","path":"/a/x/1"},{"op":"add","path":"/b/y","value":2}]`,
			`{"a":{"x":[0]},"b":{"x":[0,1],"y":2}}`},
		{"4.5 copy into itself", `{"a":1}`, `[{"op":"copy","from":"","path":"/b"},{"op":"remove","path":"/a"}]`, `{"b":{"a":1}}`},
		{"4.6 numbers by value", `{"a":1.0}`, `[{"op":"test","path":"/a","value":10e-1}]`, `{"a":1.0}`},
		{"4.6 objects in any order, after a change", `{"a":{"b":[1],"c":2}}`,
			`[{"op":"add","path":"/a/b/-","value":3},{"op":"test","path":"/a","value":{"c":2,"b":[1,3]}}]`, `{"a":{"b":[1,3],"c":2}}`},
		{"null in an array (D5)", `{"a":[null]}`, `[{"op":"test","path":"/a","value":[null]}]`, `{"a":[null]}`},

		{"empty name", `{"":{"":1}}`, `[{"op":"replace","path":"//","value":2}]`, `{"":{"":2}}`},
		{"names like indices", `{"0":1,"-":2,"01":3}`, `[{"op":"remove","path":"/01"},{"op":"remove","path":"/-"}]`, `{"0":1}`},
		{"no operations", ` {"a": 1.0} `, `[]`, ` {"a": 1.0} `},
		{"what is not named keeps its text", `{"\u0061\/" : 1e400, "b" : [9007199254740993, "\u00e9"], "c":{"x" :0.10}}`,
			`[{"op":"add","path":"/c/\u0079","value":2}]`, `{"\u0061\/" : 1e400, "b" : [9007199254740993, "\u00e9"], "c":{"x" :0.10,"y":2}}`},
		{"a member added again stands last", `{"a":1,"b":2}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":1}]`, `{"b":2,"a":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := apply(t, tt.doc, tt.patch, Auto); got != tt.want || err != nil {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestJSONPatchErrors(t *testing.T) {
	tests := []struct{ name, doc, patch, want string }{
		{"A.9 test", `{"baz":"qux"}`, `[{"op":"test","path":"/baz","value":"bar"}]`,
			`operation 1 (test /baz): the value is "qux", not "bar"`},
		{"A.12 no holder", `{"foo":"bar"}`, `[{"op":"add","path":"/baz/bat","value":"qux"}]`,
			`operation 1 (add /baz/bat): at /baz: the member does not exist`},
		{"A.15 string and number", `{"/":9,"~1":10}`, `[{"op":"test","path":"/~01","value":"10"}]`,
			`operation 1 (test /~01): the value is 10, not "10"`},
		{"second operation", `[1,2,3]`, `[{"op":"remove","path":"/0"},{"op":"remove","path":"/9"}]`,
			`operation 2 (remove /9): the element does not exist: the array has 2 elements`},
		{"behind the last", `[1,2]`, `[{"op":"test","path":"/2","value":1}]`,
			`operation 1 (test /2): the element does not exist: the array has 2 elements`},
		{"behind the end", `{"a":[1]}`, `[{"op":"add","path":"/a/2","value":1}]`,
			`operation 1 (add /a/2): the place does not exist: the array has 1 element`},
		{"leading zero", `[1,2]`, `[{"op":"replace","path":"/01","value":1}]`,
			`operation 1 (replace /01): "01" is not an index of an array: digits, without leading zeros`},
		{"sign", `[1,2]`, `[{"op":"add","path":"/+1","value":1}]`,
			`operation 1 (add /+1): "+1" is not an index of an array: digits, without leading zeros`},
		{"an index of many digits", `[1,2]`, `[{"op":"add","path":"/18446744073709551617","value":1}]`,
			`operation 1 (add /18446744073709551617): the place does not exist: the array has 2 elements`},
		{"nothing behind the last", `[1]`, `[{"op":"remove","path":"/-"}]`,
			`operation 1 (remove /-): - is the place after the last element, where no value is`},
		{"through a scalar", `{"a":5}`, `[{"op":"add","path":"/a/b","value":1}]`,
			`operation 1 (add /a/b): /a is a number, which has no members or elements`},
		{"through a scalar root", `null`, `[{"op":"add","path":"/a","value":1}]`,
			`operation 1 (add /a): the root is null, which has no members or elements`},
		{"remove the root", `1`, `[{"op":"remove","path":""}]`, `operation 1 (remove): the root cannot be removed: replace it`},
		{"from nowhere", `{}`, `[{"op":"move","from":"/a","path":"/b"}]`, `operation 1 (move /b): from /a: the member does not exist`},
		{"difference inside", `{"a":{"b":[1,{"c":5}]}}`, `[{"op":"test","path":"/a","value":{"b":[1,{"c":6}]}}]`,
			`operation 1 (test /a): at /a/b/1/c: the value is 5, not 6`},
		{"other length", `{"a":[1,2,3]}`, `[{"op":"test","path":"/a","value":[1,2]}]`, `operation 1 (test /a): the array has 3 elements, not 2`},
		{"member missing", `{"a":1}`, `[{"op":"test","path":"","value":{"b":1}}]`, `operation 1 (test): at /b: the member does not exist`},
		{"member too many", `{"a":1,"b":2}`, `[{"op":"test","path":"","value":{"b":2}}]`, `operation 1 (test): the object has 2 members, not 1`},
		{"other type", `{"a":[]}`, `[{"op":"test","path":"/a","value":{}}]`, `operation 1 (test /a): the value is an array, not an object`},
		{"credentials are not shown", `{"a":"ghp_` + strings.Repeat("aB3xK9", 6) + `"}`, `[{"op":"test","path":"/a","value":0}]`,
			`operation 1 (test /a): the value is a string of 40 characters that looks like a secret, not 0`},
		{"long values are cut short", `{"a":"` + strings.Repeat("s", 200) + `"}`, `[{"op":"test","path":"/a","value":0}]`,
			`operation 1 (test /a): the value is "` + strings.Repeat("s", 59) + `…", not 0`},
		{"2^53 is not 2^53+1", `9007199254740992`, `[{"op":"test","path":"","value":9007199254740993}]`,
			`operation 1 (test): the value is 9007199254740992, not 9007199254740993`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := apply(t, tt.doc, tt.patch, Auto)
			var failed *OpError
			if !errors.As(err, &failed) || err.Error() != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ name, patch, want string }{
		{"not an array", `{"op":"add"}`, "a JSON Patch is an array of operations: found an object"},
		{"not an object", `[1]`, "operation 1: must be an object: found a number"},
		{"no op (A.13)", `[{"path":"","value":1}]`, `operation 1: needs the member "op"`},
		{"unknown op", `[{"op":"Add","path":""}]`, `operation 1: unknown operation "Add": use add, remove, replace, move, copy or test`},
		{"op of wrong type", `[{"op":1,"path":""}]`, `operation 1: "op" must be a string: found a number`},
		{"no path", "[{\"op\":\"remove\",\"path\":\"/a\"},\n {\"op\":\"remove\"}]", `operation 2: needs the member "path"`},
		{"no value", `[{"op":"add","path":"/a"}]`, `operation 1: add needs the member "value"`},
		{"no from", `[{"op":"copy","path":"/a"}]`, `operation 1: needs the member "from"`},
		{"no slash", `[{"op":"remove","path":"a"}]`, `operation 1: "path" must be a JSON Pointer: found "a"; it begins with / and has ~ as ~0`},
		{"bad escape", `[{"op":"remove","path":"/~2"}]`, `operation 1: "path" must be a JSON Pointer: found "/~2"; it begins with / and has ~ as ~0`},
		{"into itself", `[{"op":"move","from":"/a","path":"/a/b"}]`, `operation 1: a value cannot be moved into itself: from /a to /a/b`},
		{"the root into itself", `[{"op":"move","from":"","path":"/b"}]`, `operation 1: a value cannot be moved into itself: from the root to /b`},
		{"endless pointer", `[{"op":"remove","path":"` + strings.Repeat("/", jsonstream.MaxDepth+1) + `"}]`,
			`operation 1: "path" names a place more than 10000 levels deep`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(parse(t, tt.patch), JSON)
			var malformed *FormatError
			if !errors.As(err, &malformed) || err.Error() != tt.want || malformed.Line == 0 {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	_, err := Parse(parse(t, "[{\"op\":\"remove\",\n  \"path\": \"a\"}]"), Auto)
	if at := (*FormatError)(nil); !errors.As(err, &at) || at.Line != 2 || at.Column != 11 {
		t.Errorf("got the position %+v, want 2:11", at)
	}
}

func TestMergePatch(t *testing.T) {
	tests := []struct{ name, doc, patch, want string }{
		{"section 3", `{"title":"Goodbye!","author":{"givenName":"John","familyName":"Doe"},"tags":["example","sample"],"content":"This will be unchanged"}`,
			`{"title":"Hello!","phoneNumber":"+01-123-456-7890","author":{"familyName":null},"tags":["example"]}`,
			`{"title":"Hello!","author":{"givenName":"John"},"tags":["example"],"content":"This will be unchanged","phoneNumber":"+01-123-456-7890"}`},
		{"A replace", `{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{"A add", `{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{"A remove", `{"a":"b"}`, `{"a":null}`, `{}`},
		{"A remove one of two", `{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{"A an array by a string", `{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{"A a string by an array", `{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{"A nested", `{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{"A an array with objects", `{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{"A root arrays", `["a","b"]`, `["c","d"]`, `["c","d"]`},
		{"A an object by an array", `{"a":"b"}`, `["c"]`, `["c"]`},
		{"A null for all", `{"a":"foo"}`, `null`, `null`},
		{"A a string for all", `{"a":"foo"}`, `"bar"`, `"bar"`},
		{"A null that is there stays", `{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{"A an array by an object", `[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{"A nulls in new objects go", `{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{"nulls in arrays stay", `{}`, `{"a":[null,{"b":null}]}`, `{"a":[null,{"b":null}]}`},
		{"an array that looks like a JSON Patch", `{}`, `[{"op":"remove","path":"/x"}]`, `[{"op":"remove","path":"/x"}]`},
		{"what is not named keeps its text", `{"\u0061":1.0,"b":{"c" : 1e400}}`, `{"a":2.0,"\u0064":1}`, `{"\u0061":2.0,"b":{"c" : 1e400},"\u0064":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := apply(t, tt.doc, tt.patch, Merge); got != tt.want || err != nil {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

// The cases of json-patch/json-patch-tests.
func TestJSONPatchVectors(t *testing.T) {
	for _, name := range []string{"tests.json", "spec_tests.json"} {
		path := filepath.Join("..", "..", "..", "shared", "vectors", "json-patch", name)
		text, err := os.ReadFile(path)
		if err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skipf("no vectors at %s", path)
		}
		var cases []struct {
			Comment              string
			Doc, Patch, Expected json.RawMessage
			Error                string
			Disabled             bool
		}
		if err := json.Unmarshal(text, &cases); err != nil {
			t.Fatal(err)
		}
		done := 0
		for i, c := range cases {
			if c.Patch == nil || isDuplicateName(c.Patch) {
				continue
			}
			done++
			got, err := apply(t, string(c.Doc), string(c.Patch), JSON)
			switch {
			case c.Error != "" && err == nil:
				t.Errorf("%s, case %d (%s): got %s, want an error: %s", name, i, c.Comment, got, c.Error)
			case c.Error == "" && err != nil:
				t.Errorf("%s, case %d (%s): %v", name, i, c.Comment, err)
			case c.Expected != nil && !equal.Values(parse(t, got).Root(), parse(t, string(c.Expected)).Root()):
				t.Errorf("%s, case %d (%s): got %s, want %s", name, i, c.Comment, got, c.Expected)
			}
		}
		if done < 15 {
			t.Errorf("%s: only %d cases", name, done)
		}
	}
}

// isDuplicateName reports whether a patch has two members with the same name, which strict JSON
// does not allow.
func isDuplicateName(patch []byte) bool {
	_, err := jsonstream.Parse(jsonstream.NewRaw(patch), jsonstream.Limits{})
	return errors.Is(err, jsonstream.ErrDuplicateName)
}

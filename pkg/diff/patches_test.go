package diff_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/patch"
)

func TestJSONPatch(t *testing.T) {
	tests := []struct {
		name, a, b string
		options    diff.Options
		invertible bool
		want       string
	}{
		{name: "same", a: `{"a":1}`, b: `{"a":1.0}`, want: `[]`},
		{name: "members", a: `{"a":1,"b":2,"c":3}`, b: `{"a" : [ 1 ],"c":3,"d":{"x": 0.10}}`,
			want: `[{"op":"replace","path":"/a","value":[1]},{"op":"remove","path":"/b"},{"op":"add","path":"/d","value":{"x":0.10}}]`},
		{name: "invertible", a: `{"a":1,"b":2}`, b: `{"a":2}`, invertible: true,
			want: `[{"op":"test","path":"/a","value":1},{"op":"replace","path":"/a","value":2},{"op":"test","path":"/b","value":2},{"op":"remove","path":"/b"}]`},
		{name: "root", a: `1`, b: `{}`, want: `[{"op":"replace","path":"","value":{}}]`},
		{name: "root, invertible", a: `1`, b: `2`, invertible: true,
			want: `[{"op":"test","path":"","value":1},{"op":"replace","path":"","value":2}]`},
		{name: "names", a: `{"":{"~/":1}}`, b: `{"":{"~/":"\n"}}`, want: `[{"op":"replace","path":"//~0~1","value":"\n"}]`},
		{name: "elements", a: `["a","b","c","d","e"]`, b: `["e","x","b","d","y","a"]`,
			want: `[{"op":"remove","path":"/2"},{"op":"move","path":"/0","from":"/3"},{"op":"add","path":"/1","value":"x"},` +
				`{"op":"add","path":"/5","value":"y"},{"op":"move","path":"/5","from":"/2"}]`},
		{name: "elements after ones that are left out", a: `[9,{"x":1},8,{"x":2}]`, b: `[7,{"x":3},6,{"x":2},{"x":4}]`,
			options: diff.Options{Ignore: patterns(t, "/0", "/2")},
			want:    `[{"op":"add","path":"/4","value":{"x":4}},{"op":"replace","path":"/1/x","value":3}]`},
		{name: "an element that is left out, and one after it", a: `[2]`, b: `[2,1]`, options: diff.Options{Ignore: patterns(t, "/0")},
			want: `[{"op":"add","path":"/1","value":1}]`},
		{name: "a member that was left out where it was", a: `[{"b":1,"a":2}]`, b: `["x",{"b":1,"a":3}]`,
			options: diff.Options{Ignore: patterns(t, "/0/a")}, invertible: true,
			want: `[{"op":"add","path":"/0","value":"x"},{"op":"test","path":"/1/a","value":2},{"op":"replace","path":"/1/a","value":3}]`},
		{name: "only the text of a number", a: `1`, b: `1.0`, options: diff.Options{Exact: true}, want: `[{"op":"replace","path":"","value":1.0}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := parse(t, tt.a), parse(t, tt.b)
			got, err := diff.JSONPatch(a, b, diff.Compare(a, b, tt.options), tt.options, tt.invertible)
			if string(got) != tt.want || err != nil {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

// A patch whose paths are much longer than the documents is abandoned before it is complete.
func TestJSONPatchFallsBack(t *testing.T) {
	of := func(open string, parts []string, close string) string {
		return fmt.Sprintf(`{"%s":%s%s%s}`, strings.Repeat("n", 10_000), open, strings.Join(parts, ","), close)
	}
	var elements, others, members []string
	for i := range 1000 {
		elements = append(elements, fmt.Sprint(i))
		others = append(others, fmt.Sprint(-i))
		members = append(members, fmt.Sprintf(`"%d":1`, i))
	}
	array, other := of("[", elements, "]"), of("[", others, "]")
	slices.Reverse(elements)
	backwards := of("[", elements, "]")
	object := of("{", members, "}")
	tests := []struct{ name, a, b string }{
		{name: "elements replaced", a: array, b: other},
		{name: "elements added", a: of("[", nil, "]"), b: array},
		{name: "elements removed", a: array, b: of("[", nil, "]")},
		{name: "elements moved", a: array, b: backwards},
		{name: "members added", a: of("{", nil, "}"), b: object},
		{name: "members removed", a: object, b: of("{", nil, "}")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := parse(t, tt.a), parse(t, tt.b)
			e := diff.Compare(a, b, diff.Options{})
			got, err := diff.JSONPatch(a, b, e, diff.Options{}, false)
			if want := `[{"op":"replace","path":"","value":` + tt.b + `}]`; string(got) != want || err != nil {
				t.Errorf("got %d bytes, %v; want %d", len(got), err, len(want))
			}
			o := diff.Options{Ignore: patterns(t, "/other")}
			if got, err := diff.JSONPatch(a, b, e, o, false); !errors.Is(err, diff.ErrNoPatch) {
				t.Errorf("with a place left out: got %d bytes, %v; want %v", len(got), err, diff.ErrNoPatch)
			}
		})
	}
}

// Wrong edits never give a wrong patch.
func TestWrongEdits(t *testing.T) {
	a, b := parse(t, `[1,2,3]`), parse(t, `[3,4]`)
	e := &diff.Edit{Kind: diff.Changed, Old: a.Root(), New: b.Root(), Edits: []*diff.Edit{{Kind: diff.Removed, Old: a.Root().At("/0")}}}
	got, err := diff.JSONPatch(a, b, e, diff.Options{}, false)
	if want := `[{"op":"replace","path":"","value":[3,4]}]`; string(got) != want || err != nil {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

// D4: the pair of documents for which a library makes a wrong patch. Every patch is applied before
// it is returned; see TestJSONPatchProperty.
func TestD4PatchesAreApplied(t *testing.T) {
	a, b := parse(t, `{"r":[2]}`), parse(t, `{"r":[[[null,1]]]}`)
	for _, pair := range [][2]*jsonstream.Document{{a, b}, {b, a}} {
		text, err := diff.JSONPatch(pair[0], pair[1], diff.Compare(pair[0], pair[1], diff.Options{}), diff.Options{}, true)
		if err != nil {
			t.Fatal(err)
		}
		p, err := patch.Parse(parse(t, string(text)), patch.Auto)
		if err != nil {
			t.Fatal(err)
		}
		if result, err := p.Apply(pair[0], jsonstream.Limits{}); err != nil || !equal.Values(result.Root(), pair[1].Root()) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Applied, a patch gives the new document; reversed, it gives the old one.
func TestJSONPatchProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomChange(t, 4)
		a, b := parse(t, c.old), parse(t, c.new)
		e := c.edit(a.Root(), b.Root())
		if rapid.Bool().Draw(t, "compare") {
			e = diff.Compare(a, b, diff.Options{})
		}
		invertible := rapid.Bool().Draw(t, "invertible")
		text, err := diff.JSONPatch(a, b, e, diff.Options{}, invertible)
		if err != nil {
			t.Fatalf("%s to %s: %v", c.old, c.new, err)
		}
		if e != nil && e.Edits != nil && bytes.Contains(text, []byte(`"path":"",`)) {
			t.Fatalf("%s to %s: the root is replaced: %s", c.old, c.new, text)
		}
		p, err := patch.Parse(parse(t, string(text)), patch.Auto)
		if err != nil {
			t.Fatal(err)
		}
		result, err := p.Apply(a, jsonstream.Limits{})
		if err != nil || !equal.Values(result.Root(), b.Root()) {
			t.Fatalf("%s to %s: %s: %v", c.old, c.new, text, err)
		}
		if !invertible {
			return
		}
		back, err := p.Reverse(b, jsonstream.Limits{})
		if err != nil || !equal.Values(back.Root(), a.Root()) {
			t.Fatalf("%s to %s and back: %s: %v", c.old, c.new, text, err)
		}
	})
}

func TestMergePatch(t *testing.T) {
	tests := []struct {
		name, a, b string
		options    diff.Options
		want       string
	}{
		{name: "same", a: `{"a":null}`, b: `{"a":null}`, want: `{}`},
		{name: "same, no object", a: `[1]`, b: `[ 1.0 ]`, want: `[1]`},
		{name: "members", a: `{"a":1,"b":{"c":2,"d":3},"e":null}`, b: `{"a":1,"b":{"c":[ null ],"f":{"g":4}},"e":null}`,
			want: `{"b":{"c":[null],"d":null,"f":{"g":4}}}`},
		{name: "arrays as a whole", a: `{"a":[1,{"b":null}]}`, b: `{"a":[1,{"b":null},2]}`, want: `{"a":[1,{"b":null},2]}`},
		{name: "object for a scalar", a: `{"a":1}`, b: `{"a":{}}`, want: `{"a":{}}`},
		{name: "another root", a: `{"a":1}`, b: `[null]`, want: `[null]`},
		{name: "null for all", a: `{"a":1}`, b: `null`, want: `null`},
		{name: "object for all", a: `1`, b: `{"a":{"b":2}}`, want: `{"a":{"b":2}}`},
		{name: "names", a: `{"":1}`, b: `{"~/\n":1}`, want: `{"":null,"~/\n":1}`},
		{name: "an ignored null", a: `{}`, b: `{"a":{"b":null,"c":1},"d":null}`, options: diff.Options{Ignore: patterns(t, "/a/b", "/d")}, want: `{"a":{"c":1}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := parse(t, tt.a), parse(t, tt.b)
			got, err := diff.MergePatch(a, b, diff.Compare(a, b, tt.options), tt.options)
			if string(got) != tt.want || err != nil {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestMergePatchNull(t *testing.T) {
	tests := []struct{ name, a, b, pointer string }{
		{name: "changed", a: `{"a":{"b":1}}`, b: `{"a":{"b":null}}`, pointer: "/a/b"},
		{name: "added", a: `{}`, b: `{"a":null}`, pointer: "/a"},
		{name: "in what is added", a: `{}`, b: `{"a":{"b":{"c":null}}}`, pointer: "/a/b/c"},
		{name: "in a new root", a: `[]`, b: `{"a":null}`, pointer: "/a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := parse(t, tt.a), parse(t, tt.b)
			got, err := diff.MergePatch(a, b, diff.Compare(a, b, diff.Options{}), diff.Options{})
			var null *diff.NullError
			if !errors.As(err, &null) || null.Pointer != tt.pointer || null.Position != b.Root().At(tt.pointer).Position() {
				t.Errorf("got %s, %v; want an error at %s", got, err, tt.pointer)
			}
		})
	}
}

// setsNull reports whether b has a null where a has none, outside of arrays: no merge patch can set
// it.
func setsNull(a, b jsonstream.Value) bool {
	for name, v := range b.Members() {
		old := a.Get(name)
		if v.Kind() == jsonstream.Null && old.Kind() != jsonstream.Null || setsNull(old, v) {
			return true
		}
	}
	return false
}

// A merge patch gives the new document, unless it has to set a null.
func TestMergePatchProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomChange(t, 4)
		null := rapid.SampledFrom([]string{"true", "[]", "1e400", "{}"}).Draw(t, "null") // in the place of nulls
		a := parse(t, strings.ReplaceAll(c.old, null, "null"))
		b := parse(t, strings.ReplaceAll(c.new, null, "null"))
		text, err := diff.MergePatch(a, b, diff.Compare(a, b, diff.Options{}), diff.Options{})
		if _, impossible := errors.AsType[*diff.NullError](err); impossible != setsNull(a.Root(), b.Root()) || err != nil && !impossible {
			t.Fatalf("%s to %s: %s, %v", a.Root().Raw(), b.Root().Raw(), text, err)
		} else if impossible {
			return
		}
		p, err := patch.Parse(parse(t, string(text)), patch.Merge)
		if err != nil {
			t.Fatal(err)
		}
		result, err := p.Apply(a, jsonstream.Limits{})
		if err != nil || !equal.Values(result.Root(), b.Root()) {
			t.Fatalf("%s to %s: %s: %v", a.Root().Raw(), b.Root().Raw(), text, err)
		}
	})
}

// With ignored places, a patch gives a document that compares equal to the new one.
func TestPatchesWithMask(t *testing.T) {
	made, impossible := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := randomChange(t, 4)
		a, b := parse(t, c.old), parse(t, c.new)
		token := rapid.SampledFrom([]string{"/a", "/b", "/0", "/1", "/*", "/**/0", "/"})
		pattern := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(token, 1, 3).Draw(t, "tokens"), "") })
		list := patterns(t, rapid.SliceOfN(pattern, 1, 2).Draw(t, "patterns")...)
		o := diff.Options{Ignore: list}
		if rapid.IntRange(0, 3).Draw(t, "only") == 0 {
			o = diff.Options{Only: list}
		}
		check := func(text []byte, kind patch.Type) {
			p, err := patch.Parse(parse(t, string(text)), kind)
			if err != nil {
				t.Fatal(err)
			}
			result, err := p.Apply(a, jsonstream.Limits{})
			if err != nil {
				t.Fatalf("%s to %s under %v: %s: %v", c.old, c.new, o, text, err)
			}
			if e := diff.Compare(result, b, o); e != nil {
				t.Fatalf("%s to %s under %v: %s gives %s", c.old, c.new, o, text, result.Root().Raw())
			}
		}
		e := diff.Compare(a, b, o)
		switch text, err := diff.JSONPatch(a, b, e, o, false); err {
		case nil:
			made++
			check(text, patch.JSON)
		case diff.ErrNoPatch:
			impossible++
		default:
			t.Fatalf("%s to %s under %v: %v", c.old, c.new, o, err)
		}
		text, err := diff.MergePatch(a, b, e, o)
		if _, null := errors.AsType[*diff.NullError](err); err != nil && !null {
			t.Fatalf("%s to %s under %v: %v", c.old, c.new, o, err)
		} else if err == nil {
			check(text, patch.Merge)
		}
	})
	if made < 10*impossible {
		t.Errorf("%d patches, and %d that could not be made", made, impossible)
	}
}

// FuzzPatches makes patches between any two documents, in both directions.
func FuzzPatches(f *testing.F) {
	f.Add(`{"subtasks":[{"subtaskId":"a","n":1},{"subtaskId":"b"}]}`, `{"subtasks":[{"subtaskId":"b"},{"subtaskId":"a","n":2},{}]}`)
	f.Add(`[1,2,3,[4,5],null]`, `[3,1,[5,4,{}],"2"]`)
	f.Add(`{"":{"~":null}}`, `{"":{"/":null,"~":1.0}}`)
	limits := jsonstream.Limits{MaxBytes: 1 << 14, MaxDepth: 64}
	f.Fuzz(func(t *testing.T, old, new string) {
		a, err := jsonstream.Parse(jsonstream.NewRaw([]byte(old)), limits)
		if err != nil {
			return
		}
		b, err := jsonstream.Parse(jsonstream.NewRaw([]byte(new)), limits)
		if err != nil {
			return
		}
		e := diff.Compare(a, b, diff.Options{})
		text, err := diff.JSONPatch(a, b, e, diff.Options{}, true)
		if err != nil {
			t.Fatal(err)
		}
		p, err := patch.Parse(parse(t, string(text)), patch.JSON)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := p.Reverse(b, jsonstream.Limits{}); err != nil || !equal.Values(back.Root(), a.Root()) {
			t.Fatalf("%s to %s and back: %s: %v", old, new, text, err)
		}
		if _, err := diff.MergePatch(a, b, e, diff.Options{}); err != nil {
			if _, null := errors.AsType[*diff.NullError](err); !null {
				t.Fatal(err)
			}
		}
	})
}

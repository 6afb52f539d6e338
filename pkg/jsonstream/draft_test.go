package jsonstream_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func TestSet(t *testing.T) {
	const text = `{ "a" : [1, 2.50] , "b" : {"c":1e400} }`
	for pointer, want := range map[string]string{
		"/a/0": `{ "a" : [42, 2.50] , "b" : {"c":1e400} }`,
		"/a/-": `{ "a" : [1, 2.50,42] , "b" : {"c":1e400} }`,
		"/a/2": `{ "a" : [1, 2.50,42] , "b" : {"c":1e400} }`,
		"/b":   `{ "a" : [1, 2.50] , "b" : 42 }`,
		"/b/d": `{ "a" : [1, 2.50] , "b" : {"c":1e400,"d":42} }`,
		"/e/f": "", "/a/3": "", "/a/x": "", "/a/0/x": "", "e": "",
		"": "42",
	} {
		got, err := jsonstream.Set(parse(t, text), pointer, []byte("42"))
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %s, %v; want %s", pointer, got, err, want)
		}
	}
}

func TestRemove(t *testing.T) {
	const text = `{ "a" : [1, 2.50 ,3] , "b" : {"c":1e400} , "d":0 }`
	for pointer, want := range map[string]string{
		"/a/0": `{ "a" : [ 2.50 ,3] , "b" : {"c":1e400} , "d":0 }`,
		"/a/1": `{ "a" : [1,3] , "b" : {"c":1e400} , "d":0 }`,
		"/a/2": `{ "a" : [1, 2.50 ] , "b" : {"c":1e400} , "d":0 }`,
		"/a":   `{ "b" : {"c":1e400} , "d":0 }`,
		"/b":   `{ "a" : [1, 2.50 ,3] , "d":0 }`,
		"/b/c": `{ "a" : [1, 2.50 ,3] , "b" : {} , "d":0 }`,
		"/d":   `{ "a" : [1, 2.50 ,3] , "b" : {"c":1e400}  }`,
		"":     "", "/e": "", "/a/3": "", "/a/-": "",
	} {
		got, err := jsonstream.Remove(parse(t, text), pointer)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %s, %v; want %s", pointer, got, err, want)
		}
	}
}

// draftOf returns a draft of a text.
func draftOf(t testing.TB, text string) *jsonstream.Draft {
	t.Helper()
	return jsonstream.NewDraft(parse(t, text).Root())
}

// Each change sees the earlier ones, and all other values keep their bytes.
func TestDraft(t *testing.T) {
	const text = `{ "a" : [1, 2.50 ,3] ,
  "b\u0020" : {"c":1e400, "d":{}} }`
	d := draftOf(t, text)
	for _, step := range []struct{ pointer, value string }{
		{"/a/0", `[ 0 ]`}, {"/a/0/-", `"x"`}, {"/b /d/e", `{"f":[]}`}, {"/b /d/e/f/0", `0.10`}, {"/g", `1`}, {"/g", `2`},
	} {
		if err := d.Set(step.pointer, []byte(step.value)); err != nil {
			t.Fatal(err)
		}
	}
	d.InsertAt(1, "first", draftOf(t, `true`))
	taken := d.At("/a").Take("1")
	if !d.Insert("last", taken) || !d.At("/a").Insert("0", draftOf(t, "null")) || d.At("/a").Insert("4", draftOf(t, "0")) || d.At("/g").Insert("0", draftOf(t, "0")) {
		t.Error("a value was added where there is no place for it, or not where there is")
	}
	want := `{ "a" : [null,[ 0 ,"x"],3] ,"first":true,
  "b\u0020" : {"c":1e400, "d":{"e":{"f":[0.10]}}} ,"g":2,"last":2.50}`
	if got := string(d.Bytes()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if v := d.At("/b /c").Value(); string(v.Raw()) != "1e400" || d.At("/a").Value().Exists() || d.At("/a/9") != nil || d.At("a") != nil || d.Take("none") != nil {
		t.Errorf("a draft is not what it was made: %s", v.Raw())
	}
	if d.Len() != 5 || d.At("/a").Len() != 3 || d.At("/g").Len() != 0 || d.At("/a").Kind() != jsonstream.Array {
		t.Error("kinds or lengths are not those of the text")
	}
	for _, bad := range []string{`{`, ``, `1 2`, `"\ud800"`} {
		var syntax *jsonstream.SyntaxError
		if err := d.Set("/a", []byte(bad)); !errors.As(err, &syntax) {
			t.Errorf("%s was set: %v", bad, err)
		}
	}
}

func TestDraftLimits(t *testing.T) {
	d := draftOf(t, `[]`)
	deepest := d
	for range 5 {
		deepest.Insert("0", draftOf(t, `[]`))
		deepest = deepest.Child("0")
	}
	if doc, err := d.Document(jsonstream.Limits{MaxDepth: 6}); err != nil || string(doc.Raw().Bytes) != `[[[[[[]]]]]]` {
		t.Errorf("got %v, %v", doc, err)
	}
	if _, err := d.Document(jsonstream.Limits{MaxDepth: 4}); !errors.Is(err, jsonstream.ErrTooDeep) {
		t.Errorf("too deep: %v", err)
	}
	if _, err := d.Document(jsonstream.Limits{MaxBytes: 4}); !errors.Is(err, jsonstream.ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
}

// spaced draws a value with white space in any place.
func spaced(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := rapid.SampledFrom([]string{"", " ", "\n\t"})
		pad := func(s string) string { return space.Draw(t, "before") + s + space.Draw(t, "after") }
		kind := rapid.IntRange(0, 2).Draw(t, "kind")
		if depth == 0 || kind == 0 {
			return rapid.SampledFrom([]string{"1.0", `"x\u0079"`, "null", "{ }", "[ ]"}).Draw(t, "scalar")
		}
		var parts []string
		for i := range rapid.IntRange(0, 6).Draw(t, "length") {
			part := pad(spaced(depth-1).Draw(t, "part"))
			if kind == 1 {
				part = pad(fmt.Sprintf(`"%d"`, i)) + ":" + part
			}
			parts = append(parts, part)
		}
		if kind == 1 {
			return "{" + strings.Join(parts, ",") + "}"
		}
		return "[" + strings.Join(parts, ",") + "]"
	})
}

// Setting or removing a value changes the bytes of no other value, except those around it.
func TestDraftKeepsBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := spaced(3).Draw(t, "document")
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		target := rapid.SampledFrom(slices.Collect(doc.Root().All())).Draw(t, "target")
		d := jsonstream.NewDraft(doc.Root())
		remove := rapid.Bool().Draw(t, "remove") && target.Parent().Exists()
		if remove {
			err = d.Remove(target.Pointer())
		} else {
			err = d.Set(target.Pointer(), []byte(`"new"`))
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.ReplaceAll(string(d.Bytes()), `"new"`, string(target.Raw())) != text && !remove {
			t.Fatalf("%s of %s became %s", target.Pointer(), text, d.Bytes())
		}
		after, err := d.Document(jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for v := range doc.Root().All() {
			if above, at := v.Pointer()+"/", target.Pointer()+"/"; !strings.HasPrefix(above, at) && !strings.HasPrefix(at, above) {
				want = append(want, string(v.RawName())+string(v.Raw()))
			}
		}
		for v := range after.Root().All() {
			if above, at := v.Pointer()+"/", target.Pointer()+"/"; !strings.HasPrefix(at, above) || remove && above == at {
				got = append(got, string(v.RawName())+string(v.Raw()))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("without %s:\ngot  %q\nwant %q", target.Pointer(), got, want)
		}
	})
}

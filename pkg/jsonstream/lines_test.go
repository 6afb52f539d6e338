package jsonstream_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func parseLines(t testing.TB, text string) *jsonstream.Document {
	t.Helper()
	d, err := jsonstream.ParseLines(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return d
}

// The lines are the elements of an array; places are in the file.
func TestParseLines(t *testing.T) {
	const text = "\n{\"a\":1}\r\n\n [2,\"é\"]\n\t\n\"c\"\n{\"\\u0061\":{\"b\":null}}"
	d, err := jsonstream.ParseLines(jsonstream.Raw{Bytes: []byte(text), Start: jsonstream.Position{Line: 3, Column: 1, Offset: 50}}, jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	root := d.Root()
	if !d.IsLines() || root.Kind() != jsonstream.Array || root.Len() != 4 || string(root.Raw()) != text {
		t.Errorf("the root is a %s of %d: %q", root.Kind(), root.Len(), root.Raw())
	}
	var got []string
	for v := range root.All() {
		p := v.Position()
		got = append(got, fmt.Sprintf("%s %s %d:%d+%d", v.Pointer(), v.Kind(), p.Line, p.Column, p.Offset))
	}
	want := []string{
		" array 3:1+50", "/0 object 4:1+51", "/0/a number 4:6+56", "/1 array 6:2+62", "/1/0 number 6:3+63", "/1/1 string 6:5+65",
		"/2 string 8:1+73", "/3 object 9:1+77", "/3/a object 9:11+87", "/3/a/b null 9:16+92",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if v := root.At("/3/a/b"); v.Kind() != jsonstream.Null || root.At("/1").Next().Text() != "c" {
		t.Errorf("a pointer leads to %v", v)
	}
	if compact := jsonstream.AppendCompact(nil, root.Raw()); string(compact) != "{\"a\":1}\n[2,\"é\"]\n\"c\"\n{\"\\u0061\":{\"b\":null}}" {
		t.Errorf("compact: %q", compact)
	}
	if indented, err := jsonstream.AppendIndent([]byte("x"), root.Raw()); err != nil || !strings.HasPrefix(string(indented), "x{\"a\":1}\n[") {
		t.Errorf("indented: %q, %v", indented, err)
	}
	if canonical, err := jsonstream.AppendCanonical(nil, root, jsonstream.CanonicalOptions{}); err != nil || string(canonical) != `[{"a":1},[2,"é"],"c",{"a":{"b":null}}]` {
		t.Errorf("canonical: %s, %v", canonical, err)
	}
}

func TestParseLinesRejects(t *testing.T) {
	long := `"` + strings.Repeat("x", 100) + `"`
	for _, tt := range []struct {
		name, in, at, pointer, want string
		is                          error
	}{
		{name: "nothing", in: " \n\n", at: "1:1", want: "empty"},
		{name: "cut off", in: "{}\n{\"a\":\"b", at: "2:8", pointer: "/1/a", want: "last line is cut off", is: io.ErrUnexpectedEOF},
		{name: "cut off, and a line feed", in: "{}\n{\"a\":1\n\n", at: "2:7", pointer: "/1", want: "last line is cut off", is: io.ErrUnexpectedEOF},
		{name: "cut off before the last", in: "{}\n{\"a\":\n{}\n", at: "2:6", pointer: "/1/a", want: "the line ends in the middle", is: io.ErrUnexpectedEOF},
		{name: "no JSON", in: "{}\n\n{\"a\":x}\n{}", at: "3:6", pointer: "/1/a", want: "expected a value"},
		{name: "two on a line", in: "{}\n {} {}\n", at: "2:5", pointer: "/1", want: "on its own line"},
		{name: "a duplicate", in: "{}\n{\"a\":1,\"a\":2}", at: "2:8", pointer: "/1/a", want: "twice", is: jsonstream.ErrDuplicateName},
		{name: "too deep", in: "[]\n[[[[]]]]", at: "2:4", pointer: "/1", want: "3 levels", is: jsonstream.ErrTooDeep},
		{name: "a line over the limit", in: "{}\n" + long, at: "2:1", want: "longer than 50", is: jsonstream.ErrTooLarge},
		{name: "lines over the limit", in: strings.Repeat("{}\n", 300), at: "1:1", want: "longer than 800", is: jsonstream.ErrTooLarge},
	} {
		_, err := jsonstream.ParseLines(jsonstream.NewRaw([]byte(tt.in)), jsonstream.Limits{MaxBytes: 50, MaxDepth: 3})
		var e *jsonstream.SyntaxError
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v, want a *SyntaxError", tt.name, err)
			continue
		}
		if got := fmt.Sprintf("%d:%d", e.Line, e.Column); got != tt.at || !strings.Contains(e.Problem, tt.want) || e.Pointer != tt.pointer && tt.pointer != "" {
			t.Errorf("%s: got %s %q %q, want %s …%s… %q", tt.name, got, e.Problem, e.Pointer, tt.at, tt.want, tt.pointer)
		}
		if tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("%s: error %v is not %v", tt.name, err, tt.is)
		}
		cut := (*jsonstream.CutError)(nil)
		if errors.As(err, &cut) != strings.HasPrefix(tt.want, "last line") {
			t.Errorf("%s: error %#v", tt.name, e.Err)
		}
		if cut != nil && (cut.Start.Line != 2 || tt.in[:cut.Offset] != "{}\n" || cut.Start.Offset != 3) {
			t.Errorf("%s: cut at %+v", tt.name, cut)
		}
	}
}

// Edited JSON Lines stay JSON Lines, and all other lines keep their bytes.
func TestEditLines(t *testing.T) {
	const text = "\n{\"a\": 1}\n\n  {\"b\":[2, 3]} \n{\"c\":4}"
	for _, tt := range []struct {
		edit func(d *jsonstream.Draft) error
		want string
	}{
		{func(d *jsonstream.Draft) error { return d.Set("/0/a", []byte("{\n\"x\": [ ]\n}")) }, "\n{\"a\":{\"x\":[]}}\n\n  {\"b\":[2, 3]} \n{\"c\":4}"},
		{func(d *jsonstream.Draft) error { return d.Set("/1/b/0", []byte("5")) }, "\n{\"a\": 1}\n\n  {\"b\":[5, 3]} \n{\"c\":4}"},
		{func(d *jsonstream.Draft) error { return d.Set("/1", []byte(" 7\n")) }, "\n{\"a\": 1}\n\n  7 \n{\"c\":4}"},
		{func(d *jsonstream.Draft) error { return d.Set("/-", []byte("{\n}")) }, text + "\n{}\n"},
		{func(d *jsonstream.Draft) error {
			d.Insert("0", jsonstream.NewDraft(parse(t, "[ 1 ]").Root()))
			return nil
		}, "[ 1 ]\n" + text},
		{func(d *jsonstream.Draft) error { return d.Remove("/0") }, "\n  {\"b\":[2, 3]} \n{\"c\":4}"},
		{func(d *jsonstream.Draft) error { return d.Remove("/1") }, "\n{\"a\": 1}\n{\"c\":4}"},
		{func(d *jsonstream.Draft) error { return d.Remove("/2") }, "\n{\"a\": 1}\n\n  {\"b\":[2, 3]} \n"},
		{func(d *jsonstream.Draft) error {
			return errors.Join(d.Remove("/2"), d.Set("/-", []byte("1")), d.Set("/0", []byte("0")))
		}, "\n0\n\n  {\"b\":[2, 3]} \n1\n"},
		{func(d *jsonstream.Draft) error { return d.Set("", []byte("[1]")) }, "[1]"},
		{func(d *jsonstream.Draft) error { d.Child("0"); return nil }, text},
		{func(d *jsonstream.Draft) error {
			d.Child("2").Replace(jsonstream.NewDraft(parseLines(t, "1\n2\n").Root()))
			return nil
		}, "\n{\"a\": 1}\n\n  {\"b\":[2, 3]} \n[1,2]"},
	} {
		d := jsonstream.NewDraft(parseLines(t, text).Root())
		if err := tt.edit(d); err != nil {
			t.Error(err)
		}
		if got := string(d.Bytes()); got != tt.want {
			t.Errorf("got %q\nwant %q", got, tt.want)
		}
		if doc, err := d.Document(jsonstream.Limits{}); err != nil || string(doc.Raw().Bytes) != tt.want {
			t.Errorf("%q: %v", tt.want, err)
		}
	}
	d := jsonstream.NewDraft(parseLines(t, "1\r\n2").Root())
	if err := d.Set("/-", []byte("3")); err != nil || string(d.Bytes()) != "1\r\n2\r\n3\r\n" {
		t.Errorf("%q, %v", d.Bytes(), err)
	}
	got, err := jsonstream.Set(parse(t, `{"a":[]}`), "/a/0", []byte("1"))
	if err != nil || string(got) != `{"a":[1]}` {
		t.Errorf("%s, %v", got, err)
	}
}

// The changes of a draft of JSON Lines equal the changes of a draft of the same array.
func TestDraftLinesIsArray(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		element := rapid.SampledFrom([]string{`1`, ` {"a":[1]}`, `{"a" : {"b":"c"}} `, `"x\n"`, `[]`, "\t[{}]"})
		elements := rapid.SliceOfN(element, 1, 6).Draw(t, "elements")
		ending := rapid.SampledFrom([]string{"\n", "\r\n", "\n\n"}).Draw(t, "ending")
		text := strings.Join(elements, ending)
		if rapid.Bool().Draw(t, "ended") {
			text += ending
		}
		lines, err := jsonstream.ParseLines(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		array, err := jsonstream.Parse(jsonstream.NewRaw([]byte("["+strings.Join(elements, ",")+"]")), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		a, b := jsonstream.NewDraft(lines.Root()), jsonstream.NewDraft(array.Root())
		for range rapid.IntRange(0, 5).Draw(t, "edits") {
			pointer := rapid.SampledFrom([]string{"/0", "/1", "/-", "/0/a", "/2/a/b", "/1/0"}).Draw(t, "pointer")
			if rapid.Bool().Draw(t, "remove") && a.Len() > 1 {
				if (a.Remove(pointer) == nil) != (b.Remove(pointer) == nil) {
					t.Fatal("one was removed")
				}
				continue
			}
			value := []byte(rapid.SampledFrom([]string{"0", "{\n\"n\": 1 }", " [ ]\r\n"}).Draw(t, "value"))
			if (a.Set(pointer, value) == nil) != (b.Set(pointer, value) == nil) {
				t.Fatal("one was set")
			}
		}
		changed, err := a.Document(jsonstream.Limits{})
		if err != nil {
			t.Fatalf("%q: %v", a.Bytes(), err)
		}
		got, _ := jsonstream.AppendCanonical(nil, changed.Root(), jsonstream.CanonicalOptions{})
		plain, err := b.Document(jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := jsonstream.AppendCanonical(nil, plain.Root(), jsonstream.CanonicalOptions{})
		if !bytes.Equal(got, want) || !changed.IsLines() {
			t.Fatalf("got %s\nwant %s", got, want)
		}
	})
}

// A document of lines has the values of its lines, and is rejected if one of them is.
func FuzzParseLines(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Add([]byte("{\"\\u0061\":1}\r\n\n[[[]]]\n{\"a\":[{}]}\n\"é\""))
	f.Fuzz(func(t *testing.T, in []byte) {
		limits := jsonstream.Limits{MaxDepth: 50}
		d, err := jsonstream.ParseLines(jsonstream.NewRaw(in), limits)
		var alone []*jsonstream.Document
		var failed error
		for line := range bytes.SplitSeq(in, []byte("\n")) {
			if len(bytes.Trim(line, " \t\r\n")) == 0 {
				continue
			}
			one, err := jsonstream.Parse(jsonstream.NewRaw(line), limits)
			if err != nil {
				failed = err
				break
			}
			alone = append(alone, one)
		}
		if err != nil {
			var e *jsonstream.SyntaxError
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Offset < 0 || e.Offset > int64(len(in)) {
				t.Fatalf("%q: error %#v", in, err)
			}
			if failed == nil && len(alone) > 0 {
				t.Fatalf("%q: %v, and each line can be read", in, err)
			}
			return
		}
		if failed != nil || d.Root().Len() != len(alone) {
			t.Fatalf("%q: %d lines, want %d, %v", in, d.Root().Len(), len(alone), failed)
		}
		for i, element := range d.Root().Elements() {
			if !bytes.Equal(element.Raw(), alone[i].Root().Raw()) {
				t.Fatalf("%q: line %d is %s", in, i, element.Raw())
			}
			inner := element.Ordinal()
			for v := range alone[i].Root().All() {
				same := d.Value(inner)
				if !bytes.Equal(same.Raw(), v.Raw()) || same.Pointer() != fmt.Sprintf("/%d%s", i, v.Pointer()) || same.Name() != v.Name() {
					t.Fatalf("%q: %s is %s", in, same.Pointer(), same.Raw())
				}
				inner++
			}
		}
		draft := jsonstream.NewDraft(d.Root())
		draft.Child("0")
		if !bytes.Equal(draft.Bytes(), in) {
			t.Fatalf("%q: an open draft is %q", in, draft.Bytes())
		}
		again := parseLines(t, string(jsonstream.AppendCompact(nil, in)))
		if again.Root().Len() != len(alone) {
			t.Fatalf("%q: compact has %d lines", in, again.Root().Len())
		}
	})
}

// If TakeLines accepts a stream, the rest of the stream is one document.
func TestTakeLines(t *testing.T) {
	isOne := func(first []byte) bool { return string(first) == `{"a":1}` }
	const text = "\n {\"a\":1}\n{\"b\":\n2\n"
	for _, tt := range []struct{ in, want string }{
		{text, "2:2 {\"a\":1}\n{\"b\":\n2\n lines"},
		{`{"a":1}`, `1:1 {"a":1} lines`},
		{"{\"b\":1}\n{\"a\":1}\n", `1:1 {"b":1}; 2:1 {"a":1}`},
		{"{\"a\":1}{}", "1:1 {\"a\":1}{} lines"},
		{"{\"a\":1}\n" + strings.Repeat("[]\n", 1000), "1:1  longer than 1600 bytes"},
	} {
		for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in)), iotest.DataErrReader(strings.NewReader(tt.in))} {
			s := jsonstream.NewSplitter(r, jsonstream.Limits{MaxBytes: 100})
			s.TakeLines(isOne)
			var got []string
			for {
				raw, err := s.Next()
				if err == io.EOF {
					break
				}
				one := fmt.Sprintf("%d:%d %s", raw.Start.Line, raw.Start.Column, raw.Bytes)
				if raw.Lines {
					one += " lines"
				}
				if err != nil {
					one += " " + err.Error()
				}
				got = append(got, one)
			}
			if strings.Join(got, "; ") != tt.want {
				t.Errorf("%.30q: got %q, want %q", tt.in, got, tt.want)
			}
		}
	}
	broken := jsonstream.NewSplitter(io.MultiReader(strings.NewReader(text), iotest.ErrReader(errors.New("gone"))), jsonstream.Limits{})
	broken.TakeLines(isOne)
	if _, err := broken.Next(); err == nil || err.Error() != "gone" {
		t.Errorf("error %v", err)
	}
}

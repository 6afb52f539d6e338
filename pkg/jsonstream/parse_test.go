package jsonstream_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func parse(t testing.TB, text string) *jsonstream.Document {
	t.Helper()
	d, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

// Strict JSON (RFC 8259, RFC 7493): every error has its place and its cause.
func TestParseRejects(t *testing.T) {
	deep := strings.Repeat("[", 1_000_000)
	for _, tt := range []struct {
		name string
		in   string
		at   string // line:column
		want string // in the message
		is   error
	}{
		{name: "nothing", in: "", at: "1:1", want: "empty"},
		{name: "byte order mark", in: "\xef\xbb\xbf{}", at: "1:1", want: "byte order mark"},
		{name: "UTF-16", in: "{\x00}\x00", at: "1:1", want: "UTF-16"},
		{name: "binary", in: "{\"\x00\x01\x02", at: "1:1", want: "binary data"},
		{name: "invalid UTF-8", in: "{\n\"a\":\"\xff\"}", at: "2:6", want: "invalid UTF-8 (byte 0xff)"},
		{name: "invalid UTF-8 after a letter", in: "{\"a\":\"ab\xff\"}", at: "1:9", want: "invalid UTF-8 (byte 0xff)"},
		{name: "lone surrogate", in: `{"a":"\ud800"}`, at: "1:7", want: "lone surrogate"},
		{name: "duplicate name", in: `{"a":1,"a":2}`, at: "1:8", want: `"a" appears twice`, is: jsonstream.ErrDuplicateName},
		{name: "duplicate name, escaped", in: `{"a":1,"\u0061":2}`, at: "1:8", want: `"a" appears twice`, is: jsonstream.ErrDuplicateName},
		{name: "more documents", in: "{} {}", at: "1:4", want: "after the end of the document"},
		{name: "NaN", in: `{"a":NaN}`, at: "1:6", want: "JSON has no such number"},
		{name: "infinity", in: `[-Infinity]`, at: "1:2", want: "JSON has no such number"},
		{name: "zero bytes", in: "\x00\n", at: "1:1", want: "only zero bytes, as a power failure leaves them: remove them"},
		{name: "leading zero", in: `[01]`, at: "1:2", want: `not a JSON number: found "01"`},
		{name: "missing comma between numbers", in: `[1 2]`, at: "1:4", want: "expected a comma"},
		{name: "no digit after the point", in: `[1.]`, at: "1:2", want: `"1."`},
		{name: "trailing comma", in: "[1,]", at: "1:3", want: "trailing comma"},
		{name: "comment", in: "[1] // one", at: "1:5", want: "after the end"},
		{name: "comment inside", in: "[/* one */ 1]", at: "1:2", want: "no comments"},
		{name: "single quotes", in: `{'a':1}`, at: "1:2", want: "single quote"},
		{name: "name without quotes", in: `{a:1}`, at: "1:2", want: `the name "a" without quotes, as in JavaScript`},
		{name: "a log line with a secret", in: "INFO API_KEY=correct-horse-battery set", at: "1:1", want: "a text that looks like a secret"},
		{name: "a long line", in: strings.Repeat("é ", 100), at: "1:1", want: `é é …"`},
		{name: "UTF-16 LE without a mark", in: "[\x00\n\x00", at: "1:1", want: "UTF-16 without a byte order mark: found the bytes 5b 00 0a 00"},
		{name: "UTF-16 BE without a mark", in: "\x00{\x00}", at: "1:1", want: "UTF-16 without a byte order mark: found the bytes 00 7b 00 7d"},
		{name: "missing comma", in: `{"a":1 "b":2}`, at: "1:8", want: "comma or '}'"},
		{name: "missing colon", in: `{"a" 1}`, at: "1:6", want: "':'"},
		{name: "missing value", in: `{"a": }`, at: "1:7", want: "expected a value"},
		{name: "control character", in: "[\"a\tb\"]", at: "1:4", want: "control character 0x09"},
		{name: "invalid escape", in: `["\x"]`, at: "1:3", want: "invalid escape"},
		{name: "misspelt literal", in: `[tru]`, at: "1:2", want: `found "tru"`},
		{name: "cut off", in: "{\"a\":\n[1,\n", at: "2:4", want: "cut off", is: io.ErrUnexpectedEOF},
		{name: "cut off in a string", in: `{"a":"b`, at: "1:8", want: "cut off", is: io.ErrUnexpectedEOF},
		{name: "nested too deeply", in: deep, at: "1:513", want: "512 levels", is: jsonstream.ErrTooDeep},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := jsonstream.Parse(jsonstream.NewRaw([]byte(tt.in)), jsonstream.Limits{})
			var e *jsonstream.SyntaxError
			if !errors.As(err, &e) {
				t.Fatalf("error %v, want a *SyntaxError", err)
			}
			if got := fmt.Sprintf("%d:%d", e.Line, e.Column); got != tt.at || !strings.Contains(e.Problem, tt.want) {
				t.Errorf("got %s %q, want %s …%s…", got, e.Problem, tt.at, tt.want)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error %v is not %v", err, tt.is)
			}
		})
	}
}

func TestParseTooLarge(t *testing.T) {
	_, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`[1,2,3]`)), jsonstream.Limits{MaxBytes: 5})
	if !errors.Is(err, jsonstream.ErrTooLarge) {
		t.Errorf("error %v, want ErrTooLarge", err)
	}
}

// A value has its kind, text, pointer and place.
func TestValues(t *testing.T) {
	d, err := jsonstream.Parse(jsonstream.Raw{
		Bytes: []byte("{\"a\":[1,{\"é\":\n [true,null]}],\"b~/\":\"x\\n\"}"),
		Start: jsonstream.Position{Line: 7, Column: 3, Offset: 100},
	}, jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for v := range d.Root().All() {
		p, n := v.Position(), v.NamePosition()
		got = append(got, fmt.Sprintf("%q %s %d:%d+%d %d:%d %d", v.Pointer(), v.Kind(), p.Line, p.Column, p.Offset, n.Line, n.Column, v.Len()))
	}
	want := []string{
		`"" object 7:3+100 7:3 2`,
		`"/a" array 7:8+105 7:4 2`,
		`"/a/0" number 7:9+106 7:9 0`,
		`"/a/1" object 7:11+108 7:11 1`,
		`"/a/1/é" array 8:2+116 7:12 2`,
		`"/a/1/é/0" boolean 8:3+117 8:3 0`,
		`"/a/1/é/1" null 8:8+122 8:8 0`,
		`"/b~0~1" string 8:22+136 8:16 0`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text := d.Root().Get("b~/").Text(); text != "x\n" {
		t.Errorf("text %q", text)
	}
	if absent := d.Root().Get("a").Get("b").At("/c"); absent.Exists() || absent.Kind() != jsonstream.Absent || absent.Pointer() != "" {
		t.Errorf("a path into nothing gives %v", absent)
	}
}

// RFC 6901, section 5.
func TestPointers(t *testing.T) {
	root := parse(t, `{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}`).Root()
	for pointer, want := range map[string]string{
		"/foo": `["bar","baz"]`, "/foo/0": `"bar"`, "/": "0", "/a~1b": "1", "/c%d": "2",
		"/e^f": "3", "/g|h": "4", `/i\j`: "5", `/k"l`: "6", "/ ": "7", "/m~0n": "8",
		"/foo/2": "", "/foo/-": "", "/foo/01": "", "/nope": "", "foo": "", "/m~n": "",
	} {
		if got := string(root.At(pointer).Raw()); got != want {
			t.Errorf("%q: got %q, want %q", pointer, got, want)
		}
	}
	for pointer, want := range map[string]string{"": "", "/foo/1": "/foo/1", "/foo/2/x": "/foo", "/foo/1/x": "/foo/1", "/nope/0": "", "/a~1b/c": "/a~1b", "foo": ""} {
		if got := root.Around(pointer).Pointer(); got != want {
			t.Errorf("around %q: got %q, want %q", pointer, got, want)
		}
	}
}

// TestAtAllocates checks that a look at a place takes no memory, also if there is nothing: a conversion does it for
// each turn.
func TestAtAllocates(t *testing.T) {
	root := parse(t, `{"a":[{"b":1}]}`).Root()
	for _, pointer := range []string{"/a/0/b", "/a/b/c", "/none"} {
		if n := testing.AllocsPerRun(10, func() { root.At(pointer) }); n > 0 {
			t.Errorf("%s: %v allocations, want none", pointer, n)
		}
	}
}

func TestPositionIn(t *testing.T) {
	const text = "{\n \"a\": \"x\\n\\u00e9é\\ud83d\\ude00z\"}"
	v := parse(t, text).Root().Get("a")
	for offset, want := range []int{8, 9, 11, 11, 17, 18, 18, 18, 18, 18, 30, 31} {
		if got := v.PositionIn(offset); got.Line != 2 || got.Column != want {
			t.Errorf("%d: got %+v, want column %d", offset, got, want)
		}
	}
	if got, want := parse(t, text).Root().PositionIn(3), (jsonstream.Position{Line: 1, Column: 1}); got != want {
		t.Errorf("in an object: got %+v", got)
	}
}

// Positions are right at any distance from the checkpoints.
func TestPositionsInLongDocuments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString("[")
		for i := range rapid.IntRange(1, 3000).Draw(t, "elements") {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(rapid.SampledFrom([]string{"1", "\n2", "\"é😀\"", " \r\n{}"}).Draw(t, "element"))
		}
		b.WriteString("]")
		text := b.String()
		d, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for v := range d.Root().All() {
			p := v.Position()
			before := text[:p.Offset]
			line := 1 + strings.Count(before, "\n")
			column := 1 + len([]rune(before[strings.LastIndex(before, "\n")+1:]))
			if p.Line != line || p.Column != column {
				t.Fatalf("offset %d: got %d:%d, want %d:%d", p.Offset, p.Line, p.Column, line, column)
			}
		}
	})
}

func TestSafeNumber(t *testing.T) {
	for number, want := range map[string]bool{
		"0": true, "-1.5e10": true, "1e400": true, "1e-400": true, "1e1000": true, "1E+0001000": true,
		"1e1001": false, "1e5000000": false, "1e-999999999": false, "1e99999999999999999999": false,
		"0." + strings.Repeat("1", 2000): false, strings.Repeat("9", 1000): true,
	} {
		if got := jsonstream.SafeNumber([]byte(number)); got != want {
			t.Errorf("%.30s: got %v", number, got)
		}
	}
}

// TestSiblings walks a document by First and Next, and finds its values by their ordinals.
func TestSiblings(t *testing.T) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"a":[],"b":{"c":[1,[2,{}],3],"d":{}},"e":"f"}`)), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for v := range doc.Root().All() {
		if got := doc.Value(v.Ordinal()); got != v {
			t.Errorf("%s: the ordinal %d is that of %s", v.Pointer(), v.Ordinal(), got.Pointer())
		}
		child := v.First()
		check := func(want jsonstream.Value) {
			if child != want {
				t.Errorf("%s: got %s, want %s", v.Pointer(), child.Pointer(), want.Pointer())
			}
			child = child.Next()
		}
		for _, want := range v.Members() {
			check(want)
		}
		for _, want := range v.Elements() {
			check(want)
		}
		if child.Exists() {
			t.Errorf("%s: goes on with %s", v.Pointer(), child.Pointer())
		}
	}
	if (jsonstream.Value{}).First().Exists() || (jsonstream.Value{}).Next().Exists() || doc.Root().Next().Exists() {
		t.Error("found something next to or below what has none")
	}
}

// TestManyMembers looks for duplicates in objects large enough for a table, of all sizes at
// which it grows.
func TestManyMembers(t *testing.T) {
	for _, count := range []int{63, 64, 65, 127, 128, 129, 256, 257, 5000} {
		var members []string
		for i := range count {
			members = append(members, fmt.Sprintf(`"k%d":{"k%d":%d}`, i, i, i))
		}
		text := strings.Join(members, ",")
		if _, err := jsonstream.Parse(jsonstream.NewRaw([]byte("{"+text+"}")), jsonstream.Limits{}); err != nil {
			t.Errorf("%d members: %v", count, err)
		}
		for _, i := range []int{0, count / 2, count - 1} {
			if _, err := jsonstream.Parse(jsonstream.NewRaw([]byte(fmt.Sprintf(`{%s,"k%d":0}`, text, i))), jsonstream.Limits{}); err == nil {
				t.Errorf("%d members: the second k%d is not found", count, i)
			}
		}
	}
}

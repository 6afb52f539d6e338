package jsonstream_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// split returns the documents of a stream, each as "LINE:COLUMN TEXT", and the
// error that ended it.
func split(r io.Reader, limits jsonstream.Limits) ([]string, error) {
	s := jsonstream.NewSplitter(r, limits)
	var docs []string
	for {
		raw, err := s.Next()
		if tooLarge := (*jsonstream.SyntaxError)(nil); errors.As(err, &tooLarge) {
			if raw.Start != tooLarge.Position {
				return docs, fmt.Errorf("the document begins at %v and the error is at %v", raw.Start, tooLarge.Position)
			}
			docs = append(docs, fmt.Sprintf("%d:%d too large", tooLarge.Line, tooLarge.Column))
			continue
		}
		if err != nil {
			return docs, err
		}
		docs = append(docs, fmt.Sprintf("%d:%d %s", raw.Start.Line, raw.Start.Column, raw.Bytes))
	}
}

func TestSplitter(t *testing.T) {
	for _, tt := range []struct {
		name   string
		in     string
		limits jsonstream.Limits
		want   []string
	}{
		{name: "nothing"},
		{name: "only space", in: " \n\t\r\n"},
		{name: "one document", in: `{"a":1}`, want: []string{`1:1 {"a":1}`}},
		{name: "JSON Lines", in: "{}\n[1]\n{\"a\":{}}\n", want: []string{"1:1 {}", "2:1 [1]", `3:1 {"a":{}}`}},
		{name: "JSON Lines with CRLF and blank lines", in: "{}\r\n\r\n{}\r\n{}", want: []string{"1:1 {}", "3:1 {}", "4:1 {}"}},
		{name: "concatenated", in: `{}[2]{"a":"}"} {}`, want: []string{"1:1 {}", "1:3 [2]", `1:6 {"a":"}"}`, "1:16 {}"}},
		{name: "columns count characters", in: `{"é":"😀"}{}`, want: []string{`1:1 {"é":"😀"}`, "1:10 {}"}},
		{
			name: "over several lines",
			in:   "{\n \"a\": [1,\n{\"b\":2}\n]}\n{\n}\n",
			want: []string{"1:1 {\n \"a\": [1,\n{\"b\":2}\n]}", "5:1 {\n}"},
		},
		{
			name: "lines, then a document whose first line looks whole",
			in:   "{}\n{}\n{\"a\":{}\n,\"b\":1}\n{}\n",
			want: []string{"1:1 {}", "2:1 {}", "3:1 {\"a\":{}\n,\"b\":1}", "5:1 {}"},
		},
		{name: "scalars", in: "1 true\n\"x\" null -2.5e3", want: []string{"1:1 1", "1:3 true", `2:1 "x"`, "2:5 null", "2:10 -2.5e3"}},
		{name: "prose is one damaged document", in: "hello world\nand more\n{}", want: []string{"1:1 hello world\nand more\n", "3:1 {}"}},
		{name: "prose after a document is damaged", in: "{}\nhello world\n", want: []string{"1:1 {}", "2:1 hello world\n"}},
		{name: "prose around documents is damaged once", in: "Here:\n{}\n[1]\nGoodbye.\n", want: []string{"1:1 Here:\n", "2:1 {}", "3:1 [1]"}},
		{name: "prose between them is damaged too", in: "Here:\n{}\nand\n{}\n", want: []string{"1:1 Here:\n", "2:1 {}", "3:1 and\n", "4:1 {}"}},
		{name: "a fence is damaged once", in: "```json\n{\n}\n```\n", want: []string{"1:1 ```json\n", "2:1 {\n}"}},
		{name: "a fence after prose", in: "Here:\n\n```\n{}\n```\nGoodbye.", want: []string{"1:1 Here:\n\n```\n", "4:1 {}"}},
		{name: "every line of a log is damaged", in: "INFO a\n{}\nERROR b", want: []string{"1:1 INFO a\n", "2:1 {}", "3:1 ERROR b"}},
		{name: "a date does not end a line of a log", in: "{}\n2026-06-12 09:30 a\n{}", want: []string{"1:1 {}", "2:1 2026-06-12 09:30 a\n", "3:1 {}"}},
		{name: "nor does a word in brackets", in: "[INFO] a {}\n{}\n[09:30] b\n{}", want: []string{"1:1 [INFO] a {}\n", "2:1 {}", "3:1 [09:30] b\n", "4:1 {}"}},
		{name: "UTF-16 is damaged as a whole", in: "{\x00\n\x00}\x00\n\x00{\x00}\x00", want: []string{"1:1 {\x00\n\x00}\x00\n\x00{\x00}\x00"}},
		{name: "UTF-16 of the other kind, too", in: "\x00{\x00\n\x00}\x00\n\x00{\x00}", want: []string{"1:1 \x00{\x00\n\x00}\x00\n\x00{\x00}"}},
		{name: "a line that is cut off", in: "{\"a\":[1\n{\"b\":2}\n", want: []string{"1:1 {\"a\":[1\n", `2:1 {"b":2}`}},
		{name: "a line that is cut off after a comma", in: "{\"a\":1,\n{\"b\":2}\n{\"c\":3}\n", want: []string{"1:1 {\"a\":1,\n", `2:1 {"b":2}`, `3:1 {"c":3}`}},
		{name: "a line that is cut off after a colon", in: "{}\n{\"a\":\r\n[2]\r\n{}", want: []string{"1:1 {}", "2:1 {\"a\":\r\n", "3:1 [2]", "4:1 {}"}},
		{name: "a list without a comma", in: "[\n{\"a\":\"" + strings.Repeat("x", 64) + "\"}\n{\"b\":2}\n", want: []string{"1:1 [\n{\"a\":\"" + strings.Repeat("x", 64) + "\"}\n", `3:1 {"b":2}`}},
		{name: "lines of values", in: "{\"a\":\n{},\"b\":\n{\n}\n}\n{}", want: []string{"1:1 {\"a\":\n{},\"b\":\n{\n}\n}", "6:1 {}"}},
		{name: "a string that is cut off", in: "{\"a\":\"x\n{\"b\":2}\n", want: []string{"1:1 {\"a\":\"x\n", `2:1 {"b":2}`}},
		{name: "a bracket too many", in: "{}}\n{}", want: []string{"1:1 {}", "1:3 }\n", "2:1 {}"}},
		{name: "escaped quotes", in: `{"a":"\"}{\\"}{}`, want: []string{`1:1 {"a":"\"}{\\"}`, "1:15 {}"}},
		{name: "lines, then several documents on one", in: "{}\n{}\n{} [1]{\"a\":\"} {\"}\n{}\n", want: []string{"1:1 {}", "2:1 {}", "3:1 {}", "3:4 [1]", `3:7 {"a":"} {"}`, "4:1 {}"}},
		{
			name:   "too large, and what follows",
			in:     `{"a":"0123456789"}` + "\n{}\n" + `{"a":"0123456789"}` + "\n{}",
			limits: jsonstream.Limits{MaxBytes: 10},
			want:   []string{"1:1 too large", "2:1 {}", "3:1 too large", "4:1 {}"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for reader, r := range map[string]io.Reader{
				"whole":         strings.NewReader(tt.in),
				"byte by byte":  iotest.OneByteReader(strings.NewReader(tt.in)),
				"data with EOF": iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				got, err := split(r, tt.limits)
				if diff := cmp.Diff(tt.want, got); diff != "" || err != io.EOF {
					t.Errorf("%s: error %v, documents (-want +got):\n%s", reader, err, diff)
				}
			}
		})
	}
}

func TestSplitterReportsReadErrorAfterWholeDocuments(t *testing.T) {
	broken := errors.New("broken")
	in := io.MultiReader(strings.NewReader("{}\n{\"a\":"), iotest.ErrReader(broken))
	got, err := split(in, jsonstream.Limits{})
	if diff := cmp.Diff([]string{"1:1 {}"}, got); diff != "" || !errors.Is(err, broken) {
		t.Errorf("error %v, documents (-want +got):\n%s", err, diff)
	}
}

// A reader of a live stream must get a document before the next one arrives.
func TestSplitterDoesNotWaitForTheNextDocument(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	s := jsonstream.NewSplitter(r, jsonstream.Limits{})
	for range 3 {
		go io.WriteString(w, "{\"a\":1}\n")
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
	}
}

// Any layout of the documents gives the same documents.
func TestSplitterProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var in bytes.Buffer
		var want []string
		for range rapid.IntRange(0, 8).Draw(t, "documents") {
			text := document(t, 3)
			if rapid.Bool().Draw(t, "indented") {
				text, _ = jsonstream.AppendIndent(nil, text)
			}
			in.Write(text)
			in.WriteString(rapid.SampledFrom([]string{"\n", "\r\n", " ", "\n\n"}).Draw(t, "separator"))
			want = append(want, string(text))
		}
		r := io.Reader(&in)
		if rapid.Bool().Draw(t, "small reads") {
			r = iotest.HalfReader(r)
		}
		s := jsonstream.NewSplitter(r, jsonstream.Limits{})
		var got []string
		for {
			raw, err := s.Next()
			if err != nil {
				break
			}
			got = append(got, string(bytes.TrimSpace(raw.Bytes)))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("documents (-want +got):\n%s", diff)
		}
	})
}

// document draws a JSON object or array.
func document(t *rapid.T, depth int) []byte {
	var b []byte
	n := rapid.IntRange(0, 4).Draw(t, "members")
	object := rapid.Bool().Draw(t, "object")
	open, closing := byte('['), byte(']')
	if object {
		open, closing = '{', '}'
	}
	b = append(b, open)
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if object {
			b = fmt.Appendf(b, `"m%d":`, i)
		}
		b = append(b, value(t, depth-1)...)
	}
	return append(b, closing)
}

func value(t *rapid.T, depth int) []byte {
	if depth > 0 && rapid.Bool().Draw(t, "nested") {
		return document(t, depth)
	}
	return []byte(rapid.SampledFrom([]string{
		`1`, `-0.10`, `9007199254740993`, `1e400`, `true`, `false`, `null`, `""`, `"{"`, `"]\n"`, `"\\"`, `"\""`, `"é😀"`,
	}).Draw(t, "scalar"))
}

// The documents are the same for any expected length of the stream.
func TestSplitterExpect(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 3<<20) + `"}`
	text := "{}\n" + long + "\n[1]\n" + long + "\n{}"
	want := []string{"{}", long, "[1]", long, "{}"}
	for _, expected := range []int64{-1, 0, 1, 1 << 20, 3 << 20, int64(len(text)), 1 << 40} {
		s := jsonstream.NewSplitter(strings.NewReader(text), jsonstream.Limits{MaxBytes: 8 << 20})
		s.Expect(expected)
		var got []string
		for {
			raw, err := s.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(raw.Bytes))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d bytes expected: the documents have changed", expected)
		}
	}
}

// Ready counts only documents and lines that have been read completely.
func TestSplitterReady(t *testing.T) {
	for _, tt := range []struct {
		rest string // after the first document
		want bool
	}{
		{"", false}, {"\n", false}, {"\n \r\n\t", false}, {"\n{\"a\":", false}, {"\n{}", true}, {"\n{}\n", true}, {"{}\n", true}, {"\n{}\n{", true},
		{"{}{}", true}, {"{}{", true}, {"{", false}, {" 12", false}, {"\n[\"]", false},
	} {
		s := jsonstream.NewSplitter(strings.NewReader("{}"+tt.rest), jsonstream.Limits{})
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
		if got := s.Ready(); got != tt.want {
			t.Errorf("%q: ready %v, want %v", tt.rest, got, tt.want)
		}
	}
}

// The documents and the white space around them are the stream, byte for byte.
func TestSplitterSpace(t *testing.T) {
	for _, text := range []string{"", "{}", " {}", "\r\n{}\r\n", "{}{}", "{}\n\n[]  ", "\t[1]\t[2]\n", "  \n"} {
		s := jsonstream.NewSplitter(iotest.OneByteReader(strings.NewReader(text)), jsonstream.Limits{})
		var again []byte
		for {
			space, ok := s.Space()
			if again = append(again, space...); !ok {
				t.Fatalf("%q: no space", text)
			}
			raw, err := s.Next()
			if err != nil {
				break
			}
			again = append(again, raw.Bytes...)
		}
		if string(again) != text {
			t.Errorf("%q: again it is %q", text, again)
		}
	}
	s := jsonstream.NewSplitter(strings.NewReader(strings.Repeat(" ", 100<<10)+"{}"), jsonstream.Limits{})
	if _, ok := s.Space(); ok {
		t.Error("100 KiB of white space are in memory")
	}
	if raw, err := s.Next(); err != nil || string(raw.Bytes) != "{}" {
		t.Errorf("after them: %q, %v", raw.Bytes, err)
	}
}

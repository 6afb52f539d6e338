package longlines

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// newText returns a text with n lines, in several blocks if n is large.
func newText(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"n":%d,"text":"%s"}`+"\n", i, strings.Repeat("word ", i%50))
	}
	return b.Bytes()
}

// open returns a text and the places of its lines.
func open(t *testing.T, text []byte) (Text, *Places) {
	t.Helper()
	raw := jsonstream.NewRaw(text)
	read := Text{jsonstream.LinesFile{In: bytes.NewReader(text), Start: raw.Start, End: int64(len(text))}, jsonstream.Limits{}}
	places, err := Read(read, func(doc *jsonstream.Document) int { return doc.Root().Len() }, func(int) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return read, places
}

func TestLinesAgain(t *testing.T) {
	const n = 20_000
	text := newText(n)
	read, places := open(t, text)
	if places.Len() != n {
		t.Fatalf("%d lines, want %d", places.Len(), n)
	}
	indices := []int{n - 1, 0, 7777}
	values, err := read.Lines(places, indices, new([]jsonstream.Parser))
	if err != nil {
		t.Fatal(err)
	}
	for i, index := range indices {
		member := values[i].Get("n")
		if got := string(member.Raw()); got != fmt.Sprint(index) {
			t.Errorf("line %d has n %s", index, got)
		}
		if got, want := member.Pointer(), fmt.Sprintf("/%d/n", index); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if line := member.Position().Line; line != index+1 {
			t.Errorf("in line %d, want %d", line, index+1)
		}
	}
}

// TestChangedFile checks a session file that is written while it is read.
func TestChangedFile(t *testing.T) {
	const n = 100
	text := newText(n)
	for name, change := range map[string]func([]byte) []byte{
		"shorter":     func(b []byte) []byte { return b[:len(b)/2] },
		"empty":       func([]byte) []byte { return nil },
		"other lines": func(b []byte) []byte { return bytes.Repeat([]byte("{}\n"), len(b)/3) },
		"no JSON":     func(b []byte) []byte { return bytes.Repeat([]byte("x"), len(b)) },
	} {
		t.Run(name, func(t *testing.T) {
			read, places := open(t, text)
			read.In = bytes.NewReader(change(bytes.Clone(text)))
			if _, err := read.Lines(places, []int{n - 1}, new([]jsonstream.Parser)); !errors.Is(err, ErrChanged) {
				t.Errorf("error %v, want ErrChanged", err)
			}
		})
	}
	read, places := open(t, text)
	read.In = bytes.NewReader(append(bytes.Clone(text), newText(3)...))
	if _, err := read.Lines(places, []int{n - 1}, new([]jsonstream.Parser)); err != nil {
		t.Errorf("lines were added to the end: %v", err)
	}
}

// TestOrderedErrors checks that the consumer of the results can end the run, and that the first
// error in the order of the text is reported.
func TestOrderedErrors(t *testing.T) {
	text := bytes.Replace(newText(60_000), []byte(`{"n":50000,`), []byte(`{"n":,`), 1)
	read := Text{jsonstream.LinesFile{In: bytes.NewReader(text), Start: jsonstream.NewRaw(text).Start, End: int64(len(text))}, jsonstream.Limits{}}
	lines := 0
	count := func(doc *jsonstream.Document) int { return doc.Root().Len() }
	_, err := Read(read, count, func(n int) error { lines += n; return nil })
	var syntax *jsonstream.SyntaxError
	if !errors.As(err, &syntax) || syntax.Line != 50_001 {
		t.Errorf("error %v, want one of line 50001", err)
	}
	if lines > 50_000 {
		t.Errorf("%d lines were taken", lines)
	}
	enough := errors.New("enough")
	took := 0
	if _, err := Read(read, count, func(int) error { took++; return enough }); !errors.Is(err, enough) || took != 1 {
		t.Errorf("error %v after %d blocks", err, took)
	}
}

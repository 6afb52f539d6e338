package jsonstream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// seen lists the pointers, positions and texts of all values in JSON Lines, and returns the error.
func seen(list *[]string, raw Raw, limits Limits) error {
	doc, err := Parse(raw, limits)
	if err != nil {
		return err
	}
	for i, line := range doc.Root().Elements() {
		for v := range line.All() {
			*list = append(*list, fmt.Sprint(i, v.Index(), v.Pointer(), v.Position(), v.NamePosition(), string(v.Raw())))
		}
		if i%1000 > 0 {
			continue
		}
		if at := doc.Root().At(line.Pointer()); at != line {
			return fmt.Errorf("%s leads to %q", line.Pointer(), at.Raw())
		}
	}
	return nil
}

// checkBlocks compares the blocks of a text with the whole text.
func checkBlocks(t *testing.T, text []byte, limits Limits, r io.Reader) {
	t.Helper()
	var want, got []string
	wantErr := seen(&want, Raw{Bytes: text, Start: start, Lines: true}, limits)
	blocks := NewBlocks(r, start, limits)
	var gotErr error
	for gotErr == nil {
		var raw Raw
		if raw, gotErr = blocks.Next(); gotErr == nil {
			gotErr = seen(&got, raw, limits)
		}
	}
	if errors.Is(gotErr, io.EOF) && wantErr == nil {
		gotErr = nil
	}
	var w, g *SyntaxError
	errors.As(wantErr, &w)
	if errors.As(gotErr, &g); (w == nil) != (g == nil) || (wantErr == nil) != (gotErr == nil) {
		t.Fatalf("error %v, want %v", gotErr, wantErr)
	}
	if w != nil {
		w.Err, g.Err = nil, nil // a CutError includes the place in its document
		if !reflect.DeepEqual(w, g) {
			t.Fatalf("error %+v, want %+v", g, w)
		}
		return
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%d values, want %d", len(got), len(want))
	}
}

// linesText returns JSON Lines with blank lines, white space, long and damaged lines.
func linesText(rng *rand.Rand, size int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"first":1}` + "\n")
	for b.Len() < size {
		switch rng.IntN(12) {
		case 0:
			b.WriteString(strings.Repeat([]string{"\n", " \n", "\t\r\n", " "}[rng.IntN(4)], rng.IntN(30)))
		case 1:
			fmt.Fprintf(&b, `["%s"]`+"\r\n", strings.Repeat("ä\\u00e9", rng.IntN(60_000)))
		default:
			fmt.Fprintf(&b, `{"n":%d,"text":"%s"}`+"\n", rng.IntN(99), strings.Repeat("x ", rng.IntN(3000)))
		}
	}
	text := b.Bytes()
	switch rng.IntN(8) {
	case 0:
		text = text[:rng.IntN(len(text)-20)+20]
	case 1:
		text[rng.IntN(len(text)-20)+20] = byte(rng.IntN(256))
	case 2:
		text = append(text, bytes.Repeat([]byte(" \n"), rng.IntN(blockBytes))...)
	case 3:
		text = append(append(text, `{"cut":`...), bytes.Repeat([]byte("\n "), rng.IntN(blockBytes))...)
	}
	return text
}

// The blocks of a text have the same values, places and first error as the whole text.
func TestBlocks(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 21))
		text := linesText(rng, rng.IntN(5*blockBytes))
		limits := Limits{}
		if rng.IntN(4) == 0 {
			limits.MaxBytes = int64(rng.IntN(2*blockBytes) + len(text)/linesFactor + 1)
		}
		r := io.Reader(bytes.NewReader(text))
		if rng.IntN(3) == 0 {
			r = iotest.HalfReader(r)
		}
		checkBlocks(t, text, limits, r)
	}
}

func TestBlocksReadError(t *testing.T) {
	broken := errors.New("broken")
	blocks := NewBlocks(io.MultiReader(strings.NewReader("{}\n{}\n"), iotest.ErrReader(broken)), start, Limits{})
	for range 2 {
		if _, err := blocks.Next(); !errors.Is(err, broken) {
			t.Errorf("the error is %v", err)
		}
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add([]byte("{}\n\n[1]\n"), uint16(3))
	f.Add([]byte("{\"a\":1}\n{\"b\":\n \n"), uint16(1))
	f.Fuzz(func(t *testing.T, text []byte, at uint16) {
		// The text is cut in the middle of this line.
		line := append(append(bytes.Repeat([]byte{' '}, blockBytes-1-int(at)), "[]\n"...), text...)
		checkBlocks(t, line, Limits{}, bytes.NewReader(line))
	})
}

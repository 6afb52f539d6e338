package jsonstream_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

var seeds = []string{
	"", "{}", "{}\n{}\n", "{}{}", "[1,2]\n\n{\"a\":\"\\\"}\"}", "{\"a\":1\n{\"b\":2}\n", "{\"a\":\"x\n{}",
	"hello\n{}", "{}}", "1 true \"x\"", "\xef\xbb\xbf{}", "{\"a\":NaN}", "{\"a\":1,\"a\":2}", "[[[[[[1]]]]]]",
	"{\"n\":1e5000000}", "{\"a\":\"\\ud800\"}", "{\"a\":{}\n,\"b\":1}\n{}",
}

func FuzzSplitter(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		limits := jsonstream.Limits{MaxBytes: 1 << 10}
		whole, err := split(bytes.NewReader(in), limits)
		if err != io.EOF {
			t.Fatalf("whole: %v", err)
		}
		// The size of reads only matters if the line rule is uncertain, in damaged input;
		// well-formed documents come out the same.
		bytewise, err := split(iotest.OneByteReader(bytes.NewReader(in)), limits)
		if err != io.EOF {
			t.Fatalf("byte by byte: %v", err)
		}
		if len(whole) == 0 != (len(bytes.Trim(in, " \t\r\n")) == 0) {
			t.Fatalf("%q gives %d documents", in, len(whole))
		}
		if diff := cmp.Diff(whole, bytewise); diff != "" && wellFormed(in) {
			t.Fatalf("reading byte by byte differs (-whole +bytewise):\n%s", diff)
		}
	})
}

// wellFormed reports whether a stream consists of documents that Parse accepts.
func wellFormed(in []byte) bool {
	s := jsonstream.NewSplitter(iotest.OneByteReader(bytes.NewReader(in)), jsonstream.Limits{})
	for {
		raw, err := s.Next()
		if err == io.EOF {
			return true
		}
		if err != nil {
			return false
		}
		if _, err := jsonstream.Parse(raw, jsonstream.Limits{}); err != nil {
			return false
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		d, err := jsonstream.Parse(jsonstream.NewRaw(in), jsonstream.Limits{MaxDepth: 50})
		if err != nil {
			var e *jsonstream.SyntaxError
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Offset < 0 || e.Offset > int64(len(in)) || e.Problem == "" {
				t.Fatalf("%q: error %#v", in, err)
			}
			return
		}
		for v := range d.Root().All() {
			if at := d.Root().At(v.Pointer()); !bytes.Equal(at.Raw(), v.Raw()) || at.Position() != v.Position() {
				t.Fatalf("%q: %s leads elsewhere", in, v.Pointer())
			}
		}
		compact := jsonstream.AppendCompact(nil, in)
		if want, err := jsontext.AppendFormat(nil, in, jsontext.PreserveRawStrings(true)); err != nil || !bytes.Equal(compact, want) {
			t.Fatalf("%q: compact %q, want %q, %v", in, compact, want, err)
		}
		again := parse(t, string(compact))
		twice := jsonstream.AppendCompact(nil, again.Raw().Bytes)
		if !bytes.Equal(compact, twice) {
			t.Fatalf("%q: compact %q is not compact: %q", in, compact, twice)
		}
	})
}

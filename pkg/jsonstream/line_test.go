package jsonstream_test

import (
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// TestLine checks that a document on one line stays as it is, and that others lose only white space.
func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"{\"a\": 1}\n":                     `{"a": 1}`,
		"\r\n [1, 2]\t":                    `[1, 2]`,
		"{\n \"a\" : 1.50 ,\r\n\"a\":2}\n": `{"a":1.50,"a":2}`,
		"[1,\r2]":                          `[1,2]`,
		"\"a\\n b\"":                       `"a\n b"`,
		"{\"a\":\n1}\n\n{\"b\": 2}\n":      "{\"a\":1}\n{\"b\":2}",
		"":                                 "",
	} {
		if got := string(jsonstream.Line([]byte(in))); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

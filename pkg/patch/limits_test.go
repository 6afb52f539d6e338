package patch

import (
	"errors"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Values that double with every operation are rejected before they take memory.
func TestLimits(t *testing.T) {
	tests := []struct {
		name, doc, patch string
		limits           jsonstream.Limits
		want             string
		is               error
	}{
		{name: "the root into itself", doc: `[1,2,3]`, patch: repeated(100, `{"op":"copy","from":"","path":"/-"}`),
			limits: jsonstream.Limits{MaxBytes: 1 << 16}, is: jsonstream.ErrTooLarge,
			want: "operation 14 (copy /-): the values that the patch copies are longer than the limit for a document"},
		{name: "copies that replace each other", doc: `{"a":"` + strings.Repeat("x", 1000) + `"}`,
			patch: repeated(100, `{"op":"copy","from":"/a","path":"/b"}`), limits: jsonstream.Limits{MaxBytes: 10_000}, is: jsonstream.ErrTooLarge,
			want: "operation 10 (copy /b): the values that the patch copies are longer than the limit for a document"},
		{name: "adding", doc: `[]`, patch: repeated(20, `{"op":"add","path":"/0","value":12345}`),
			limits: jsonstream.Limits{MaxBytes: 100}, is: jsonstream.ErrTooLarge,
			want: "the result is longer than 100 bytes"},
		{name: "deeper and deeper", doc: `{"a":{"a":{}}}`, patch: repeated(300, `{"op":"copy","from":"","path":"/a/a/a"}`),
			is: jsonstream.ErrTooDeep, want: "operation 171 (copy /a/a/a): the result is nested more than 512 levels deep"},
		{name: "deep by moving", doc: `[{},{},{},{}]`,
			patch:  `[{"op":"move","from":"/1","path":"/0/a"},{"op":"move","from":"/1","path":"/0/a/a"},{"op":"move","from":"/1","path":"/0/a/a/a"}]`,
			limits: jsonstream.Limits{MaxDepth: 3}, is: jsonstream.ErrTooDeep, want: "the result is nested more than 3 levels deep"},
		{name: "a long number compared again and again", doc: `1.` + strings.Repeat("0", 1000), patch: repeated(20, `{"op":"test","path":"","value":1}`),
			limits: jsonstream.Limits{MaxBytes: 10_000}, is: jsonstream.ErrTooLarge,
			want: "operation 10 (test): the values that the patch compares are longer than the limit for a document"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Parse(parse(t, tt.patch), JSON)
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Apply(parse(t, tt.doc), tt.limits)
			if !errors.Is(err, tt.is) || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func repeated(n int, operation string) string {
	return "[" + strings.Repeat(operation+",", n-1) + operation + "]"
}

// An array of a million elements, changed 200,000 times at its front.
func BenchmarkFront(b *testing.B) {
	doc := parse(b, "["+strings.Repeat("1,", 999_999)+"1]")
	p, err := Parse(parse(b, "["+strings.Repeat(`{"op":"add","path":"/0","value":2},{"op":"remove","path":"/1"},`, 100_000)+`{"op":"remove","path":"/0"}]`), JSON)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := p.Apply(doc, jsonstream.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

package patch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// What doubles with every operation is stopped before it takes memory.
func TestLimits(t *testing.T) {
	tests := []struct {
		name, doc, patch string
		limits           jsonstream.Limits
		want             string
		is               error
	}{
		{name: "the root into itself", doc: `[1,2,3]`, patch: repeated(100, `{"op":"copy","from":"","path":"/-"}`),
			limits: jsonstream.Limits{MaxBytes: 1 << 16}, is: jsonstream.ErrTooLarge,
			want: "operation 14 (copy /-): what the patch copies is longer than a document may be: raise --max-message-bytes"},
		{name: "copies that replace each other", doc: `{"a":"` + strings.Repeat("x", 1000) + `"}`,
			patch: repeated(100, `{"op":"copy","from":"/a","path":"/b"}`), limits: jsonstream.Limits{MaxBytes: 10_000}, is: jsonstream.ErrTooLarge,
			want: "operation 10 (copy /b): what the patch copies is longer than a document may be: raise --max-message-bytes"},
		{name: "adding", doc: `[]`, patch: repeated(20, `{"op":"add","path":"/0","value":12345}`),
			limits: jsonstream.Limits{MaxBytes: 100}, is: jsonstream.ErrTooLarge,
			want: "the result is longer than 100 bytes: split it, or raise --max-message-bytes"},
		{name: "deeper and deeper", doc: `{"a":{"a":{}}}`, patch: repeated(300, `{"op":"copy","from":"","path":"/a/a/a"}`),
			is: jsonstream.ErrTooDeep, want: "operation 171 (copy /a/a/a): the result is nested more than 512 levels deep: flatten the data, or raise --max-depth"},
		{name: "deep by moving", doc: `[{},{},{},{}]`,
			patch:  `[{"op":"move","from":"/1","path":"/0/a"},{"op":"move","from":"/1","path":"/0/a/a"},{"op":"move","from":"/1","path":"/0/a/a/a"}]`,
			limits: jsonstream.Limits{MaxDepth: 3}, is: jsonstream.ErrTooDeep, want: "the result is nested more than 3 levels deep: raise --max-depth"},
		{name: "a long number compared again and again", doc: `1.` + strings.Repeat("0", 1000), patch: repeated(20, `{"op":"test","path":"","value":1}`),
			limits: jsonstream.Limits{MaxBytes: 10_000}, is: jsonstream.ErrTooLarge,
			want: "operation 10 (test): what the patch compares is longer than a document may be: raise --max-message-bytes"},
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

// A list is what a slice would be, and stays low and in small pieces: that is what
// makes an operation cheap however long the array.
func TestList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := make([]*container, rapid.IntRange(0, 5000).Draw(t, "size"))
		elements := make([]node, len(want))
		for i := range want {
			want[i] = &container{}
			elements[i].open = want[i]
		}
		l := newList(elements)
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			many := rapid.IntRange(1, 200).Draw(t, "many")
			at := rapid.IntRange(0, len(want)).Draw(t, "at")
			insert := rapid.Bool().Draw(t, "insert")
			for range many {
				if insert {
					n := node{open: &container{}}
					l.insert(at, n)
					want = slices.Insert(want, at, n.open)
				} else if at < len(want) {
					if got := l.remove(at).open; got != want[at] {
						t.Fatalf("removed another element than that at %d", at)
					}
					want = slices.Delete(want, at, at+1)
				}
			}
		}
		var got []*container
		for n := range l.all {
			got = append(got, n.open)
		}
		if !slices.Equal(got, want) || l.count != len(want) {
			t.Fatalf("the list has %d elements and counts %d, want %d in the same order", len(got), l.count, len(want))
		}
		for i := range want {
			if l.at(i).open != want[i] {
				t.Fatalf("there is another element at %d", i)
			}
		}
		if height := checkList(t, l); height > 4 {
			t.Fatalf("the list is %d high", height)
		}
	})
}

func checkList(t *rapid.T, l *list) int {
	if len(l.elements) > mostParts || len(l.parts) > mostParts {
		t.Fatalf("a list has %d elements and %d parts", len(l.elements), len(l.parts))
	}
	height := 0
	for _, p := range l.parts {
		if p.count == 0 {
			t.Fatal("a part is empty")
		}
		height = max(height, checkList(t, p))
	}
	return height + 1
}

// Gaps that removed members leave do not add up.
func TestGaps(t *testing.T) {
	c := newObject(0)
	for i := range 100_000 {
		if err := c.add(fmt.Sprint(i), node{}); err != nil {
			t.Fatal(err)
		}
		if i < 10 {
			continue
		}
		if _, err := c.remove(fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
		if len(c.members) > 40 {
			t.Fatalf("%d members, of which 10 are there", len(c.members))
		}
	}
}

// A front of a million elements, changed 200,000 times.
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

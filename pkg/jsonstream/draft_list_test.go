package jsonstream

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A list behaves like a slice, and stays a low tree of small pieces, so that an operation is
// cheap in arrays of any length.
func TestList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := make([]*content, rapid.IntRange(0, 5000).Draw(t, "size"))
		elements := make([]Draft, len(want))
		for i := range want {
			want[i] = &content{}
			elements[i].now = want[i]
		}
		l := newList(elements)
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			many := rapid.IntRange(1, 200).Draw(t, "many")
			at := rapid.IntRange(0, len(want)).Draw(t, "at")
			insert := rapid.Bool().Draw(t, "insert")
			for range many {
				if insert {
					d := Draft{now: &content{}}
					l.insert(at, d)
					want = slices.Insert(want, at, d.now)
				} else if at < len(want) {
					l.remove(at)
					want = slices.Delete(want, at, at+1)
				}
			}
		}
		var got []*content
		l.all(func(d *Draft) bool {
			got = append(got, d.now)
			return true
		})
		if !slices.Equal(got, want) || l.count != len(want) {
			t.Fatalf("the list has %d elements and counts %d, want %d in the same order", len(got), l.count, len(want))
		}
		for i := range want {
			if l.at(i).now != want[i] {
				t.Fatalf("there is another element at %d", i)
			}
		}
		if height := checkList(t, l); height > 4 {
			t.Fatalf("the list is %d high", height)
		}
	})
}

func checkList(t *rapid.T, l *list) int {
	if len(l.elements) > maxParts || len(l.parts) > maxParts {
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

// The gaps left by removed members do not accumulate.
func TestGaps(t *testing.T) {
	doc, err := Parse(NewRaw([]byte("{}")), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	d := NewDraft(doc.Root())
	for i := range 100_000 {
		if !d.Insert(fmt.Sprint(i), NewDraft(doc.Root())) {
			t.Fatal("an object has no place for a member")
		}
		if i >= 10 && d.Take(fmt.Sprint(i)) == nil {
			t.Fatalf("member %d is not there", i)
		}
		if len(d.now.members) > 40 {
			t.Fatalf("%d members, of which %d are there", len(d.now.members), d.Len())
		}
	}
}

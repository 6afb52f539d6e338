package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// spent returns the cost of comparing two texts: the bytes of arrays that were read, and the pairs
// of elements that were compared for likeness.
func spent(t *testing.T, a, b string) (bytes int64, pairs int) {
	var roots [2]jsonstream.Value
	for i, text := range []string{a, b} {
		d, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		roots[i] = d.Root()
	}
	c := newComparison(roots[0], roots[1], false, 0)
	before := *c
	c.values(equal.Child{Value: roots[0]}, equal.Child{Value: roots[1]}, nil)
	return before.work - max(c.work, 0), before.likeness - c.likeness
}

func TestCostGrowsWithTheSize(t *testing.T) {
	turns := func(n int, word string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"role":"user","content":"%s%d said %s%d twice"},`, word, i, word, i*7)
		}
		return "[" + b.String() + "0]"
	}
	nested := func(n int, end string) string {
		return strings.Repeat("[0,", n) + strings.Repeat("[1],", n) + end + strings.Repeat("]", n)
	}
	for _, tt := range []struct {
		name  string
		make  func(n int) (a, b string)
		pairs int // the maximum for each element
	}{
		{name: "all turns differ", pairs: 2*near + 1, make: func(n int) (string, string) { return turns(n, "x"), turns(n, "y") }},
		{name: "most turns are new", pairs: 2*near + 1, make: func(n int) (string, string) { return turns(n/100, "x"), turns(n, "y") }},
		{name: "arrays in arrays", pairs: 2*near + 1, make: func(n int) (string, string) { return nested(n/20, "2"), nested(n/20, "3") }},
		{name: "objects in objects", make: func(n int) (string, string) {
			return strings.Repeat(`{"a":`, n/20) + "1" + strings.Repeat("}", n/20), strings.Repeat(`{"a":`, n/20) + "2" + strings.Repeat("}", n/20)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, n := range []int{4000, 8000} {
				a, b := tt.make(n)
				bytes, pairs := spent(t, a, b)
				if size := int64(len(a) + len(b)); bytes > rounds*size {
					t.Errorf("%d: looked at %d bytes of %d", n, bytes, size)
				}
				if limit := max(fullGap, tt.pairs*n); pairs > limit {
					t.Errorf("%d: looked at %d pairs, want at most %d", n, pairs, limit)
				}
			}
		})
	}
}

// Elements that are too deep to be matched are compared by index.
func TestNothingIsMissedWhenTheCostIsReached(t *testing.T) {
	nested := func(inner string) *jsonstream.Document {
		text := strings.Repeat("[7,", 200) + inner + strings.Repeat(",8]", 200)
		d, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	var got []string
	for leaf := range Compare(nested("[1,2,3]"), nested("[0,1,2,3]"), Options{}).Leaves() {
		got = append(got, fmt.Sprintf("%s %s %s", leaf.Kind, leaf.Old.Raw(), leaf.New.Raw()))
	}
	if d := cmp.Diff([]string{"changed 1 0", "changed 2 1", "changed 3 2", "added  3"}, got); d != "" {
		t.Error(d)
	}
}

// Elements with one hash are equal only if they are.
func TestHashesOnlySuggest(t *testing.T) {
	olds, news := children(t, `[1,2,3]`), children(t, `[1,4,2,5]`)
	m := newMatching(&comparison{}, olds, news, nil)
	m.byHash(make([]uint64, len(olds)), make([]uint64, len(news)))
	for i, j := range m.to {
		if j >= 0 && !equal.Same(olds[i], news[j]) {
			t.Errorf("%s is taken for %s", olds[i].Value.Raw(), news[j].Value.Raw())
		}
	}
}

func children(t interface{ Fatal(...any) }, text string) []equal.Child {
	d, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return equal.Relation{}.Children(d.Root())
}

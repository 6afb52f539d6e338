package align_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/internal/align"
)

func TestPairs(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b string
		want []align.Pair
	}{
		{name: "both empty"},
		{name: "one empty", a: "abc"},
		{name: "equal", a: "abc", b: "abc", want: []align.Pair{{0, 0}, {1, 1}, {2, 2}}},
		{name: "nothing in common", a: "abc", b: "xyz"},
		{name: "an insertion", a: "abc", b: "axbc", want: []align.Pair{{0, 0}, {1, 2}, {2, 3}}},
		{name: "a removal", a: "axbc", b: "abc", want: []align.Pair{{0, 0}, {2, 1}, {3, 2}}},
		{name: "the longer of two moved parts stays", a: "12abc", b: "abc12", want: []align.Pair{{2, 0}, {3, 1}, {4, 2}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := align.Pairs([]byte(tt.a), []byte(tt.b))
			if len(got)+len(tt.want) > 0 && !cmp.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// common returns the length of a longest common subsequence, by the definition.
func common[T comparable](a, b []T) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func check[T comparable](t interface{ Fatalf(string, ...any) }, a, b []T, pairs []align.Pair) {
	last := align.Pair{A: -1, B: -1}
	for _, p := range pairs {
		if p.A <= last.A || p.B <= last.B {
			t.Fatalf("%v after %v", p, last)
		}
		if a[p.A] != b[p.B] {
			t.Fatalf("%v pairs %v with %v", p, a[p.A], b[p.B])
		}
		last = p
	}
}

func TestPairsAreLongest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		symbol := rapid.IntRange(0, rapid.IntRange(0, 30).Draw(t, "symbols"))
		a := rapid.SliceOfN(symbol, 0, 60).Draw(t, "a")
		b := rapid.SliceOfN(symbol, 0, 60).Draw(t, "b")
		pairs := align.Pairs(a, b)
		check(t, a, b, pairs)
		if want := common(a, b); len(pairs) != want {
			t.Fatalf("%d pairs, want %d", len(pairs), want)
		}
		if again := align.Pairs(a, b); !slices.Equal(again, pairs) {
			t.Fatalf("got %v, and then %v", pairs, again)
		}
	})
}

func TestIncreasing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SliceOfN(rapid.IntRange(0, 20), 0, 40).Draw(t, "s")
		got := align.Increasing(s, nil)
		for i := 1; i < len(got); i++ {
			if got[i] <= got[i-1] || s[got[i]] <= s[got[i-1]] {
				t.Fatalf("%v is not increasing in %v", got, s)
			}
		}
		sorted := slices.Compact(slices.Sorted(slices.Values(s)))
		if want := common(s, sorted); len(got) != want {
			t.Fatalf("%v has length %d, want %d", got, len(got), want)
		}
	})
}

func TestIncreasingByWeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SliceOfN(rapid.IntRange(0, 9), 0, 10).Draw(t, "s")
		weights := rapid.SliceOfN(rapid.Int64Range(1, 5), len(s), len(s)).Draw(t, "weights")
		most := int64(0)
		for set := range 1 << len(s) {
			sum, last := int64(0), -1
			for i, x := range s {
				if set>>i&1 == 1 && sum >= 0 {
					if sum += weights[i]; x <= last {
						sum = -1
					}
					last = x
				}
			}
			most = max(most, sum)
		}
		sum, last := int64(0), -1
		for _, i := range align.Increasing(s, weights) {
			if s[i] <= last {
				t.Fatalf("%d is not above %d", s[i], last)
			}
			last = s[i]
			sum += weights[i]
		}
		if sum != most {
			t.Fatalf("got weight %d, want %d", sum, most)
		}
	})
}

// sequences are pairs of sequences that are costly to align, each for its own reason.
var sequences = []struct {
	name string
	make func(r *rand.Rand) (a, b []int)
	min  float64 // the minimum part of a that is paired
}{
	{name: "2 symbols, 300000", make: func(r *rand.Rand) ([]int, []int) { return random(r, 300_000, 2), random(r, 300_000, 2) }, min: 0.7},
	{name: "4 symbols, 20000", make: func(r *rand.Rand) ([]int, []int) { return random(r, 20_000, 4), random(r, 20_000, 4) }, min: 0.6},
	{name: "100 symbols, 20000", make: func(r *rand.Rand) ([]int, []int) { return random(r, 20_000, 100), random(r, 20_000, 100) }, min: 0.12},
	{name: "shuffled, 200000", make: func(r *rand.Rand) ([]int, []int) { return r.Perm(200_000), r.Perm(200_000) }, min: 0.004},
	{name: "shuffled with a few repeated, 200000", make: func(r *rand.Rand) ([]int, []int) {
		return append(r.Perm(200_000), 1, 2, 3), append(r.Perm(200_000), 3, 2, 1)
	}, min: 0.004},
	{name: "nothing in common, 300000", make: func(r *rand.Rand) ([]int, []int) {
		a, b := r.Perm(300_000), r.Perm(300_000)
		for i := range b {
			b[i] += len(b)
		}
		return a, b
	}},
	{name: "30 changes in 300000", make: func(r *rand.Rand) ([]int, []int) {
		a := random(r, 300_000, 1000)
		return a, changed(r, a, 30)
	}, min: 0.9998},
	{name: "6000 changes in 300000", make: func(r *rand.Rand) ([]int, []int) {
		a := random(r, 300_000, 1000)
		return a, changed(r, a, 6_000)
	}, min: 0.95},
	{name: "runs of the same, 200000", make: func(r *rand.Rand) ([]int, []int) {
		a, b := make([]int, 200_000), make([]int, 200_000)
		for i := range 2000 {
			a[i*100+r.IntN(100)], b[i*100+r.IntN(100)] = 1+i%3, 1+i%3
		}
		return append(a, 5), append(b, 6)
	}, min: 0.95},
	{name: "one run moved, 200000", make: func(r *rand.Rand) ([]int, []int) {
		a := random(r, 200_000, 1000)
		return a, slices.Concat(a[150_000:], a[:150_000])
	}, min: 0.5},
}

func random(r *rand.Rand, n, symbols int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = r.IntN(symbols)
	}
	return s
}

// changed returns s with some elements replaced, removed, or preceded by another one.
func changed(r *rand.Rand, s []int, changes int) []int {
	var out []int
	at := map[int]int{}
	for range changes {
		at[r.IntN(len(s))] = r.IntN(3)
	}
	for i, x := range s {
		what, ok := at[i]
		if ok && what != 1 {
			out = append(out, r.IntN(1000))
		}
		if !ok || what == 2 {
			out = append(out, x)
		}
	}
	return out
}

func TestPairsOfLongSequences(t *testing.T) {
	for _, tt := range sequences {
		t.Run(tt.name, func(t *testing.T) {
			a, b := tt.make(rand.New(rand.NewPCG(1, 2)))
			pairs := align.Pairs(a, b)
			check(t, a, b, pairs)
			if part := float64(len(pairs)) / float64(len(a)); part < tt.min {
				t.Errorf("paired %.4f of the elements, want at least %.4f", part, tt.min)
			}
		})
	}
}

func BenchmarkPairs(b *testing.B) {
	for _, s := range sequences {
		x, y := s.make(rand.New(rand.NewPCG(1, 2)))
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n = len(align.Pairs(x, y))
			}
			b.ReportMetric(float64(n), "pairs")
		})
	}
}

func FuzzPairs(f *testing.F) {
	f.Add([]byte("abcabba"), []byte("cbabac"))
	f.Add([]byte(""), []byte("a"))
	f.Add([]byte("aaab"), []byte("baaa"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		pairs := align.Pairs(a, b)
		check(t, a, b, pairs)
		if back := align.Pairs(b, a); len(a)+len(b) < 2000 && (len(back) != len(pairs) || len(pairs) != common(a, b)) {
			t.Errorf("%d pairs, the other way round %d, want %d", len(pairs), len(back), common(a, b))
		}
	})
}

func Example() {
	was, is := []string{"a", "quick", "fox"}, []string{"a", "very", "quick", "fox"}
	fmt.Println(align.Pairs(was, is))
	fmt.Println(align.Increasing([]int{3, 1, 2, 5}, nil))
	// Output:
	// [{0 0} {1 2} {2 3}]
	// [1 2 3]
}

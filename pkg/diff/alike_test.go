package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func TestGapsAreFilledWithWhatIsMostAlike(t *testing.T) {
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(strings.Split("abcdefgh", "")), 2, 5), func(words []string) string {
		return `"` + strings.Join(words, " ") + `"`
	})
	array := rapid.Map(rapid.SliceOfN(text, 1, 6), func(list []string) string { return "[" + strings.Join(list, ",") + "]" })
	rapid.Check(t, func(t *rapid.T) {
		olds, news := children(t, array.Draw(t, "a")), children(t, array.Draw(t, "b"))
		m := newMatching(&comparison{sketches: maxSketches, likeness: maxLikeness}, olds, news, nil)
		m.alike()
		g := gap{indices(len(olds)), indices(len(news))}
		got := 0
		for i, j := range m.to {
			if j >= 0 {
				got += m.score(g, i, int(j))
			}
		}
		if want := maxAlike(m, g, 0, 0); got != want {
			t.Fatalf("matched by %v, which are alike by %d, want %d", m.to, got, want)
		}
	})
}

func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// maxAlike returns the maximum total likeness of the elements from i and j on.
func maxAlike(m *matching, g gap, i, j int) int {
	if i == len(g.olds) || j == len(g.news) {
		return 0
	}
	best := max(maxAlike(m, g, i+1, j), maxAlike(m, g, i, j+1))
	if score := m.score(g, i, j); score >= alikeEnough {
		best = max(best, score+maxAlike(m, g, i+1, j+1))
	}
	return best
}

func TestLongGapsAreFilledNearTheDiagonal(t *testing.T) {
	turn := func(i int, end string) string { return fmt.Sprintf(`"turn %d says %d and %d%s"`, i, i*7, i*11, end) }
	for _, tt := range []struct {
		name    string
		ahead   int // the number of other elements before it in the new array
		between int // the number of other elements after each
	}{
		{name: "a few inserted", ahead: 2},
		{name: "as many inserted as are near", ahead: near},
		{name: "one inserted after each", ahead: near, between: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const turns = 400
			var a []string
			b := slices.Repeat([]string{`"another one"`}, tt.ahead)
			for i := range turns {
				a = append(a, turn(i, ""))
				b = append(append(b, turn(i, " indeed")), slices.Repeat([]string{`"another one"`}, tt.between)...)
			}
			olds, news := children(t, "["+strings.Join(a, ",")+"]"), children(t, "["+strings.Join(b, ",")+"]")
			m := newMatching(&comparison{sketches: maxSketches, likeness: maxLikeness}, olds, news, nil)
			m.alike()
			for i, j := range m.to {
				if want := tt.ahead + i*(1+tt.between); int(j) != want {
					t.Errorf("%d became %d, want %d", i, j, want)
				}
			}
		})
	}
}

// textOf returns the sketch of a text.
func textOf(t *testing.T, words []string) *sketch {
	return new(sampler).sketch(children(t, `["`+strings.Join(words, " ")+`"]`)[0])
}

func TestLikenessOfLongTexts(t *testing.T) {
	for _, tt := range []struct {
		name     string
		from, to int // of 0 to 1000 words
		want     int
	}{
		{name: "the same", from: 0, to: 1000, want: 1000},
		{name: "a tenth differs", from: 100, to: 1100, want: 900},
		{name: "half differs", from: 500, to: 1500, want: 500},
		{name: "all differs", from: 1000, to: 2000, want: 0},
		{name: "a part of it", from: 0, to: 200, want: 333},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const texts = 20
			sum := 0
			for i := range texts {
				var words []string
				for k := range 2000 {
					words = append(words, fmt.Sprintf("%x", i*2000+k))
				}
				sum += textOf(t, words[:1000]).likeness(textOf(t, words[tt.from:tt.to]))
			}
			if got := sum / texts; got < tt.want-30 || got > tt.want+30 {
				t.Errorf("got %d, want about %d", got, tt.want)
			}
		})
	}
}

func TestTheOrderOfManyWordsCounts(t *testing.T) {
	words := strings.Fields("a long text with some twenty words in it that are all different from each other as far as one can tell")
	slices.Sort(words)
	words = slices.Compact(words)
	reversed := slices.Clone(words)
	slices.Reverse(reversed)
	if got := textOf(t, words).likeness(textOf(t, reversed)); got < 480 || got > 540 {
		t.Errorf("reversed words are alike by %d, want about half", got)
	}
}

// TestLeast compares the smallest features with all of them, sorted.
func TestLeast(t *testing.T) {
	var p sampler
	rapid.Check(t, func(t *rapid.T) {
		// Some have the same top byte, and some occur twice.
		feature := rapid.OneOf(rapid.Uint64(), rapid.Uint64Max(20), rapid.Uint64Range(7<<56, 9<<56))
		p.features = rapid.SliceOfN(feature, 1, 4*maxFeatures).Draw(t, "features")
		want := slices.Clone(p.features)
		slices.Sort(want)
		want = slices.Compact(want)
		got := p.least()
		if len(got) <= maxFeatures && len(got) < len(want) || !slices.Equal(got, want[:len(got)]) {
			t.Errorf("got %d, want %d: %v, %v", got, len(want), got, want)
		}
	})
}

// TestLikenessByCounting compares likeness with the counted size of the intersection.
func TestLikenessByCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) *sketch {
			s := &sketch{kind: jsonstream.Object, all: rapid.Bool().Draw(t, label+" is all")}
			s.features = rapid.SliceOfNDistinct(rapid.Uint64Max(120), 1, maxFeatures, rapid.ID).Draw(t, label)
			slices.Sort(s.features)
			return s
		}
		a, b := draw("a"), draw("b")
		union := slices.Concat(a.features, b.features)
		slices.Sort(union)
		union = slices.Compact(union)
		if !(a.all && b.all) {
			union = union[:min(len(union), maxFeatures)]
		}
		shared := 0
		for _, f := range union {
			if slices.Contains(a.features, f) && slices.Contains(b.features, f) {
				shared++
			}
		}
		if got, want := a.likeness(b), 2000*shared/(len(union)+shared); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	})
}

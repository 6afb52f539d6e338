package tokens

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// mergeSlowly follows the definition: it joins the leftmost pair of the lowest rank until no pair
// is a token.
func mergeSlowly(v *vocabulary, s string) []int {
	starts := make([]int, len(s)+1)
	for i := range starts {
		starts[i] = i
	}
	for {
		least, at := uint32(none), 0
		for i := 0; i+2 < len(starts); i++ {
			if r := rankOf(v, s[starts[i]:starts[i+2]]); r < least {
				least, at = r, i
			}
		}
		if least == none {
			return starts
		}
		starts = slices.Delete(starts, at+1, at+2)
	}
}

func pieces() *rapid.Generator[string] {
	unit := rapid.SampledFrom([]string{"a", "aa", "b", "ab", "the", "ing", " ", "\n", "    ", "=", "==", "0", "00", "1", "中", "é", "\u0301", "Z", "xq"})
	return rapid.Custom(func(t *rapid.T) string {
		var s strings.Builder
		for range rapid.IntRange(1, 8).Draw(t, "runs") {
			run := strings.Join(rapid.SliceOfN(unit, 1, 6).Draw(t, "units"), "")
			s.WriteString(strings.Repeat(run, rapid.IntRange(1, 40).Draw(t, "times")))
		}
		return s.String()
	})
}

func TestMerge(t *testing.T) {
	for _, v := range []*vocabulary{o200k(), cl100k(), p50k(), r50k()} {
		rapid.Check(t, func(t *rapid.T) {
			s := pieces().Draw(t, "piece")
			want := mergeSlowly(v, s[:min(len(s), 400)])
			if got := merge(new(merger), v, s[:min(len(s), 400)]); !slices.Equal(got, want) {
				t.Errorf("merge: got %v, want %v", got, want)
			}
			short := s[:min(len(s), scanLimit)]
			if got, want := countShort(v, short), len(mergeSlowly(v, short))-1; got != want {
				t.Errorf("countShort: got %d, want %d", got, want)
			}
		})
	}
}

func TestMergeInStretches(t *testing.T) {
	for _, v := range []*vocabulary{o200k(), cl100k(), p50k(), r50k()} {
		rapid.Check(t, func(t *rapid.T) {
			s := pieces().Draw(t, "piece")
			want := len(merge(new(merger), v, s)) - 1
			// Small stretches are cut at critical places, and must be merged again.
			for _, size := range []int{160, 256, 700} {
				if got := countLong(new(merger), v, s, size); got != want {
					t.Errorf("in stretches of %d bytes: got %d tokens, want %d", size, got, want)
				}
			}
		})
	}
}

// TestMergeTakenAgain has the end of the first stretch in the middle of a long token, where the
// whole text has no cut.
func TestMergeTakenAgain(t *testing.T) {
	v := o200k()
	for pad := range 160 {
		for _, unit := range []string{" ", "=", "-", "*", "\n", "\t"} {
			s := strings.Repeat("q", pad) + strings.Repeat(unit, 300)
			want := len(merge(new(merger), v, s)) - 1
			if got := countLong(new(merger), v, s, 160); got != want {
				t.Errorf("%d times q and %q: got %d tokens, want %d", pad, unit, got, want)
			}
		}
	}
}

func TestMergeInBoundedMemory(t *testing.T) {
	v := o200k()
	for _, unit := range []string{"a", " ", "中", "ab", "\n", "'s", "👩\u200d", "qz"} {
		m := new(merger)
		countLong(m, v, strings.Repeat(unit, 4*window/len(unit)), window)
		if cap(m.parts) > 2*window || cap(m.heap) > 4*window {
			t.Errorf("%+q: room for %d parts and %d candidates", unit, cap(m.parts), cap(m.heap))
		}
	}
}

// TestVocabulary looks up every token.
func TestVocabulary(t *testing.T) {
	for _, tt := range []struct {
		name            string
		v               *vocabulary
		tokens, longest int
	}{
		{name: "o200k", v: o200k(), tokens: 199998, longest: 128},
		{name: "cl100k", v: cl100k(), tokens: 100256, longest: 128},
		{name: "p50k", v: p50k(), tokens: 50280, longest: 128},
		{name: "r50k", v: r50k(), tokens: 50256, longest: 128},
	} {
		tokens := 0
		for rank := range tt.v.starts {
			token := tt.v.token(uint32(rank))
			if len(token) == 0 {
				continue
			}
			tokens++
			if got := rankOf(tt.v, token); got != uint32(rank) {
				t.Errorf("%s: token %q has rank %d, want %d", tt.name, token, got, rank)
			}
		}
		if tokens != tt.tokens || tt.v.longest != tt.longest {
			t.Errorf("%s: got %d tokens of up to %d bytes, want %d and %d", tt.name, tokens, tt.v.longest, tt.tokens, tt.longest)
		}
	}
}

// TestNoBlanksAfterLineBreaks shows why the counts of cl100k_base did not change with the pattern
// in tiktoken.
func TestNoBlanksAfterLineBreaks(t *testing.T) {
	v := cl100k()
	for rank := range v.starts {
		token := v.token(uint32(rank))
		rest := token[strings.LastIndexAny(token, "\r\n")+1:]
		if rest != token && rest != "" && strings.IndexByte(" \t\v\f\xC2\xE1\xE2\xE3", rest[0]) >= 0 {
			t.Errorf("token %+q goes on with blanks after its last line break", token)
		}
	}
}

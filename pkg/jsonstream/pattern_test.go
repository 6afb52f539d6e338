package jsonstream_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func patterns(t interface{ Fatal(...any) }, texts ...string) []jsonstream.Pattern {
	var list []jsonstream.Pattern
	for _, text := range texts {
		p, err := jsonstream.ParsePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		if p.String() != text {
			t.Fatal("the pattern ", text, " is written ", p.String())
		}
		list = append(list, p)
	}
	return list
}

// tokens splits a valid pointer.
func tokens(at string) []string {
	list, _ := jsonstream.SplitPointer(at)
	return list
}

func TestPattern(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		fits    []string
		not     []string
	}{
		{pattern: "", fits: []string{""}, not: []string{"/", "/a"}},
		{pattern: "/a/b", fits: []string{"/a/b"}, not: []string{"", "/a", "/a/b/c", "/a/c"}},
		{pattern: "/a/*", fits: []string{"/a/b", "/a/0", "/a/"}, not: []string{"/a", "/a/b/c"}},
		{pattern: "/a/**", fits: []string{"/a", "/a/b", "/a/b/c"}, not: []string{"", "/b/a"}},
		{pattern: "/**/a", fits: []string{"/a", "/b/a", "/a/a/a"}, not: []string{"", "/a/b"}},
		{pattern: "/**/a/*/**", fits: []string{"/a/b", "/x/a/b/c"}, not: []string{"/a", "/x/a"}},
		{pattern: "/a~1b/m~0n", fits: []string{"/a~1b/m~0n"}, not: []string{"/a/b/m~0n"}},
		{pattern: "/*a", fits: []string{"/*a"}, not: []string{"/ba"}},
	} {
		t.Run(tt.pattern, func(t *testing.T) {
			p := patterns(t, tt.pattern)[0]
			for _, at := range tt.fits {
				if !p.Match(tokens(at)) {
					t.Errorf("does not match %q", at)
				}
			}
			for _, at := range tt.not {
				if p.Match(tokens(at)) {
					t.Errorf("matches %q", at)
				}
			}
		})
	}
}

func TestParsePatternRejects(t *testing.T) {
	for _, text := range []string{"a", "a/b", "/~", "/~2", "*"} {
		if _, err := jsonstream.ParsePattern(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

// patternOf and placeOf draw from few tokens, so that they often match.
func patternOf(t *rapid.T) jsonstream.Pattern {
	list := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "*", "**"}), 0, 6).Draw(t, "pattern")
	return patterns(t, join(list))[0]
}

func placeOf(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 6).Draw(t, "place")
}

func join(tokens []string) string {
	if len(tokens) == 0 {
		return ""
	}
	return "/" + strings.Join(tokens, "/")
}

// fits implements Match by its definition.
func fits(pattern, place []string) bool {
	switch {
	case len(pattern) == 0:
		return len(place) == 0
	case pattern[0] == "**":
		return fits(pattern[1:], place) || len(place) > 0 && fits(pattern, place[1:])
	case len(place) == 0:
		return false
	default:
		return (pattern[0] == "*" || pattern[0] == place[0]) && fits(pattern[1:], place[1:])
	}
}

func TestMatchIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, place := patternOf(t), placeOf(t)
		if got, want := p.Match(place), fits(tokens(p.String()), place); got != want {
			t.Fatalf("%s matches %v: %v, want %v", p, place, got, want)
		}
	})
}

func TestStepsAgreeWithMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := []jsonstream.Pattern{patternOf(t), patternOf(t), patternOf(t)}
		place := placeOf(t)
		set := jsonstream.NewPatternSet(list...)
		for _, token := range place {
			set = set.Step(token)
		}
		want := slices.ContainsFunc(list, func(p jsonstream.Pattern) bool { return p.Match(place) })
		if set.Match() != want {
			t.Fatalf("%v at %v: %v, want %v", list, place, set.Match(), want)
		}
	})
}

// counts reports whether a place is included by the definition of a mask.
func counts(ignore, only []jsonstream.Pattern, place []string) bool {
	above := func(list []jsonstream.Pattern) bool {
		for n := range len(place) + 1 {
			if slices.ContainsFunc(list, func(p jsonstream.Pattern) bool { return p.Match(place[:n]) }) {
				return true
			}
		}
		return false
	}
	return !above(ignore) && (len(only) == 0 || above(only))
}

func TestMaskIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.Custom(patternOf), 0, 3)
		ignore, only := some.Draw(t, "ignore"), some.Draw(t, "only")
		place := placeOf(t)
		mask, reached := jsonstream.NewMask(ignore, only), true
		for _, token := range place {
			if reached {
				mask, reached = mask.Step(token)
			}
		}
		if got, want := reached && !mask.Partly(), counts(ignore, only, place); got != want {
			t.Fatalf("without %v, only %v: %v counts: %v, want %v", ignore, only, place, got, want)
		}
		if mask.Open() && reached {
			if below := append(place, placeOf(t)...); !counts(ignore, only, below) {
				t.Fatalf("open at %v, but %v does not count", place, below)
			}
		}
	})
}

func TestManyStarsTakeFewSteps(t *testing.T) {
	p := patterns(t, strings.Repeat("/**/a", 200))[0]
	place := slices.Repeat([]string{"a"}, 5000)
	if p.Match(append(place, "b")) {
		t.Error("matches a place that ends otherwise")
	}
	set := jsonstream.NewPatternSet(p)
	for _, token := range place {
		if set = set.Step(token); len(set) > 401 {
			t.Fatalf("%d patterns are left of one of 400 tokens", len(set))
		}
	}
}

func FuzzPattern(f *testing.F) {
	for _, seed := range []string{"", "/a/*/**", "/~0~1", "a", "/~"} {
		f.Add(seed, "/a")
	}
	f.Fuzz(func(t *testing.T, text, at string) {
		p, err := jsonstream.ParsePattern(text)
		place, ok := jsonstream.SplitPointer(at)
		if err != nil || !ok || len(place) > 10 {
			return
		}
		if p.String() != text {
			t.Errorf("%q is written %q", text, p)
		}
		if len(tokens(text)) < 10 && p.Match(place) != fits(tokens(text), place) {
			t.Errorf("%q matches %q: %v", text, at, p.Match(place))
		}
	})
}

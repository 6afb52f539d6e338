package safety

import (
	"testing"

	"pgregory.net/rapid"
)

// No expression matches where its opening excludes a match.
func TestOpening(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, r *rule, text string) (matches int) {
		r.prepare()
		for at := range len(text) {
			rest := text[at:min(len(text), at+r.reach)]
			for i, e := range r.exprs {
				if !e().MatchString(rest) {
					continue
				}
				matches++
				if !r.openings[i].may(rest) {
					t.Fatalf("%s: %q matches %q", r.source.ID, e(), rest)
				}
			}
		}
		return matches
	}
	for _, r := range builtin().rules {
		for _, example := range r.source.Match {
			if check(t, r, example) == 0 {
				t.Errorf("%s: no match in %q", r.source.ID, example)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(builtin().rules).Draw(t, "rule")
		check(t, r, drawText(t, &RuleSet{rules: []*rule{r}}, "text"))
	})
}

func TestOpeningOf(t *testing.T) {
	for _, test := range []struct {
		expr, text string
		want       bool
	}{
		{`ab[cd]e`, "abde", true},
		{`ab[cd]e`, "ABDE", true},
		{`ab[cd]e`, "abee", false},
		{`x?ab`, "ab..", true},
		{`x?ab`, "xab.", true},
		{`x?ab`, "xx..", false},
		{`a(?:bc)*\b`, "a ..", true},
		{`sk.d`, "\u017f...", true}, // folds to s
		{`abcd`, "ab", true},
	} {
		o := openingOf(anchored(test.expr))
		if got := o.may(test.text); got != test.want {
			t.Errorf("%s, %q: got %v", test.expr, test.text, got)
		}
	}
}

package safety

import (
	"testing"

	"pgregory.net/rapid"
)

// What is remembered of a word leaves out no literal that begins there, and names one as
// the only one where it is.
func TestWordActs(t *testing.T) {
	for name, set := range map[string]*RuleSet{"built-in": builtin(), "odd": oddRules(t)} {
		f := set.index().prefilter()
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				text := drawText(t, set, "text")
				for i := 1; i+8 < len(text); i++ {
					if !alnum(text[i]) || alnum(text[i-1]) {
						continue
					}
					n := 1
					for n < 8 && alnum(text[i+n]) {
						n++
					}
					w := f.acts(wordKey(eight(text[i:])|fold8, n))
					if w.only > 0 && !hasPrefixFold(text[i:], f.candidates[w.only-1].text) {
						t.Fatalf("%q does not begin with %q", text[i:], f.candidates[w.only-1].text)
					}
					checkWordActs(t, f, w, text, i, n)
				}
			})
		})
	}
}

// checkWordActs holds w, of the word of n bytes at text[i], against all literals that are
// there.
func checkWordActs(t *rapid.T, f *prefilter, w wordActs, text string, i, n int) {
	onward := w.onward>>(text[i+onwardAt(n)]&31)&1 != 0
	led := w.led>>(text[i-1]&31)&1 != 0
	for _, e := range f.starts {
		c, from := &f.candidates[e.candidate], i-int(e.lead)
		if from < 0 || !hasPrefixFold(text[from:], c.text) {
			continue
		}
		sure := c.near&^w.near == 0 && (c.announces|c.waits == 0 || w.acts == 1) && (w.only == 0 || w.only == e.candidate+1)
		if e.lead > 0 && !led || e.lead == 0 && !onward && !sure {
			t.Fatalf("%q in %q is not in %+v", c.text, text[from:], w)
		}
	}
}

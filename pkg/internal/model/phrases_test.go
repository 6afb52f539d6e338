package model

import (
	_ "embed"
	"strings"
	"testing"
)

//go:embed testdata/phrases.txt
var phrases string

// TestPhrases logs how many phrases of each section, none of them in the training data, score above
// some limits, and which are on the wrong side of Threshold. It fails if the weights have become
// much worse.
func TestPhrases(t *testing.T) {
	limits := [...]float64{0.5, 0.82, 0.9, Threshold}
	type counts struct {
		n     int
		above [len(limits)]int
	}
	found, falsely := make(map[string]*counts), make(map[string]*counts)
	var sections []string
	for line := range strings.Lines(phrases) {
		mark, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		text = strings.ReplaceAll(text, `\n`, "\n")
		group := falsely
		switch mark {
		case "=":
			sections = append(sections, text)
			found[text], falsely[text] = &counts{}, &counts{}
			continue
		case "+":
			group = found
		case "-":
		default:
			continue
		}
		score := Score(text)
		c := group[sections[len(sections)-1]]
		c.n++
		for i, limit := range limits {
			if score > limit {
				c.above[i]++
			}
		}
		if score > Threshold != (mark == "+") {
			t.Logf("%.3f %s %.90s", score, mark, text)
		}
	}
	var all, allFalse counts
	t.Logf("above %v", limits)
	for _, name := range sections {
		f, w := found[name], falsely[name]
		t.Logf("%-12s found %v of %2d, falsely %v of %2d", name, f.above, f.n, w.above, w.n)
		all.n, allFalse.n = all.n+f.n, allFalse.n+w.n
		for i := range limits {
			all.above[i] += f.above[i]
			allFalse.above[i] += w.above[i]
		}
	}
	t.Logf("%-12s found %v of %d, falsely %v of %d", "all", all.above, all.n, allFalse.above, allFalse.n)
	if last := len(limits) - 1; 5*all.above[last] < 2*all.n || 20*allFalse.above[last] > allFalse.n {
		t.Errorf("above %v: %d of %d orders, %d of %d harmless phrases", Threshold, all.above[last], all.n, allFalse.above[last], allFalse.n)
	}
}

package privacy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"
)

var (
	labelledSet = flag.String("labelled", "", "measure precision and recall on a file of labelled texts, made by scripts/measure-privacy.py")
	showErrors  = flag.Bool("errors", false, "with -labelled, show what was missed and what was wrong")
)

// A labelledText is a line of the file.
type labelledText struct {
	Text  string
	Spans []struct {
		Class      string // "" for text that is neither right nor wrong
		Start, End int    // in bytes
	}
}

// TestLabelled prints precision and recall by class. A label is found if a match of its class
// covers at least half of it. A match is right if at least half of it is in labels of its class,
// and does not count if it is in a label without a class.
func TestLabelled(t *testing.T) {
	if *labelledSet == "" {
		t.Skip("no -labelled FILE")
	}
	text, err := os.ReadFile(*labelledSet)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := New(Policy{})
	type sums struct{ labels, found, exact, matches, right int }
	byClass := map[string]*sums{}
	of := func(class string) *sums {
		if byClass[class] == nil {
			byClass[class] = &sums{}
		}
		return byClass[class]
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<24)
	classes := map[string]bool{}
	var all []labelledText
	for lines.Scan() {
		var l labelledText
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		for _, span := range l.Spans {
			classes[span.Class] = true
		}
		all = append(all, l)
	}
	for _, l := range all {
		matches := s.Find(nil, "", l.Text)
		for _, span := range l.Spans {
			if span.Class == "" {
				continue
			}
			sum := of(span.Class)
			sum.labels++
			covered := 0
			for _, m := range matches {
				if string(m.Class) == span.Class {
					covered += max(0, min(m.End, span.End)-max(m.Start, span.Start))
					if m.Start == span.Start && m.End == span.End {
						sum.exact++
					}
				}
			}
			if 2*covered >= span.End-span.Start {
				sum.found++
			} else if *showErrors {
				t.Logf("missed %s %q in %q", span.Class, l.Text[span.Start:span.End], l.Text)
			}
		}
		for _, m := range matches {
			if !classes[string(m.Class)] {
				continue
			}
			inside, neither := 0, 0
			for _, span := range l.Spans {
				overlap := max(0, min(m.End, span.End)-max(m.Start, span.Start))
				switch span.Class {
				case string(m.Class):
					inside += overlap
				case "":
					neither += overlap
				}
			}
			if 2*neither >= m.End-m.Start {
				continue
			}
			sum := of(string(m.Class))
			sum.matches++
			if 2*inside >= m.End-m.Start {
				sum.right++
			} else if *showErrors {
				t.Logf("wrong %s %q in %q", m.Class, l.Text[m.Start:m.End], l.Text)
			}
		}
	}
	names := []string{}
	for name := range byClass {
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Println("| class | labels | recall | same span | matches | precision |\n|---|---|---|---|---|---|")
	percent := func(a, b int) string {
		if b == 0 {
			return "–"
		}
		return fmt.Sprintf("%.1f%%", 100*float64(a)/float64(b))
	}
	for _, name := range names {
		sum := byClass[name]
		fmt.Printf("| %s | %d | %s | %s | %d | %s |\n", name, sum.labels, percent(sum.found, sum.labels), percent(sum.exact, sum.labels), sum.matches, percent(sum.right, sum.matches))
	}
}

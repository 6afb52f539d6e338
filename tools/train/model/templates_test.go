package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func newGrammar() *grammar {
	return &grammar{slots: make(map[string][]string), random: rand.New(rand.NewPCG(1, 2))}
}

func TestExpand(t *testing.T) {
	g := newGrammar()
	if err := g.parse("@animal: frog | {grey|white} owl\n= songs benign\na song\n"); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, template string
		want           []string
	}{
		{"plain", "no braces", []string{"no braces"}},
		{"alternatives", "{a|b} c", []string{"a c", "b c"}},
		{"an empty alternative", "c{ d|}", []string{"c", "c d"}},
		{"nested", "{a|{b|c}d}", []string{"a", "bd", "cd"}},
		{"slot", "{animal}", []string{"frog", "grey owl", "white owl"}},
		{"section", "{songs}", []string{"a song"}},
		{"braces of the text", `{"k": {"v": "{animal}"}}`, []string{
			`{"k": {"v": "frog"}}`, `{"k": {"v": "grey owl"}}`, `{"k": {"v": "white owl"}}`,
		}},
		{"unclosed", "{a|b", []string{"{a|b"}},
		{"unopened", "a} {b|b}", []string{"a} b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for range 100 {
				got = append(got, g.expand(tt.template))
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, slices.Compact(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		name, text string
		ok         bool
	}{
		{"comment, slot, section", "# words\n\n@a: b\n\n= s direct\nx\n# part of a template\n", true},
		{"a slot without values", "@a\n", false},
		{"a section without a kind", "= s\n", false},
		{"a template outside any section", "x\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := newGrammar().parse(tt.text); (err == nil) != tt.ok {
				t.Errorf("error %v, want none: %v", err, tt.ok)
			}
		})
	}
}

func TestRows(t *testing.T) {
	g := newGrammar()
	if err := g.parse("= orders indirect\nobey\n= songs benign-hard\n1\\n2\n"); err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, r := range g.rows(20) {
		if r.Text == "1\n2" || r.Text == "obey" {
			labels = append(labels, r.Source+" "+r.Label)
		}
	}
	if diff := cmp.Diff([]string{"own/orders injection", "own/songs clean"}, labels); diff != "" {
		t.Error(diff)
	}
}

// TestData checks the embedded templates: both classes occur, and no section is opened twice, which would count
// its texts twice.
func TestData(t *testing.T) {
	g, err := readGrammar()
	if err != nil {
		t.Fatal(err)
	}
	classes := make(map[bool]int)
	for _, r := range g.rows(perTemplate) {
		classes[r.injection()]++
		if r.Text == "" {
			t.Errorf("an empty text from %s", r.Source)
		}
	}
	if classes[true] == 0 || classes[false] == 0 {
		t.Errorf("number of texts by injection: %v", classes)
	}
	defined := make(map[string]bool)
	for _, s := range g.sections {
		if defined[s.name] {
			t.Errorf("section %s opens twice", s.name)
		}
		defined[s.name] = true
	}
}

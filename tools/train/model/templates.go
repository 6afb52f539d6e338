package main

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

//go:embed data/*.txt
var data embed.FS

// A grammar generates texts from templates. In a template, {a|b} stands for one of the alternatives,
// {name} for one of a slot or of the templates of a section, and any other braces for themselves; \n
// is a line break.
type grammar struct {
	sections []section
	slots    map[string][]string
	random   *rand.Rand
}

type section struct {
	name, kind string
}

func (s section) clean() bool { return strings.HasPrefix(s.kind, "benign") }

// readGrammar reads the embedded templates.
func readGrammar() (*grammar, error) {
	g := &grammar{slots: make(map[string][]string), random: rand.New(rand.NewPCG(3, 4))}
	files, err := data.ReadDir("data")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		text, err := data.ReadFile("data/" + f.Name())
		if err != nil {
			return nil, err
		}
		if err := g.parse(string(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	return g, nil
}

func (g *grammar) parse(text string) error {
	var current section
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "", strings.HasPrefix(line, "# ") && current.name == "":
		case strings.HasPrefix(line, "@"):
			name, values, ok := strings.Cut(line[1:], ": ")
			if !ok {
				return fmt.Errorf("line %d: a slot without values", n)
			}
			for _, v := range alternatives(values) {
				g.slots[name] = append(g.slots[name], strings.TrimSpace(v))
			}
		case strings.HasPrefix(line, "= "):
			if _, err := fmt.Sscan(line[2:], &current.name, &current.kind); err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
			g.sections = append(g.sections, current)
		case current.name == "":
			return fmt.Errorf("line %d: a template outside any section", n)
		default:
			g.slots[current.name] = append(g.slots[current.name], strings.ReplaceAll(line, `\n`, "\n"))
		}
	}
	return nil
}

// rows expands every template n times; duplicates are dropped.
func (g *grammar) rows(n int) []row {
	var rows []row
	for _, s := range g.sections {
		seen := make(map[string]bool)
		label := "injection"
		if s.clean() {
			label = "clean"
		}
		for _, template := range g.slots[s.name] {
			for range n {
				text := g.recase(g.expand(template))
				if seen[text] {
					continue
				}
				seen[text] = true
				rows = append(rows, row{Label: label, Kind: s.kind, Tier: "A", Source: "own/" + s.name, Text: text, Permissive: true, own: true})
			}
		}
	}
	return rows
}

// recase changes a few texts to capitals or lower case: case carries little information.
func (g *grammar) recase(text string) string {
	switch n := g.random.IntN(100); {
	case n < 4:
		return strings.ToUpper(text)
	case n < 20:
		return strings.ToLower(text)
	}
	return text
}

// expand replaces the braces of a template, the inner ones after the outer.
func (g *grammar) expand(template string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(template, '{')
		end := -1
		if open >= 0 {
			end = closing(template[open:])
		}
		if end < 0 {
			b.WriteString(template)
			return b.String()
		}
		b.WriteString(template[:open])
		inner := template[open+1 : open+end]
		template = template[open+end+1:]
		choices := alternatives(inner)
		if len(choices) == 1 {
			choices = g.slots[inner]
		}
		if choices == nil {
			b.WriteString("{" + g.expand(inner) + "}")
			continue
		}
		b.WriteString(g.expand(choices[g.random.IntN(len(choices))]))
	}
}

// closing returns the offset of the brace that closes the brace at the start of s, or -1.
func closing(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// alternatives splits s at the bars that are not inside braces.
func alternatives(s string) []string {
	var list []string
	for {
		depth := 0
		bar := strings.IndexFunc(s, func(r rune) bool {
			switch r {
			case '{':
				depth++
			case '}':
				depth--
			}
			return r == '|' && depth == 0
		})
		if bar < 0 {
			return slices.Concat(list, []string{s})
		}
		list = append(list, s[:bar])
		s = s[bar+1:]
	}
}

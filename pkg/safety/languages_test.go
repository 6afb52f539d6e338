package safety

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/eaapl/handoff/internal/textscan"
)

// A language is a table of languages.yaml.
type language struct {
	Name, Language                                                                     string
	Last, Joined                                                                       bool
	Drop, Whole, Told, Before, Yours, Text, Page, Say, Show, Prompt, Fresh, Maker, Not []string
	Match, Pass                                                                        []string
}

// readLanguages returns the rules made from the tables of languages.yaml.
func readLanguages(t *testing.T) []fileRule {
	t.Helper()
	text, err := os.ReadFile("languages.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var languages []language
	if err := yaml.Unmarshal(text, &languages); err != nil {
		t.Fatal(err)
	}
	var rules []fileRule
	for _, l := range languages {
		rules = append(rules, l.direct(), l.maker())
	}
	return rules
}

func (l language) direct() fileRule {
	drop, told, before, text := words(l.Drop), words(l.Told), words(l.Before), words(l.Text)
	whole, yours := words(l.Whole), words(l.Yours)
	near, far := l.gap(2), l.gap(4)
	page := words(l.Page)
	var patterns []string
	starts, nigh := slices.Concat(l.Drop, l.Show), slices.Concat(l.Told, l.Text, l.Page, l.Prompt)
	if l.Last {
		patterns = []string{
			told + far + whole + near + drop,
			whole + near + told + far + drop,
			before + far + text + far + drop,
			yours + near + text + far + drop,
			words(l.Prompt) + near + words(l.Show),
		}
		if l.Page != nil {
			patterns = append(patterns, page+far+drop+`\s?:`)
		}
		starts, nigh = slices.Concat(l.Told, l.Whole, l.Before, l.Yours, l.Page, l.Prompt), slices.Concat(l.Drop, l.Show)
	} else {
		patterns = []string{
			drop + near + whole + far + told,
			drop + far + text + far + before,
			drop + far + before + near + text,
			drop + near + yours + near + text,
			drop + near + text + near + yours,
			words(l.Show) + far + words(l.Prompt),
		}
		if l.Page != nil {
			patterns = append(patterns, drop+near+page+far+words(l.Say))
		}
		if l.Joined {
			patterns = append(patterns, drop+near+told+near+whole, drop+near+told)
		}
	}
	return fileRule{
		ID: "direct-" + l.Name, Category: Override, Weight: 0.75, Reach: 200,
		Summary:  "orders the agent, in " + l.Language + ", to forget its instructions, or to show them",
		Why:      "Models follow orders in any language, and filters for English miss other languages.",
		Literals: literals(starts), Near: literals(nigh), Patterns: patterns,
		Unless: l.unless(drop),
		Match:  l.Match, Pass: l.Pass,
	}
}

// unless returns the expressions that exclude a match: a negation of the verb, which in joined
// writing and in some languages is a phrase with the verb.
func (l language) unless(drop string) []string {
	var phrases, beside []string
	for _, not := range l.Not {
		if l.Joined || slices.ContainsFunc(l.Drop, func(verb string) bool { return strings.Contains(not, verb) }) {
			phrases = append(phrases, not)
		} else {
			beside = append(beside, not)
		}
	}
	var list []string
	if phrases != nil {
		list = append(list, words(phrases))
	}
	if beside != nil {
		list = append(list, `(?:^|[^\pL\pM])`+words(beside)+l.gap(1)+drop, drop+l.gap(0)+words(beside)+`(?:$|[^\pL\pM])`)
	}
	return list
}

func (l language) maker() fileRule {
	return fileRule{
		ID: "maker-" + l.Name, Category: Impersonation, Weight: 0.5,
		Summary:  "claims, in " + l.Language + ", to be the agent's developer or administrator, or gives it new instructions",
		Why:      "A claim in the text proves nothing, but a model may trust it.",
		Literals: literals(slices.Concat(l.Maker, l.Fresh)), Patterns: []string{words(slices.Concat(l.Maker, l.Fresh))},
		Match: []string{strings.ReplaceAll(l.Maker[0], "*", "")}, Pass: l.Pass[:1],
	}
}

// gap returns the expression for text between two parts of an order: at most n words or, in joined
// writing, a few letters.
func (l language) gap(n int) string {
	if l.Joined {
		return `[^。．.！!？?\n]{0,` + string(rune('3'+n)) + `}?`
	}
	return ` (?:{u} ){0,` + string(rune('0'+n)) + `}?`
}

// words returns the expression for one of some words.
func words(list []string) string {
	var parts []string
	for _, w := range list {
		parts = append(parts, strings.ReplaceAll(regexp.QuoteMeta(w), `\*`, `[\pL\pM]*`))
	}
	return "(?:" + strings.Join(parts, "|") + ")"
}

// literals returns the first letters of words that are long enough, each once; a word that begins
// with another one is omitted.
func literals(list []string) []string {
	var found []string
	for _, w := range list {
		w, _, _ = strings.Cut(w, "*")
		if len(w) >= textscan.MinLiteral {
			found = append(found, w)
			continue
		}
		for _, end := range []string{" ", ".", ",", "!"} { // after a short word
			found = append(found, w+end+strings.Repeat(" ", max(0, textscan.MinLiteral-len(w)-1)))
		}
	}
	slices.Sort(found)
	return slices.CompactFunc(found, func(a, b string) bool { return strings.HasPrefix(b, a) })
}

package safety

import (
	"regexp"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/internal/textscan"
	"github.com/eaapl/handoff/pkg/internal/view"
)

// A RuleSet is a set of rules for a [Scanner]. It is safe for concurrent use.
type RuleSet struct {
	rules []*rule
	index func() *textscan.Index // of the rules' literals
	// classes are for blocks that are searched for literals and disguises.
	classes func() *textscan.Classes
}

// A rule is a compiled Rule. Its expressions are compiled on their first use: clean text
// needs few of them.
type rule struct {
	Rule
	source *fileRule
	reach  int
	begins func() *beginnings      // the beginnings of the needed texts: see promises
	exprs  []func() *regexp.Regexp // separate: small ones run faster
	unless func() *regexp.Regexp   // nil if nothing excuses a match
}

// defaultReach is the default of a rule's reach: how many bytes from its literal on an
// expression sees.
const defaultReach = 160

// maxReach limits the cost of one look.
const maxReach = 1000

//go:generate go test -run TestRulesFile -update

// builtin is the rule set of builtin.go. That is made from rules.yaml, as constant data,
// so that it needs no decoding. A test checks it as ParseRules would.
var builtin = sync.OnceValue(func() *RuleSet { return newRuleSet(builtinFile.rules()) })

func newRuleSet(rules []*rule) *RuleSet {
	index := sync.OnceValue(func() *textscan.Index { return newIndex(rules) })
	return &RuleSet{rules, index, sync.OnceValue(func() *textscan.Classes { return view.NewClasses(index().Marks()) })}
}

// newIndex returns an index of the literals of rules.
func newIndex(rules []*rule) *textscan.Index {
	n := 0
	for _, r := range rules {
		n += len(r.source.Literals) + len(r.source.Near)
	}
	literals := make([]textscan.Literal, 0, n)
	reaches := make([]int, len(rules))
	add := func(list []string, rule int, role textscan.Role) {
		for _, s := range list {
			literals = append(literals, textscan.Literal{Text: s, Rule: rule, Role: role})
		}
	}
	for i, r := range rules {
		reaches[i] = r.reach
		if r.source.Near == nil {
			add(r.source.Literals, i, textscan.Announces)
		} else {
			add(r.source.Literals, i, textscan.Waits)
			add(r.source.Near, i, textscan.Near)
		}
	}
	return textscan.NewIndex(literals, reaches)
}

// with returns a set in which other's rules replace those of the same id, and the rest
// of them follow.
func (set *RuleSet) with(other []*rule) *RuleSet {
	byID := make(map[string]*rule, len(other))
	for _, r := range other {
		byID[r.ID] = r
	}
	var merged []*rule
	for _, r := range set.rules {
		if replacement, ok := byID[r.ID]; ok {
			r = replacement
			delete(byID, r.ID)
		}
		merged = append(merged, r)
	}
	for _, r := range other {
		if _, ok := byID[r.ID]; ok {
			merged = append(merged, r)
		}
	}
	return newRuleSet(merged)
}

// A space in an expression matches all that may separate two words of a sentence, so that
// line breaks, also as JSON escapes, and stray marks do not hide an order.
const gap = `(?:(?:[\s\x00-\x1f,;:'"“”‘’*()\[\]<>~+#\x{a0}–—…-]|\\[nrt"])+)`

// newRule compiles a rule; expand is the expander of its file.
func newRule(source *fileRule, expand func(pattern string) string) *rule {
	r := &rule{Rule: source.Rule(), source: source, reach: source.Reach}
	if r.reach == 0 {
		r.reach = defaultReach
	}
	if source.Needs != nil {
		r.begins = sync.OnceValue(func() *beginnings { return newBeginnings(source.Needs) })
	}
	r.exprs = make([]func() *regexp.Regexp, len(source.Patterns))
	for i, p := range source.Patterns {
		r.exprs[i] = lazy(func() string { return anchored(expand(p)) })
	}
	if len(source.Unless) > 0 {
		r.unless = lazy(func() string { return `(?i)` + expand(strings.Join(source.Unless, "|")) })
	}
	return r
}

// anchored is the expression of an expanded pattern.
func anchored(pattern string) string { return `(?i)^(?:` + pattern + `)` }

// static is an expression that is compiled on its first use.
func static(expr string) func() *regexp.Regexp {
	return lazy(func() string { return expr })
}

// lazy defers making and compiling an expression to its first use.
func lazy(expr func() string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr()) })
}

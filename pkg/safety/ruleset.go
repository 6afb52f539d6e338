package safety

import (
	"regexp"
	"strings"
	"sync"

	"github.com/eaapl/handoff/internal/textscan"
	"github.com/eaapl/handoff/internal/view"
)

// A RuleSet is a set of rules for a [Scanner]. It is safe for concurrent use.
type RuleSet struct {
	rules []*rule
	index func() *textscan.Index // of the rules' literals
	// classes classify blocks that are searched for literals and disguises.
	classes func() *textscan.Classes
	sieves  sync.Pool // of *sieve; they know texts
}

// A rule is a Rule with its matchers, which are built on first use: clean text needs few rules.
type rule struct {
	source *fileRule
	reach  int
	expand func(pattern string) string // the expander of its file

	openings []opening // of the expressions; made on first use if nil

	once   sync.Once
	begins *beginnings             // the beginnings of the required texts, nil if none: see promises
	exprs  []func() *regexp.Regexp // separate, since small expressions run faster
	unless func() *regexp.Regexp   // nil if nothing excuses a match
}

// defaultReach is the default number of bytes, from its literal on, that an expression can match.
const defaultReach = 160

// maxReach bounds the cost of one try.
const maxReach = 1000

//go:generate go test -run TestGenerated -update

// builtin is the rule set of builtin.go, tables.go and openings.go, which are generated from rules.yaml and
// languages.yaml as constant data that needs no parsing. A test checks the rules as ParseRules
// would.
var builtin = sync.OnceValue(func() *RuleSet {
	rules := builtinFile.rules()
	for i, r := range rules {
		r.openings = builtinOpenings[i]
	}
	return newRuleSet(rules, builtinTables.Index)
})

// newRuleSet returns a set; index returns the index of the rules' literals.
func newRuleSet(rules []*rule, index func(reaches []int) *textscan.Index) *RuleSet {
	reaches := make([]int, len(rules))
	for i, r := range rules {
		reaches[i] = r.reach
	}
	set := &RuleSet{rules: rules, index: sync.OnceValue(func() *textscan.Index { return index(reaches) })}
	set.classes = sync.OnceValue(func() *textscan.Classes { return view.NewClasses(set.index().Marks) })
	return set
}

// madeRuleSet returns a set with rules other than the built-in ones.
func madeRuleSet(rules []*rule) *RuleSet {
	return newRuleSet(rules, func(reaches []int) *textscan.Index { return textscan.NewIndex(literalsOf(rules), reaches) })
}

// literalsOf returns the literals of rules.
func literalsOf(rules []*rule) []textscan.Literal {
	var list []textscan.Literal
	for i, r := range rules {
		add := func(texts []string, role textscan.Role) {
			for _, s := range texts {
				list = append(list, textscan.Literal{Text: s, Rule: i, Role: role})
			}
		}
		if r.source.Near == nil {
			add(r.source.Literals, textscan.Announces)
		} else {
			add(r.source.Literals, textscan.Waits)
			add(r.source.Near, textscan.Near)
		}
	}
	return list
}

// with returns a set in which other's rules replace rules with the same id; the remaining ones are
// appended.
func (set *RuleSet) with(other []*rule) *RuleSet {
	byID := make(map[string]*rule, len(other))
	for _, r := range other {
		byID[r.source.ID] = r
	}
	var merged []*rule
	for _, r := range set.rules {
		if replacement, ok := byID[r.source.ID]; ok {
			r = replacement
			delete(byID, r.source.ID)
		}
		merged = append(merged, r)
	}
	for _, r := range other {
		if _, ok := byID[r.source.ID]; ok {
			merged = append(merged, r)
		}
	}
	return madeRuleSet(merged)
}

// gap replaces a space in an expression. It matches everything that may separate two words of a
// sentence, so that line breaks, JSON escapes and stray marks do not hide an order.
const gap = `(?:(?:[\s\x00-\x1f,;:'"“”‘’*()\[\]<>~+#\x{a0}–—…-]|\\[nrt"])+)`

// newRule returns a rule; expand is the expander of its file.
func newRule(source *fileRule, expand func(pattern string) string) *rule {
	r := &rule{source: source, reach: source.Reach, expand: expand}
	if r.reach == 0 {
		r.reach = defaultReach
	}
	return r
}

// prepare builds the matchers of the rule.
func (r *rule) prepare() {
	r.once.Do(func() {
		if r.source.Needs != nil {
			r.begins = newBeginnings(r.source.Needs)
		}
		for _, p := range r.source.Patterns {
			r.exprs = append(r.exprs, lazy(func() string { return anchored(r.expand(p)) }))
		}
		if r.openings == nil {
			r.openings = r.makeOpenings()
		}
		if len(r.source.Unless) > 0 {
			r.unless = lazy(func() string { return `(?i)` + r.expand(strings.Join(r.source.Unless, "|")) })
		}
	})
}

// makeOpenings returns the openings of the expressions.
func (r *rule) makeOpenings() (list []opening) {
	for _, p := range r.source.Patterns {
		list = append(list, openingOf(anchored(r.expand(p))))
	}
	return list
}

// anchored returns the expression of an expanded pattern.
func anchored(pattern string) string { return `(?i)^(?:` + pattern + `)` }

// static returns an expression that is compiled on first use.
func static(expr string) func() *regexp.Regexp {
	return lazy(func() string { return expr })
}

// lazy defers building and compiling an expression to its first use.
func lazy(expr func() string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr()) })
}

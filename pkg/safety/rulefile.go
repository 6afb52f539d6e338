package safety

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/internal/textscan"
)

// A rulesFile is the JSON form of a rules file; docs/safety.md describes it.
type rulesFile struct {
	// Standalone reports that these rules replace the built-in ones.
	Standalone bool       `json:"standalone,omitzero"`
	Fragments  []fragment `json:"fragments,omitzero"`
	Rules      []fileRule `json:"rules"`
}

// A fragment is a named part of expressions.
type fragment struct {
	Name    string `json:"name"`
	Pattern string `json:"pattern"`
}

type fileRule struct {
	ID       string   `json:"id"`
	Category Category `json:"category"`
	Summary  string   `json:"summary"`
	Why      string   `json:"why"`
	Weight   float64  `json:"weight"`
	// Literals are the beginnings of matches; a text of Near, if given, must follow within Reach
	// bytes.
	Literals []string `json:"literals"`
	Near     []string `json:"near,omitzero"`
	Reach    int      `json:"reach,omitzero"`
	// Needs, if given, is a prefilter: every match contains one of these texts.
	Needs    []string `json:"needs,omitzero"`
	Patterns []string `json:"patterns"`
	// Unless excuses a match if it is found in or near the match.
	Unless []string `json:"unless,omitzero"`
	// Order reports that a match must be an imperative, not a prohibition or a report.
	Order bool `json:"order,omitzero"`
	// Doubtful reports that a match counts half if the model finds nothing.
	Doubtful bool `json:"doubtful,omitzero"`
	// Fields are the fields in which the rule applies; none means all.
	Fields []Field  `json:"fields,omitzero"`
	Match  []string `json:"match"`
	Pass   []string `json:"pass"`
}

// Rule returns the description of the rule.
func (f fileRule) Rule() Rule {
	r := Rule{ID: "safety/" + f.ID, Category: f.Category, Summary: f.Summary, Why: f.Why, Weight: f.Weight}
	if len(f.Match) > 0 && len(f.Pass) > 0 {
		r.Bad, r.Good = f.Match[0], f.Pass[0]
	}
	return r
}

func decodeRules(text []byte) (*rulesFile, error) {
	var file rulesFile
	err := json.Unmarshal(text, &file, json.RejectUnknownMembers(true))
	return &file, err
}

func (f *rulesFile) rules() []*rule {
	expand := f.expander(len(f.Fragments))
	rules := make([]*rule, len(f.Rules))
	for i := range f.Rules {
		rules[i] = newRule(&f.Rules[i], expand)
	}
	return rules
}

// expander inserts gaps and the first n fragments into expressions. A reference to a fragment is in
// braces; fragments may refer to earlier fragments of the file. They are expanded on first use.
func (f *rulesFile) expander(n int) func(pattern string) string {
	replacer := sync.OnceValue(func() *strings.Replacer {
		pairs := []string{" ", gap}
		for _, fragment := range f.Fragments[:n] {
			expanded := strings.NewReplacer(pairs...).Replace(fragment.Pattern)
			pairs = append(pairs, "{"+fragment.Name+"}", `(?:`+expanded+`)`)
		}
		return strings.NewReplacer(pairs...)
	})
	return func(pattern string) string { return replacer().Replace(pattern) }
}

// ParseRules parses a rules file in JSON. Its rules replace built-in rules with the same id and are
// added to the others, unless the file is standalone. All rules are checked and their examples
// tried. An error has the rule, the member and the remedy.
func ParseRules(text []byte) (*RuleSet, error) {
	file, err := decodeRules(text)
	if err != nil {
		return nil, decodeError(err)
	}
	if err := file.check(); err != nil {
		return nil, err
	}
	rules := file.rules()
	if file.Standalone {
		return madeRuleSet(rules), nil
	}
	return builtin().with(rules), nil
}

// decodeError rewrites a decoding error without the decoder's terms.
func decodeError(err error) error {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return fmt.Errorf("rules: not JSON: %w", err)
	}
	if errors.Is(err, json.ErrUnknownName) {
		return fmt.Errorf("rules: %s: unknown member; remove it", semantic.JSONPointer)
	}
	return fmt.Errorf("rules: %s: a value of the wrong type; see docs/safety.md", cmp.Or(semantic.JSONPointer, "the whole document"))
}

var fragmentName = static(`^[a-z][a-z0-9]*$`)

func (f *rulesFile) check() error {
	var names []string
	for i, fragment := range f.Fragments {
		if !fragmentName().MatchString(fragment.Name) || slices.Contains(names, fragment.Name) {
			return fmt.Errorf("rules: fragment %q: the name is used before, or is not a word of small letters; choose another", fragment.Name)
		}
		names = append(names, fragment.Name)
		if _, err := regexp.Compile(f.expander(i)(fragment.Pattern)); err != nil {
			return fmt.Errorf("rules: fragment %q: %w; fragments may use only earlier fragments", fragment.Name, err)
		}
	}
	if len(f.Rules) == 0 {
		return errors.New("rules: no rules; give at least one")
	}
	expand := f.expander(len(f.Fragments))
	var ids []string
	for i, r := range f.Rules {
		if !ruleID(r.ID) {
			return fmt.Errorf("rules: rule %d: id: %q is not an id; use small letters, digits and hyphens", i+1, r.ID)
		}
		if slices.Contains(ids, r.ID) {
			return fmt.Errorf("rules: rule %q: id: used before in this file; give each rule its own", r.ID)
		}
		ids = append(ids, r.ID)
		if member, err := r.check(expand); err != nil {
			return fmt.Errorf("rules: rule %q: %s: %w", r.ID, member, err)
		}
	}
	return nil
}

// check returns the first invalid member and its error.
func (f fileRule) check(expand func(pattern string) string) (member string, err error) {
	for _, required := range []struct {
		member string
		given  bool
	}{
		{"category", f.Category != ""}, {"summary", f.Summary != ""}, {"why", f.Why != ""},
		{"literals", len(f.Literals) > 0}, {"patterns", len(f.Patterns) > 0},
		{"match", len(f.Match) > 0}, {"pass", len(f.Pass) > 0},
	} {
		if !required.given {
			return required.member, errors.New("missing or empty; every rule needs one")
		}
	}
	if !(f.Weight > 0 && f.Weight <= 1) {
		return "weight", fmt.Errorf("%v is not above 0 and at most 1", f.Weight)
	}
	if f.Reach < 0 || f.Reach > maxReach {
		return "reach", fmt.Errorf("%d is not between 0 and %d bytes", f.Reach, maxReach)
	}
	for _, field := range f.Fields {
		if !slices.Contains(Fields(), field) {
			return "fields", fmt.Errorf("%q is not a field; use tool, data, user, agent or system", field)
		}
	}
	for i, literals := range [][]string{f.Literals, f.Near, f.Needs} {
		least := []int{textscan.MinLiteral, textscan.MinLiteral, 1}[i]
		for _, s := range literals {
			if len(s) < least || s != strings.ToLower(s) {
				return []string{"literals", "near", "needs"}[i], fmt.Errorf("%q: write it in small letters, at least %d bytes of them", s, least)
			}
		}
	}
	for i, patterns := range [][]string{f.Patterns, f.Unless} {
		member := []string{"patterns", "unless"}[i]
		for _, p := range patterns {
			e, err := regexp.Compile(anchored(expand(p)))
			if err != nil {
				return member, fmt.Errorf("%q: %w", p, err)
			}
			if e.MatchString("") {
				return member, fmt.Errorf("%q matches the empty text; require at least one character", p)
			}
		}
	}
	return f.try(newRule(&f, expand))
}

// try tests the examples of an otherwise valid rule.
func (f fileRule) try(r *rule) (member string, err error) {
	alone := madeRuleSet([]*rule{r})
	for _, text := range f.Match {
		if !alone.finds(f.exampleField(), text) {
			return "match", fmt.Errorf("%q is not found; an expression must match at one of the literals, at the beginning of a word, with one of near in reach", text)
		}
	}
	for _, text := range f.Pass {
		if alone.finds(f.exampleField(), text) {
			return "pass", fmt.Errorf("%q is found; narrow the expressions, or exclude it with unless", text)
		}
	}
	return "", nil
}

// exampleField returns a field in which the rule applies.
func (f fileRule) exampleField() Field {
	if len(f.Fields) > 0 {
		return f.Fields[0]
	}
	return Data
}

// finds reports whether a rule matches in an example.
func (set *RuleSet) finds(field Field, example string) bool {
	return len(set.piece(nil, field, example, 0, &effort{tries: pieceTries})) > 0
}

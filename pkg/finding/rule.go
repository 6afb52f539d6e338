package finding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/nearest"
)

// A Rule is a requirement that findings refer to.
type Rule struct {
	ID       string   `json:"rule"` // LAYER/NAME, for a rule of another system SYSTEM/NAME
	Layer    Layer    `json:"-"`
	Reason   Reason   `json:"reason"` // for a message that breaks it; "" if no message is rejected for it
	Severity Severity `json:"severity"`
	Summary  string   `json:"summary"` // the requirement: one sentence
	Why      string   `json:"why"`     // reasons and remedy: one or more sentences
	// Bad breaks the rule and Good keeps it. They are JSON objects whose members replace members of the
	// example message or, if Whole is set, whole documents. Both are "" if an example would be too long.
	Bad   string `json:"failing,omitzero"`
	Good  string `json:"fixed,omitzero"`
	Whole bool   `json:"-"`
	// Receiver is a receiver profile, as JSON, for the examples; "" for none.
	Receiver string `json:"receiver,omitzero"`
	// Aliases are former names of the rule.
	Aliases []string `json:"-"`
}

// Name returns the rule's name without its layer.
func (r Rule) Name() string { return r.ID[strings.LastIndexByte(r.ID, '/')+1:] }

// Group returns the text before the name: the layer, or the name of a system.
func (r Rule) Group() string { return strings.TrimSuffix(r.ID, "/"+r.Name()) }

// A NameError reports a name that matches no rule or several rules.
type NameError struct {
	Name       string
	Candidates []string // the IDs of the rules that match; nil if there are none
	Nearest    string   // the ID of the rule probably meant, "" if there is none
}

func (e *NameError) Error() string {
	if e.Candidates == nil {
		text := fmt.Sprintf("no rule is called %q", e.Name)
		if e.Nearest != "" {
			text += fmt.Sprintf(": did you mean %q?", e.Nearest)
		}
		return text
	}
	return fmt.Sprintf("%q is the name of several rules: use one of %s", e.Name, strings.Join(e.Candidates, ", "))
}

// Find returns the rule with a name: its ID, its name without the layer if that is unique, or a former
// name. The error is a [*NameError].
func Find(rules []Rule, name string) (Rule, error) {
	var candidates []Rule
	for _, r := range rules {
		switch {
		case name == r.ID, name == string(r.Layer)+"/"+r.ID, slices.Contains(r.Aliases, name):
			return r, nil
		case name == r.Name():
			candidates = append(candidates, r)
		}
	}
	if len(candidates) == 1 {
		return candidates[0], nil
	}
	return Rule{}, &NameError{name, IDs(candidates), nearestID(rules, name)}
}

// nearestID returns the ID of the rule closest to a misspelt name, with or without its layer.
func nearestID(rules []Rule, name string) string {
	if id := nearest.Name(name, IDs(rules)); id != "" {
		return id
	}
	for _, r := range rules {
		if nearest.Is(name, r.Name()) {
			return r.ID
		}
	}
	return ""
}

// Group returns the rules of a layer or system, nil if the name is unknown.
func Group(rules []Rule, name string) []Rule {
	var group []Rule
	for _, r := range rules {
		if name == string(r.Layer) || name == r.Group() {
			group = append(group, r)
		}
	}
	return group
}

// IDs returns the IDs of rules.
func IDs(rules []Rule) []string {
	var ids []string
	for _, r := range rules {
		ids = append(ids, r.ID)
	}
	return ids
}

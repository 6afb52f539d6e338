package safety

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An Allowance is one entry of an allow list: it takes findings of one rule, or at some
// places of a document, or both, out of the score. The zero Allowance allows nothing.
type Allowance struct {
	rule   string   // "" means every rule
	tokens []string // of the pointer; nil means everywhere
	text   string
}

// ParseAllowance reads RULE, POINTER, or RULE@POINTER: the id of a rule; a JSON Pointer
// in which the token * stands for any one token and ** for any number of them.
func ParseAllowance(text string) (Allowance, error) {
	a := Allowance{rule: text, text: text}
	if i := strings.IndexByte(text, '/'); i == 0 || i > 0 && text[i-1] == '@' {
		tokens, ok := jsonstream.SplitPointer(text[i:])
		if !ok {
			return Allowance{}, fmt.Errorf("allowance %q: not a JSON Pointer after the rule: write ~ as ~0", text)
		}
		a.rule, a.tokens = strings.TrimSuffix(text[:i], "@"), tokens
		if i == 1 {
			return Allowance{}, fmt.Errorf("allowance %q: no rule before the @: name one, or leave out the @", text)
		}
	}
	if a.tokens == nil && !ruleID(a.rule) {
		return Allowance{}, fmt.Errorf("allowance %q: neither a rule, nor a JSON Pointer, nor RULE@POINTER: a rule is in small letters, digits and hyphens, a pointer begins with /", text)
	}
	return a, nil
}

// String returns the entry as it was written.
func (a Allowance) String() string { return a.text }

// Rule returns the id of the rule that the entry names, "" if it names none.
func (a Allowance) Rule() string { return a.rule }

// allows reports whether a finding of the rule, at the pointer with these tokens, is
// allowed.
func (a Allowance) allows(rule string, tokens []string) bool {
	return a.text != "" && (a.rule == "" || a.rule == rule) && (a.tokens == nil || matchTokens(a.tokens, tokens))
}

// matchTokens tells whether a pattern fits tokens. A later ** makes what an earlier one
// took irrelevant, so only the last needs to be taken back: time is at most the
// product of the lengths.
func matchTokens(pattern, tokens []string) bool {
	p, t := 0, 0
	star, resume := -1, 0
	for t < len(tokens) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			star, resume = p, t
			p++
		case p < len(pattern) && (pattern[p] == "*" || pattern[p] == tokens[t]):
			p++
			t++
		case star >= 0:
			resume++
			p, t = star+1, resume
		default:
			return false
		}
	}
	return !slices.ContainsFunc(pattern[p:], func(s string) bool { return s != "**" })
}

// ruleID reports whether s has the form of a rule's id.
func ruleID(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

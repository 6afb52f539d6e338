package safety

import (
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An Allowance is one entry of an allow list: it takes findings of one rule, or at some
// places of a document, or both, out of the score. The zero Allowance allows nothing.
type Allowance struct {
	rule string              // "" means every rule
	at   *jsonstream.Pattern // nil means everywhere
	text string
}

// ParseAllowance reads RULE, POINTER, or RULE@POINTER: the id of a rule; a JSON Pointer
// in which the token * stands for any one token and ** for any number of them.
func ParseAllowance(text string) (Allowance, error) {
	a := Allowance{rule: text, text: text}
	if i := strings.IndexByte(text, '/'); i == 0 || i > 0 && text[i-1] == '@' {
		at, err := jsonstream.ParsePattern(text[i:])
		if err != nil {
			return Allowance{}, fmt.Errorf("allowance %q: not a JSON Pointer after the rule: write ~ as ~0", text)
		}
		a.rule, a.at = strings.TrimSuffix(text[:i], "@"), &at
		if i == 1 {
			return Allowance{}, fmt.Errorf("allowance %q: no rule before the @: name one, or leave out the @", text)
		}
	}
	if a.at == nil && !ruleID(a.rule) {
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
	return a.text != "" && (a.rule == "" || a.rule == rule) && (a.at == nil || a.at.Match(tokens))
}

// ruleID reports whether s has the form of a rule's id.
func ruleID(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

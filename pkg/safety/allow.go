package safety

import (
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An Allowance is an entry of an allow list: it excludes findings from the score by rule, by place
// in the document, or by both. The zero Allowance allows nothing.
type Allowance struct {
	rule string              // "" means every rule
	at   *jsonstream.Pattern // nil means everywhere
	text string
}

// ParseAllowance parses RULE, POINTER, or RULE@POINTER: a rule's id; a JSON Pointer whose token *
// matches any token and ** any number of them.
func ParseAllowance(text string) (Allowance, error) {
	a := Allowance{rule: text, text: text}
	rule, pointer, placed := strings.Cut(text, "@/")
	switch {
	case strings.HasPrefix(text, "/"):
		rule, pointer, placed = "", text[1:], true
	case placed && rule == "":
		return Allowance{}, fmt.Errorf("allowance %q: no rule before the @: name one, or leave out the @", text)
	}
	if placed {
		at, err := jsonstream.ParsePattern("/" + pointer)
		if err != nil {
			return Allowance{}, fmt.Errorf("allowance %q: not a JSON Pointer after the rule: write ~ as ~0", text)
		}
		a.rule, a.at = rule, &at
	}
	layer, name, layered := strings.Cut(a.rule, "/")
	if a.rule != "" && !(ruleID(layer) && (!layered || ruleID(name))) || a.text == "" {
		return Allowance{}, fmt.Errorf("allowance %q: neither a rule, nor a JSON Pointer, nor RULE@POINTER: a rule is in small letters, digits and hyphens, a pointer begins with /", text)
	}
	return a, nil
}

// String returns the entry as it was written.
func (a Allowance) String() string { return a.text }

// Rule returns the entry's rule as written: by ID, by name, or as CATEGORY/NAME; "" if there is
// none.
func (a Allowance) Rule() string { return a.rule }

// allows reports whether a finding of rule at the pointer with these tokens is allowed.
func (a Allowance) allows(rule string, tokens []string) bool {
	return a.text != "" && (a.rule == "" || nameOf(a.rule) == nameOf(rule)) && (a.at == nil || a.at.Match(tokens))
}

// nameOf returns the rule's name within the layer.
func nameOf(rule string) string { return rule[strings.LastIndexByte(rule, '/')+1:] }

// ruleID reports whether s has the form of the name of a rule or layer.
func ruleID(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

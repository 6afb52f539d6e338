// Package ecmascript matches the regular expressions of ECMA-262, with the u flag, which
// JSON Schema recommends for "pattern" (2020-12, core, 6.4).
//
// An expression without look-around, back-references and counts over 1,000 runs on the
// tables of package automaton, or, if it is too large for them, on package regexp: in time
// that grows with the length of the text alone. Any other runs on a matcher that goes back
// to try again, as ECMA-262 describes it, for a limited number of steps.
//
// # Syntax
//
// What ECMA-262 refuses with the u flag and browsers take without it (Annex B) is taken
// where only one meaning is likely: a backslash before any character that is no letter or
// digit of ASCII, single braces and brackets, \w-x in a class, a look-ahead that is
// repeated. The modifiers i, m and s of ECMAScript 2025, as in (?i:a), are taken; those of
// other languages, such as (?i) at the start, are not. \p takes general categories,
// scripts by their long names, and the binary properties of package unicode and those
// derived from them; there are no tables for Script_Extensions and Emoji.
package ecmascript

import (
	"errors"
	"regexp"

	"github.com/eaapl/handoff/pkg/internal/automaton"
)

// ErrUnfinished is the error for a match that has neither been found nor excluded within
// the limits of steps and memory.
var ErrUnfinished = errors.New("the regular expression needs too many steps on this text")

// A Pattern is a compiled regular expression. It does not change, and is safe for
// concurrent use.
type Pattern struct {
	linear  interface{ Match(text []byte) bool } // nil if there is none
	program *program                             // if linear is nil
}

// Compile compiles an expression. An error names the character where the problem is. An
// expression of more than 64 Ki characters, with groups more than 200 deep, or with very
// many large classes is an error.
func Compile(expr string) (*Pattern, error) {
	tree, err := parse(expr)
	if err != nil {
		return nil, err
	}
	if linear := newLinear(tree.root); linear != nil {
		return &Pattern{linear: linear}, nil
	}
	return &Pattern{program: newProgram(tree)}, nil
}

// Check returns the error that [Compile] returns for an expression, in less time.
func Check(expr string) error {
	_, err := parse(expr)
	return err
}

// Match reports whether text has a match. A byte that is not part of valid UTF-8 is the
// character U+FFFD. The error is [ErrUnfinished], and then there is no answer.
func (p *Pattern) Match(text []byte) (matched bool, err error) {
	if p.linear != nil {
		return p.linear.Match(text), nil
	}
	return p.program.match(text)
}

// newLinear returns a matcher that takes time in proportion to the text, nil if there is
// none for the tree.
func newLinear(root node) interface{ Match(text []byte) bool } {
	expr, ok := translate(root)
	if !ok {
		return nil
	}
	if table, err := automaton.Compile(expr); err == nil {
		return table
	}
	if instructions(root) > maxInstructions {
		return nil
	}
	if machine, err := regexp.Compile(expr); err == nil {
		return machine
	}
	return nil
}

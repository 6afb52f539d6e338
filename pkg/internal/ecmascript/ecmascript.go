// Package ecmascript matches regular expressions of ECMA-262 with the u flag, which JSON Schema
// recommends for "pattern" (2020-12, core, 6.4).
//
// An expression without look-around, back-references and counts over 1,000 runs on the tables of
// package automaton or, if it is too large for them, on package regexp, in time linear in the text.
// Other expressions run on a backtracking matcher, as ECMA-262 describes it, with a limited number
// of steps.
//
// # Syntax
//
// Some syntax that ECMA-262 rejects with the u flag, but browsers accept without it (Annex B), is
// accepted if only one meaning is likely: a backslash before any character other than an ASCII
// letter or digit, single braces and brackets, \w-x in a class, and a repeated look-ahead. The
// modifiers i, m and s of ECMAScript 2025, as in (?i:a), are supported; modifiers of other
// languages, such as (?i) at the start, are not. \p supports general categories, scripts by their
// long names, and the binary properties of package unicode and properties derived from them, but
// not Script_Extensions and Emoji.
package ecmascript

import (
	"errors"
	"regexp"

	"github.com/eaapl/handoff/pkg/internal/automaton"
)

// ErrUnfinished reports a match that was neither found nor excluded within the limits of steps and
// memory.
var ErrUnfinished = errors.New("the regular expression needs too many steps on this text")

// A Pattern is a compiled regular expression. It is immutable and safe for concurrent use.
type Pattern struct {
	linear  interface{ Match(text []byte) bool } // nil if there is none
	program *program                             // if linear is nil
}

// Compile compiles an expression. A syntax error includes the character offset. Compile rejects
// expressions of more than 64 Ki characters, with groups more than 200 deep, or with very many
// large classes.
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

// Check returns the error of [Compile] for an expression, in less time.
func Check(expr string) error {
	_, err := parse(expr)
	return err
}

// Match reports whether text has a match. An invalid UTF-8 byte is the character U+FFFD. With the
// error [ErrUnfinished], the result is undefined.
func (p *Pattern) Match(text []byte) (matched bool, err error) {
	if p.linear != nil {
		return p.linear.Match(text), nil
	}
	return p.program.match(text)
}

// newLinear returns a linear-time matcher, nil if there is none for the tree.
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

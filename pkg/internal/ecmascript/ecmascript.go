// Package ecmascript matches regular expressions of ECMA-262 with the u flag, which JSON Schema
// recommends for "pattern" (2020-12, core, 6.4).
//
// An expression without look-around, back-references and counts over 1,000 runs on the tables of
// package automaton or, if it is too large for them, on package regexp, in time linear in the text.
// Other expressions run on a backtracking matcher, as ECMA-262 describes it, with a limited number
// of steps. So do the first matches of short texts with any expression: most expressions match few
// texts in a run, and the tables cost more than these.
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
	"sync/atomic"

	"github.com/eaapl/handoff/pkg/internal/automaton"
)

// ErrUnfinished reports a match that was neither found nor excluded within the limits of steps and
// memory.
var ErrUnfinished = errors.New("the regular expression needs too many steps on this text")

// A Pattern is a compiled regular expression. It is safe for concurrent use.
type Pattern struct {
	tree    *tree
	program *program
	first   atomic.Int32            // number of texts that only the program has read
	rest    atomic.Pointer[matcher] // for all other texts; nil until there is one
}

// A matcher reports whether a text has a match.
type matcher func(text []byte) (matched bool, err error)

// Limits of matches before there are tables.
const (
	firstTexts = 16
	firstBytes = 256
	firstSteps = 4096
)

// Compile compiles an expression. A syntax error includes the character offset. Compile rejects
// expressions of more than 64 Ki characters, with groups more than 200 deep, or with very many
// large classes.
func Compile(expr string) (*Pattern, error) {
	tree, err := parse(expr)
	if err != nil {
		return nil, err
	}
	return &Pattern{tree: tree, program: newProgram(tree)}, nil
}

// Check returns the error of [Compile] for an expression, in less time.
func Check(expr string) error {
	_, err := parse(expr)
	return err
}

// Match reports whether text has a match. An invalid UTF-8 byte is the character U+FFFD. With the
// error [ErrUnfinished], the result is undefined.
func (p *Pattern) Match(text []byte) (matched bool, err error) {
	if match := p.rest.Load(); match != nil {
		return (*match)(text)
	}
	if len(text) <= firstBytes && p.first.Add(1) <= firstTexts {
		if matched, err = p.program.match(text, firstSteps); err == nil {
			return matched, nil
		}
	}
	match := p.matcher()
	p.rest.Store(&match)
	return match(text)
}

// matcher returns the matcher for many or long texts.
func (p *Pattern) matcher() matcher {
	if linear := newLinear(p.tree.root); linear != nil {
		return func(text []byte) (bool, error) { return linear.Match(text), nil }
	}
	return func(text []byte) (bool, error) { return p.program.match(text, maxSteps+stepsPerByte*len(text)) }
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

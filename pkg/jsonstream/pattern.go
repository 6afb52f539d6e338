package jsonstream

import (
	"fmt"
	"slices"
)

// A Pattern matches JSON Pointers (RFC 6901): the token * matches any one token, ** any number of tokens.
// The zero Pattern matches only the root.
type Pattern struct{ tokens []string }

// ParsePattern reads a pattern, such as /toolCallHistory/*/calledAt. "" matches the root.
func ParsePattern(text string) (Pattern, error) {
	tokens, ok := SplitPointer(text)
	if !ok {
		return Pattern{}, fmt.Errorf("%q is not a JSON Pointer: it begins with / and has ~ as ~0", text)
	}
	return Pattern{tokens}, nil
}

// Match reports whether the pattern matches the unescaped tokens of a pointer. The number of steps is at
// most the product of the lengths.
func (p Pattern) Match(tokens []string) bool {
	// Only the last ** is retried: it can match all tokens that an earlier one could.
	i, t := 0, 0
	star, resume := -1, 0
	for t < len(tokens) {
		switch {
		case i < len(p.tokens) && p.tokens[i] == "**":
			star, resume = i, t
			i++
		case i < len(p.tokens) && (p.tokens[i] == "*" || p.tokens[i] == tokens[t]):
			i++
			t++
		case star >= 0:
			resume++
			i, t = star+1, resume
		default:
			return false
		}
	}
	return matchesEmpty(p.tokens[i:])
}

// String returns the pattern as a JSON Pointer.
func (p Pattern) String() string {
	text := ""
	for _, t := range p.tokens {
		text = AppendPointer(text, t)
	}
	return text
}

// matchesEmpty reports whether the rest of a pattern matches no tokens.
func matchesEmpty(rest []string) bool {
	return !slices.ContainsFunc(rest, func(s string) bool { return s != "**" })
}

// A PatternSet holds the remaining tokens of patterns at one place of a document, on a walk down from the
// root.
type PatternSet [][]string

// NewPatternSet returns the patterns at the root.
func NewPatternSet(patterns ...Pattern) PatternSet {
	var s PatternSet
	for _, p := range patterns {
		s = append(s, p.tokens)
	}
	return s
}

// Match reports whether one of the patterns matches the place itself.
func (s PatternSet) Match() bool { return slices.ContainsFunc(s, matchesEmpty) }

// Step returns the patterns for one token further down. The set is empty if no pattern can match there or
// below.
func (s PatternSet) Step(token string) PatternSet {
	var rest PatternSet
	keep := func(tokens []string) {
		for _, r := range rest {
			if slices.Equal(r, tokens) {
				return
			}
		}
		rest = append(rest, tokens)
	}
	for _, tokens := range s {
		for ; len(tokens) > 0 && tokens[0] == "**"; tokens = tokens[1:] {
			keep(tokens)
		}
		if len(tokens) > 0 && (tokens[0] == "*" || tokens[0] == token) {
			keep(tokens[1:])
		}
	}
	return rest
}

// A Mask reports whether a place of a document, and the places below it, are included. The zero Mask
// includes all.
type Mask struct{ rest *rest } // nil if everything below is included

type rest struct {
	ignore, only PatternSet
	partly       bool // the place itself is above those of only
}

// NewMask returns the mask at the root. It excludes the matches of ignore and all places below them. If
// only is not empty, it also excludes all places except the matches of only and those below. If ignore
// matches the root, everything is excluded.
func NewMask(ignore, only []Pattern) Mask {
	r := rest{ignore: NewPatternSet(ignore...), only: NewPatternSet(only...)}
	r.partly = len(only) > 0 && !r.only.Match()
	if r.ignore.Match() {
		r = rest{partly: true}
	}
	return r.mask()
}

func (r rest) mask() Mask {
	if len(r.ignore) == 0 && !r.partly {
		return Mask{}
	}
	return Mask{&r}
}

// Step returns the mask one token further down, and whether it includes anything.
func (m Mask) Step(token string) (Mask, bool) {
	if m.rest == nil {
		return m, true
	}
	next := rest{ignore: m.rest.ignore.Step(token)}
	if next.ignore.Match() {
		return Mask{}, false
	}
	if m.rest.partly {
		next.only = m.rest.only.Step(token)
		next.partly = !next.only.Match()
	}
	return next.mask(), !next.partly || len(next.only) > 0
}

// Open reports whether the place and everything below it are included.
func (m Mask) Open() bool { return m.rest == nil }

// Partly reports whether the place itself is excluded, but something below it may be included.
func (m Mask) Partly() bool { return m.rest != nil && m.rest.partly }

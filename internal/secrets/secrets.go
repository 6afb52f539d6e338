// Package secrets finds credentials in text: keys, tokens and passwords that give access to anyone who reads
// them.
//
// [Find] reports them, and [Hide] returns the text without them. [MayHold] rules them out for a whole JSON
// document. Placeholders, documented examples and references to variables are not credentials. No result of
// this package contains a credential, except the made-up examples of [Kinds].
//
// All functions accept arbitrary bytes, take linear time, and are safe for concurrent use.
package secrets

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Kind is a form of credential.
type Kind struct {
	ID      string // such as github-token
	Summary string // a noun phrase, such as "a GitHub token"
	Why     string // a sentence about the access that it gives
	Example string // text with a made-up one
	Similar string // similar text without one
}

// A Secret is the place of a credential in a text. It does not contain the credential.
type Secret struct {
	Kind Kind
	// Offset and Length are the place, in bytes of the text.
	Offset, Length int
}

// String returns the kind and the length: "a GitHub token of 40 bytes".
func (s Secret) String() string { return fmt.Sprintf("%s of %d bytes", s.Kind.Summary, s.Length) }

// Kinds returns the kinds of credentials that [Find] knows. The caller owns the slice.
func Kinds() []Kind {
	var list []Kind
	for _, p := range patterns() {
		list = append(list, p.Kind)
	}
	return list
}

// Find returns the credentials in text, sorted by offset.
func Find(text string) []Secret {
	if !announced(text, strings.IndexByte) {
		return nil
	}
	return find(text)
}

// A pattern finds one kind of credential.
type pattern struct {
	Kind
	// literals are texts of at least two bytes, in small letters. Every credential contains one, or has one
	// near it, in any case.
	literals []string
	reach    int // maximum number of bytes from a literal to the end of the credential; 0 means 160
	expr     func() *regexp.Regexp
	// accept, if set, decides on a match; loc is in the form of FindSubmatchIndex.
	accept func(text string, loc []int) bool
}

// A literal is a literal of the pattern with the given index.
type literal struct {
	text    string
	pattern int
}

// index maps the first two bytes of literals, as numbered by [pairOf], to the literals.
var index = sync.OnceValue(func() *[1 << 10][]literal {
	var x [1 << 10][]literal
	for i, p := range patterns() {
		for _, s := range p.literals {
			x[pairOf(s)] = append(x[pairOf(s)], literal{s, i})
		}
	}
	return &x
})

// pairOf numbers the first two bytes of s. Letters that differ only in case have the same number.
func pairOf(s string) int { return int(s[0]&31) | int(s[1]&31)<<5 }

const (
	before       = 128 // maximum number of bytes from the start of a credential to its literal
	defaultReach = 160
)

// find is like Find, but does not call announced. Each expression searches only windows around its
// literals, which never overlap.
func find(text string) []Secret {
	literals, list := index(), patterns()
	type window struct{ start, end int }
	var found []Secret
	search := func(p *pattern, w window) {
		for at := w.start; at < w.end; {
			loc := p.expr().FindStringSubmatchIndex(text[at:w.end])
			if loc == nil {
				return
			}
			for i := range loc {
				if loc[i] >= 0 {
					loc[i] += at
				}
			}
			start, end := loc[2], loc[3]
			if (p.accept == nil || p.accept(text, loc)) && !placeholder(text[start:end]) {
				found = append(found, Secret{p.Kind, start, end - start})
			}
			at = max(loc[1], at+1)
		}
	}
	windows := make([]window, len(list))
	for at := range len(text) - 1 {
		for _, l := range literals[pairOf(text[at:])] {
			if len(text)-at < len(l.text) || !strings.EqualFold(text[at:at+len(l.text)], l.text) {
				continue
			}
			w := &windows[l.pattern]
			if start := max(0, at-before); start > w.end {
				search(&list[l.pattern], *w)
				w.start = start
			}
			w.end = min(len(text), at+len(l.text)+cmp.Or(list[l.pattern].reach, defaultReach))
		}
	}
	for i, w := range windows {
		search(&list[i], w)
	}
	slices.SortStableFunc(found, func(a, b Secret) int { return a.Offset - b.Offset })
	return found
}

// static returns an expression that is compiled on first use.
func static(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

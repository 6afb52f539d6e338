package compat

import (
	"slices"
	"strconv"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func itoa(n int) string { return strconv.Itoa(n) }

// change judges a difference.
func (c *comparison) change(d difference, r *Report) Change {
	change := Change{Kind: d.kind, Old: d.was.Raw(), New: d.is.Raw(), Backward: r.Backward, Forward: r.Forward}
	switch {
	case d.is.Exists():
		change.Pointer = d.is.Pointer()
	case d.gone.Exists():
		change.Pointer, change.InOld = d.gone.Pointer(), true
	}
	if change.Backward != Yes {
		change.Backward, change.Refused = c.verdict(d, d.reversed(false), c.old, c.new)
	}
	if change.Forward != Yes {
		change.Forward, change.Unread = c.verdict(d, d.reversed(true), c.new, c.old)
	}
	if change.Kind == "" {
		change.Kind = kindOf(change.Backward, change.Forward)
	}
	change.Bump = bumpOf(change)
	if change.Kind == MemberRemoved || change.Kind == TypeChanged && change.Bump == Major {
		was := d.was
		if change.Kind == TypeChanged {
			was = d.old
		}
		change.Undeprecated = was.Get("deprecated").Kind() != jsonstream.True
	}
	return change
}

func kindOf(backward, forward Verdict) Kind {
	switch {
	case backward == Yes && forward == Yes:
		return Reworded
	case backward == Yes:
		return Widened
	case forward == Yes:
		return Narrowed
	default:
		return Changed
	}
}

// bumpOf applies section 14.3: by the kind of change where the section names it, and else by
// whether what was valid stays valid.
func bumpOf(c Change) Bump {
	switch {
	case c.Kind == MemberRemoved:
		return Major
	case c.Kind == MemberAdded:
		return Minor
	case c.Backward == Yes && c.Forward == Yes:
		return None
	case c.Kind == MemberRequired || c.Kind == TypeChanged:
		return Major
	case c.Backward == Yes:
		return Minor
	default:
		return Major
	}
}

// A leaning is a difference seen in one direction: what is valid by from, and what to says of it.
type leaning struct {
	from, to     jsonstream.Value // the schemas that have the keyword
	says         jsonstream.Value // what to has for it, absent if nothing
	fromAt, toAt func(*place) []jsonstream.Value
}

func (d difference) reversed(yes bool) leaning {
	older := func(p *place) []jsonstream.Value { return p.old }
	newer := func(p *place) []jsonstream.Value { return p.new }
	if yes {
		return leaning{d.new, d.old, d.was, newer, older}
	}
	return leaning{d.old, d.new, d.is, older, newer}
}

// verdict decides whether a difference keeps what is valid by one side valid by the other, and
// finds a document that shows that it does not.
func (c *comparison) verdict(d difference, l leaning, from, to *side) (Verdict, *Witness) {
	if c.keeps(d, l, from, to) {
		return Yes, nil
	}
	witness := (&sampler{}).shows(d, l, from, to)
	return verdictOf(witness), witness
}

// keeps shows that values of one schema meet what the other says where they differ.
func (c *comparison) keeps(d difference, l leaning, from, to *side) bool {
	p := newProver()
	a := meetOf(from, l.from)
	if d.keyword == "" {
		return p.within(a, to, l.to, 0)
	}
	switch d.keyword {
	case "required", "properties":
		return c.keepsMember(p, d.name, a, l, to)
	case "patternProperties":
		if l.says.Exists() {
			return p.matching(a, to, d.name, l.says, 0)
		}
		return p.implies(a, to, l.to, "additionalProperties", l.to.Get("additionalProperties"), 0) || !l.to.Get("additionalProperties").Exists()
	case "prefixItems":
		return (!l.says.Exists() || p.implies(a, to, l.to, "prefixItems", l.says, 0)) && c.keepsKeyword(p, a, l, to, "items")
	case "additionalProperties":
		return c.keepsKeyword(p, a, l, to, d.keyword) && c.keepsKeyword(p, a, l, to, "properties")
	default:
		return c.keepsKeyword(p, a, l, to, d.keyword)
	}
}

func (c *comparison) keepsKeyword(p *prover, a meet, l leaning, to *side, keyword string) bool {
	v := l.to.Get(keyword)
	return !v.Exists() || p.implies(a, to, l.to, keyword, v, 0)
}

// keepsMember shows that what a schema says of one member, or of it as one of those that it does
// not name, keeps what the other says.
func (c *comparison) keepsMember(p *prover, name string, a meet, l leaning, to *side) bool {
	alone := meetOf(to, l.to)
	if slices.Contains(textsOf(l.to.Get("required")), name) && !slices.Contains(a.required(), name) {
		return false
	}
	if l.from.Get("properties").Get(name).Exists() == l.to.Get("properties").Get(name).Exists() {
		return true // compared on its own, or named by neither
	}
	has, wants := a.member(name), alone.member(name)
	if wants.types != anyType && has.types&^wants.types != 0 {
		return false
	}
	for _, t := range wants.terms {
		if t.negative && !p.apart(has, t.side, t.schema, 1) || !t.negative && !p.within(has, t.side, t.schema, 1) {
			return false
		}
	}
	return true
}

package compat

import (
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// change judges a difference.
func (c *comparison) change(d difference, r *Report) Change {
	change := Change{Kind: d.kind, Old: d.was.Raw(), New: d.is.Raw(), Backward: r.Backward, Forward: r.Forward}
	switch {
	case d.is.Exists():
		change.Pointer = d.is.Pointer()
	case d.was.Exists():
		change.Pointer, change.InOld = d.was.Pointer(), true
	}
	if change.Backward != Yes {
		change.Backward, change.Refused = verdict(d, d.towards(c.old, c.new))
	}
	if change.Forward != Yes {
		change.Forward, change.Unread = verdict(d, d.towards(c.new, c.old))
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
	from, to       *side
	fromHas, toHas jsonstream.Value // the schemas that have the keyword
	says           jsonstream.Value // what to has for it, absent if nothing
	fromAt, toAt   func(*place) []jsonstream.Value
}

func (d difference) towards(from, to *side) leaning {
	older := func(p *place) []jsonstream.Value { return p.old }
	newer := func(p *place) []jsonstream.Value { return p.new }
	if to.isNew {
		return leaning{from, to, d.old, d.new, d.is, older, newer}
	}
	return leaning{from, to, d.new, d.old, d.was, newer, older}
}

// at returns what each side says of values at a place.
func (l leaning) at(p *place) (from, to meet) {
	return meetOf(l.from, l.fromAt(p)...), meetOf(l.to, l.toAt(p)...)
}

// verdict decides whether a difference keeps what is valid by one side valid by the other, and
// finds a document that shows that it does not.
func verdict(d difference, l leaning) (Verdict, *Witness) {
	if newProver().keeps(d, l) {
		return Yes, nil
	}
	witness := (&sampler{}).shows(d, l)
	return verdictOf(witness), witness
}

// keeps shows that values of one schema meet what the other says where they differ.
func (p *prover) keeps(d difference, l leaning) bool {
	a := meetOf(l.from, l.fromHas)
	switch d.keyword {
	case "":
		return p.within(a, l.to, l.toHas, 0)
	case "required", "properties":
		return p.keepsMember(d.name, a, l)
	case "patternProperties":
		if l.says.Exists() {
			return p.matching(a, l.to, d.name, l.says, 0)
		}
		return p.keepsKeyword(a, l, "additionalProperties")
	case "prefixItems":
		return p.keepsKeyword(a, l, d.keyword) && p.keepsKeyword(a, l, "items")
	case "additionalProperties":
		return p.keepsKeyword(a, l, d.keyword) && p.keepsKeyword(a, l, "properties")
	default:
		return p.keepsKeyword(a, l, d.keyword)
	}
}

func (p *prover) keepsKeyword(a meet, l leaning, keyword string) bool {
	v := l.toHas.Get(keyword)
	return !v.Exists() || p.implies(a, l.to, l.toHas, keyword, v, 0)
}

// keepsMember shows that what a schema says of one member, or of it as one of those that it does
// not name, keeps what the other says.
func (p *prover) keepsMember(name string, a meet, l leaning) bool {
	if slices.Contains(textsOf(l.toHas.Get("required")), name) && !slices.Contains(a.required(), name) {
		return false
	}
	if l.fromHas.Get("properties").Get(name).Exists() == l.toHas.Get("properties").Get(name).Exists() {
		return true // compared on its own, or named by neither
	}
	has, wants := a.member(name), meetOf(l.to, l.toHas).member(name)
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

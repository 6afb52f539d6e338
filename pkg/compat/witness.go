package compat

import (
	"encoding/json"
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// witness returns a document that is valid under one schema and not under the other, nil if none
// is found.
func (g *sampler) witness(from, to *side) *Witness {
	accept := func(v jsonstream.Value) bool {
		found, ok := to.findings(to.root, v)
		return ok && len(found) > 0
	}
	for _, s := range g.where(meetOf(from, from.root), meetOf(to, to.root), 0, maxInner, maxSought, accept) {
		if w, _ := shows(from, to, s.String()); w != nil {
			return w
		}
	}
	return nil
}

// shows makes a witness of a document that is valid under one schema and not under the other, nil
// of others. breaks is in how many ways it is not.
func shows(from, to *side, text string) (w *Witness, breaks int) {
	v := parsed(text)
	if !v.Exists() {
		return nil, 0
	}
	valid, ok := from.findings(from.root, v)
	if !ok || len(valid) > 0 {
		return nil, 0
	}
	invalid, ok := to.findings(to.root, v)
	if !ok || len(invalid) == 0 {
		return nil, 0
	}
	return &Witness{json.RawMessage(text), invalid[0].Pointer, invalid[0].Message}, len(invalid)
}

// shows makes a document that shows a difference: first values for the place where it is, then
// what they are in. Best is one in which nothing else breaks the other schema.
func (g *sampler) shows(d difference, l leaning) *Witness {
	var best *Witness
	fewest := 0
	for _, local := range g.local(d, l) {
		for _, s := range g.embed(local, d.at, l) {
			w, breaks := shows(l.from, l.to, s.String())
			if w != nil && (best == nil || breaks < fewest || breaks == fewest && len(w.Document) < len(best.Document)) {
				best, fewest = w, breaks
			}
		}
		if fewest == 1 {
			break
		}
	}
	return best
}

// local returns values for the place of a difference that are valid there by one side and break
// the schema of the other: first those that break nothing else.
func (g *sampler) local(d difference, l leaning) []*sketch {
	a, b := l.at(d.at)
	breaks := map[string]int{}
	accept := func(v jsonstream.Value) bool {
		found, ok := l.to.findings(l.toHas, v)
		breaks[string(v.Raw())] = len(found)
		return ok && len(found) > 0
	}
	var list []*sketch
	if d.keyword == "properties" || d.keyword == "required" {
		list = g.member(d.name, a, b, accept)
	}
	if len(list) == 0 {
		list = g.where(a, b, 0, maxInner, maxSought, accept)
	}
	slices.SortStableFunc(list, func(x, y *sketch) int { return breaks[x.String()] - breaks[y.String()] })
	return list
}

// member returns objects with and without a member that are accepted.
func (g *sampler) member(name string, a, b meet, accept func(jsonstream.Value) bool) []*sketch {
	var list []*sketch
	for _, base := range g.containers(a.of(isObject), b) {
		candidates := []*sketch{base.without(name)}
		for _, v := range g.samples(a.member(name), b.member(name), 0) {
			candidates = append(candidates, base.with(name, v))
		}
		for _, s := range candidates {
			if v := parsed(s.String()); a.mayHave(v) && accept(v) {
				list = append(list, s)
			}
		}
	}
	return list[:min(len(list), maxInner)]
}

// containers returns a few values of a: first those that the other allows too.
func (g *sampler) containers(a, other meet) []*sketch {
	both := a
	for _, t := range other.terms {
		both = both.and(t)
	}
	var list []*sketch
	for _, m := range []meet{both, a} {
		list = append(list, g.where(m, meet{types: anyType}, 0, 3, maxTried, nil)...)
	}
	return list
}

// embed puts a value at its place into documents.
func (g *sampler) embed(s *sketch, at *place, l leaning) []*sketch {
	list := []*sketch{s}
	for p := at; p.outer != nil; p = p.outer {
		outer, other := l.at(p.outer)
		container, empty := isObject, object()
		if p.isItem {
			container, empty = isArray, array()
		}
		bases := g.containers(outer.of(container), other)
		if len(bases) == 0 { // nothing may be valid without the member
			bases = []*sketch{empty}
		}
		var next []*sketch
		for _, base := range bases {
			for _, inner := range list {
				if whole := g.put(base, inner, p, outer); whole != nil && outer.of(container).mayHave(parsed(whole.String())) {
					next = append(next, whole)
				}
			}
		}
		list = next[:min(len(next), maxInner)]
	}
	return list
}

// put returns a container with a value at a place in it.
func (g *sampler) put(base, inner *sketch, p *place, outer meet) *sketch {
	switch {
	case p.isName:
		name := parsed(inner.String())
		values := g.samples(outer.member(name.Text()), meet{types: anyType}, 0)
		if name.Kind() != jsonstream.String || len(values) == 0 {
			return nil
		}
		return base.with(name.Text(), values[0])
	case !p.isItem:
		return base.with(p.name, inner)
	}
	parts := slices.Clone(base.parts)
	for i := len(parts); i < p.index; i++ {
		values := g.samples(outer.item(i), meet{types: anyType}, 0)
		if len(values) == 0 {
			return nil
		}
		parts = append(parts, values[0])
	}
	if p.index < len(parts) {
		parts[p.index] = inner
	} else {
		parts = append(parts, inner)
	}
	return array(parts...)
}

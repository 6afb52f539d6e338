package compat

import (
	"encoding/json"
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// witness returns a document that is valid under one schema and not under the other, nil if none
// is found.
func (g *sampler) witness(from, to *side) json.RawMessage {
	for _, s := range g.samples(meetOf(from, from.root), meetOf(to, to.root), 0) {
		if text := s.String(); shows(from, to, text) {
			return json.RawMessage(text)
		}
	}
	return nil
}

// shows reports whether a document is valid under one schema and not under the other.
func shows(from, to *side, text string) bool {
	v := parsed(text)
	if !v.Exists() {
		return false
	}
	valid, ok := from.findings(from.root, v)
	if !ok || len(valid) > 0 {
		return false
	}
	invalid, ok := to.findings(to.root, v)
	return ok && len(invalid) > 0
}

// shows makes a document that shows a difference: first values for the place where it is, then
// what they are in. Best is one in which nothing else breaks the other schema.
func (g *sampler) shows(d difference, l leaning, from, to *side) json.RawMessage {
	var best json.RawMessage
	fewest := 0
	for _, local := range g.local(d, l, from, to) {
		for _, s := range g.embed(local, d.at, l, from, to) {
			text := s.String()
			if !shows(from, to, text) {
				continue
			}
			found, _ := to.findings(to.root, parsed(text))
			if best == nil || len(found) < fewest || len(found) == fewest && len(text) < len(best) {
				best, fewest = json.RawMessage(text), len(found)
			}
		}
		if fewest == 1 {
			break
		}
	}
	return best
}

// local returns values for the place of a difference that are valid there by one side and break
// the keyword of the other: first those that break nothing else.
func (g *sampler) local(d difference, l leaning, from, to *side) []*sketch {
	a := meetOf(from, l.fromAt(d.at)...).and(term{side: from, schema: l.from})
	b := meetOf(to, l.toAt(d.at)...).and(term{side: to, schema: l.to})
	if d.keyword == "properties" || d.keyword == "required" {
		b = b.and(term{side: to, schema: l.to})
	}
	var only, among []*sketch
	// Values that meet all the rest are of most interest, and can be impossible.
	for _, s := range g.samples(a, b, 0) {
		found, ok := to.findings(l.to, parsed(s.String()))
		if !ok || len(found) == 0 {
			continue
		}
		if len(found) == 1 {
			only = append(only, s)
		} else {
			among = append(among, s)
		}
	}
	list := slices.Concat(g.about(d, only), g.about(d, among))
	return list[:min(len(list), maxInner)]
}

// about puts those values first that differ in the member which a difference is about.
func (g *sampler) about(d difference, list []*sketch) []*sketch {
	if d.keyword != "properties" {
		return list
	}
	slices.SortStableFunc(list, func(a, b *sketch) int {
		return boolToInt(!slices.Contains(a.names, d.name)) - boolToInt(!slices.Contains(b.names, d.name))
	})
	return list
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// embed puts a value at its place into documents.
func (g *sampler) embed(s *sketch, at *place, l leaning, from, to *side) []*sketch {
	list := []*sketch{s}
	for p := at; p.outer != nil; p = p.outer {
		outer := meetOf(from, l.fromAt(p.outer)...)
		both := outer
		for _, schema := range l.toAt(p.outer) {
			both = both.and(term{side: to, schema: schema})
		}
		container := isObject
		if p.isItem {
			container = isArray
		}
		var bases []*sketch
		for _, m := range []meet{both, outer} {
			made := g.samples(m.of(container), meet{types: anyType}, 1)
			bases = append(bases, made[:min(len(made), 3)]...)
		}
		if len(bases) == 0 { // nothing may be valid without the member
			bases = []*sketch{{kind: kindOfContainer(p)}}
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

func kindOfContainer(p *place) jsonstream.Kind {
	if p.isItem {
		return jsonstream.Array
	}
	return jsonstream.Object
}

// put returns a container with a value at a place in it.
func (g *sampler) put(base, inner *sketch, p *place, outer meet) *sketch {
	switch {
	case p.isName:
		name := parsed(inner.String())
		values := g.samples(outer.member(name.Text()), meet{types: anyType}, 1)
		if name.Kind() != jsonstream.String || len(values) == 0 {
			return nil
		}
		return base.with(name.Text(), values[0])
	case !p.isItem:
		return base.with(p.name, inner)
	}
	parts := slices.Clone(base.parts)
	for i := len(parts); i < p.index; i++ {
		values := g.samples(outer.item(i), meet{types: anyType}, 1)
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

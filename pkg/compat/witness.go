package compat

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A place is the location in a document where the compared schemas apply.
type place struct {
	outer *place // nil for the document
	// The part of the value at the outer place: a member, an element, or the name of a member.
	name     string
	index    int
	isItem   bool
	isName   bool
	old, new jsonstream.Value // the schemas of the value
}

// witness returns a document that shows a difference, nil if none is found. It prefers a document with no
// other fault for the other side.
func (g *sampler) witness(d difference) *Witness {
	var best *Witness
	fewest := 0
	from, to := g.sides(d.at.old, d.at.new)
	for _, local := range g.values(from, to, d.name, 0) {
		if valid, ok := to.accepts(parse(encode(local))); ok && valid {
			continue
		}
		for _, document := range g.embed(local, d.at) {
			text := encode(document)
			v := parse(text)
			if valid, ok := (part{g.from, g.from.root}).accepts(v); !v.Exists() || !valid || !ok {
				continue
			}
			invalid := g.to.parts[g.to.root].Check(v)
			if n := len(invalid); n > 0 && (best == nil || n < fewest || n == fewest && len(text) < len(best.Document)) {
				best, fewest = &Witness{json.RawMessage(text), invalid[0].Pointer, invalid[0].Message}, n
			}
		}
		if best != nil && fewest == 1 {
			break
		}
	}
	return best
}

// sides returns the old and the new schema of a value, in the order of the sampler's sides.
func (g *sampler) sides(old, new jsonstream.Value) (from, to part) {
	if g.isForward {
		old, new = new, old
	}
	return part{g.from, old}, part{g.to, new}
}

// embed returns documents with a value at its place.
func (g *sampler) embed(value any, at *place) []any {
	list := []any{value}
	for p := at; p.outer != nil; p = p.outer {
		from, to := g.sides(p.outer.old, p.outer.new)
		var next []any
		bases := g.values(from, to, "", 1)
		if p.isItem {
			bases = append(bases, []any{})
		} else {
			bases = append(bases, map[string]any{})
		}
		for _, base := range bases {
			for _, inner := range list {
				if whole := g.put(base, inner, p, from, to); whole != nil {
					next = append(next, whole)
				}
			}
		}
		list = next[:min(len(next), maxSamples)]
	}
	return list
}

// put returns a copy of base with inner at a place in it, nil if there is no such place.
func (g *sampler) put(base, inner any, p *place, from, to part) any {
	switch base := base.(type) {
	case map[string]any:
		if p.isItem {
			return nil
		}
		name := p.name
		if p.isName {
			text, ok := inner.(json.RawMessage)
			if !ok {
				return nil
			}
			name, inner = parse(string(text)).Text(), raw("null")
			if values := g.member(from, to, parse(string(text)).Text(), 1); len(values) > 0 {
				inner = values[0]
			}
		}
		return withMember(base, name, inner)
	case []any:
		if !p.isItem {
			return nil
		}
		list := slices.Clone(base)
		for i := len(list); i <= p.index; i++ {
			values := g.element(from, to, i, 1)
			if len(values) == 0 {
				values = []any{raw("null")}
			}
			list = append(list, values[0])
		}
		list[p.index] = inner
		return list
	default:
		return nil
	}
}

func withMember(object map[string]any, name string, value any) map[string]any {
	object = maps.Clone(object)
	object[name] = value
	return object
}

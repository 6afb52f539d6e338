package compat

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// How many samples there are of a value, by how deep it is inside what is made up, and how many
// are looked at for each.
const (
	maxSamples = 40
	maxInner   = 8
	maxInside  = 4 // levels
	maxTried   = 400
	maxSought  = 4000 // where a sample is to show something
	maxPadding = 1024
	maxNames   = 200
	maxWork    = 100_000 // of one sampler
)

// A sampler makes up values that schemas allow, and that are of interest for other schemas: just
// inside and just outside of what those say.
type sampler struct{ work int }

// samples returns values of a, the plain ones first.
func (g *sampler) samples(a, other meet, inside int) []*sketch {
	limit := maxSamples
	if inside > 0 {
		limit = maxInner
	}
	return g.where(a, other, inside, limit, maxTried, nil)
}

// where returns up to limit samples that are accepted.
func (g *sampler) where(a, other meet, inside, limit, tries int, accept func(jsonstream.Value) bool) []*sketch {
	if inside > maxInside || g.work > maxWork {
		return nil
	}
	var valid []*sketch
	seen := map[string]bool{}
	g.propose(a, other, inside, 3, func(s *sketch) bool {
		g.work++
		tries--
		text := s.String()
		if len(text) <= maxText*4 && !seen[text] {
			seen[text] = true
			v := parsed(text)
			if v.Exists() && typeOf(v)&a.types != 0 && a.mayHave(v) && (accept == nil || accept(v)) {
				valid = append(valid, s)
			}
		}
		return len(valid) < limit && tries > 0 && g.work < maxWork
	})
	return valid
}

// propose yields candidates; it returns false when no more are wanted.
func (g *sampler) propose(a, other meet, inside, splits int, yield func(*sketch) bool) bool {
	if parts := a.cases(); parts != nil && splits > 0 {
		for _, part := range parts {
			if !g.propose(part, other, inside, splits-1, yield) {
				return false
			}
		}
		return true
	}
	for _, m := range []meet{a, other} {
		for v := range m.constants {
			if !yield(sketchOf(v)) {
				return false
			}
		}
	}
	for _, group := range groups {
		part := a.of(group)
		if part.types == 0 {
			continue
		}
		var more bool
		switch group {
		case isNull:
			more = yield(scalar("null"))
		case isBoolean:
			more = yield(scalar("true")) && yield(scalar("false"))
		case isString:
			more = each(textSamples(part, other), yield)
		case isNumber:
			more = each(numberSamples(part, other), yield)
		case isArray:
			more = g.arrays(part, other, inside, yield)
		case isObject:
			more = g.objects(part, other, inside, yield)
		}
		if !more {
			return false
		}
	}
	return true
}

func each(list []*sketch, yield func(*sketch) bool) bool {
	return !slices.ContainsFunc(list, func(s *sketch) bool { return !yield(s) })
}

// constants yields the values that the schemas name.
func (m meet) constants(yield func(jsonstream.Value) bool) {
	for v := range m.values("const") {
		if !yield(v) {
			return
		}
	}
	for list := range m.values("enum") {
		for i, v := range list.Elements() {
			if i > maxValues || !yield(v) {
				return
			}
		}
	}
}

// more returns what other says besides, in all of its alternatives, and of the terms that a must
// not match: whatever may be of interest.
func (m meet) more() meet {
	of := meet{anyType, slices.Clone(m.terms)}
	for range 4 {
		n := len(of.terms)
		for _, t := range slices.Clone(of.terms) {
			for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
				for _, branch := range t.schema.Get(keyword).Elements() {
					of.interest(t.side, branch)
				}
			}
			for _, keyword := range []string{"not", "if", "then", "else", "$ref"} {
				if v := t.schema.Get(keyword); v.Kind() == jsonstream.Object {
					of.interest(t.side, v)
				}
			}
			for _, branch := range t.schema.Get("dependentSchemas").Members() {
				of.interest(t.side, branch)
			}
		}
		if len(of.terms) == n || n > maxAlts {
			break
		}
	}
	of.types = anyType
	return of
}

func (m *meet) interest(s *side, schema jsonstream.Value) {
	schema = s.resolve(schema)
	if schema.Kind() == jsonstream.Object && !slices.ContainsFunc(m.terms, func(t term) bool { return t.schema == schema && !t.negative }) {
		m.terms = append(m.terms, term{side: s, schema: schema})
	}
}

func (g *sampler) arrays(a, other meet, inside int, yield func(*sketch) bool) bool {
	interest := other.more()
	least, most := a.limits("minItems", "maxItems")
	sizes := []int{least, least + 1, 0, 1, 2}
	for _, keyword := range []string{"minItems", "maxItems", "minContains", "maxContains"} {
		for _, m := range []meet{a, interest} {
			for v := range m.values(keyword) {
				sizes = append(sizes, count(v)-1, count(v), count(v)+1)
			}
		}
	}
	for v := range interest.values("prefixItems") {
		sizes = append(sizes, v.Len(), v.Len()+1)
	}
	prefix := min(max(a.prefix(), interest.prefix()), maxPadding)
	choices := make([][]*sketch, prefix+1)
	for i := range choices {
		choices[i] = g.samples(a.item(i), interest.item(i), inside+1)
	}
	for contained := range a.more().values("contains") {
		t := a.termOf(contained)
		choices[prefix] = append(choices[prefix], g.samples(a.item(prefix).and(term{side: t, schema: contained}), meet{types: anyType}, inside+1)...)
	}
	slices.Sort(sizes)
	sizes = slices.DeleteFunc(slices.Compact(sizes), func(n int) bool { return n < max(least, 0) || n > min(most, maxPadding) })
	return fill(sizes, choices, yield)
}

// fill yields arrays of these sizes: the plain ones first, then those in which one element, or all,
// are something else. The last choices are for all elements that have none of their own.
func fill(sizes []int, choices [][]*sketch, yield func(*sketch) bool) bool {
	of := func(i int) []*sketch { return choices[min(i, len(choices)-1)] }
	var bases []*sketch
	for _, size := range sizes {
		base, distinct := array(), array()
		for i := range size {
			list := of(i)
			if len(list) == 0 {
				break
			}
			base.parts = append(base.parts, list[0])
			distinct.parts = append(distinct.parts, list[i%len(list)])
		}
		if len(base.parts) < size {
			break
		}
		bases = append(bases, base)
		if !yield(base) || !yield(distinct) {
			return false
		}
	}
	for _, base := range bases {
		for i := range min(len(base.parts), len(choices)) {
			for _, one := range of(i) {
				changed := array(slices.Clone(base.parts)...)
				changed.parts[i] = one
				if !yield(changed) || !yield(array(slices.Repeat([]*sketch{one}, len(base.parts))...)) {
					return false
				}
			}
		}
	}
	return true
}

// termOf returns the side of a term that has a value in its schema.
func (m meet) termOf(v jsonstream.Value) *side {
	for _, t := range m.more().terms {
		if t.schema == v.Parent() {
			return t.side
		}
	}
	return m.terms[0].side
}

// fresh returns a name for a member that no schema names.
func fresh(known []string, n int) string {
	name := strings.Repeat("x", n+1)
	for slices.Contains(known, name) {
		name += "x"
	}
	return name
}

// namesOf returns names of members to try: first those that are not the name of a property.
func (g *sampler) namesOf(mine, interest meet) []string {
	properties := slices.Concat(mine.names(), interest.names())
	names := append([]string{fresh(properties, 0)}, slices.Concat(interest.mentioned(), mine.mentioned())...)
	for _, m := range []meet{mine, interest} {
		for v := range m.values("patternProperties") {
			for expr := range v.Members() {
				names = append(names, matching(expr, 1, 0))
			}
		}
		for schema := range m.values("propertyNames") {
			for _, s := range g.where(meet{types: isString}, meetOf(m.termOf(schema), schema), 1, maxInner, maxTried, nil) {
				names = append(names, parsed(s.String()).Text())
			}
		}
	}
	slices.Sort(properties)
	all := names[:0:0]
	for _, name := range append(names, properties...) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

func (g *sampler) objects(a, other meet, inside int, yield func(*sketch) bool) bool {
	interest := other.more()
	known := g.namesOf(a.more(), interest)
	known = known[:min(len(known), maxNames)]
	choices := map[string][]*sketch{}
	of := func(name string) []*sketch {
		list, done := choices[name]
		if !done {
			list = g.samples(a.member(name), interest.member(name), inside+1)
			choices[name] = list
		}
		return list
	}
	base := object()
	for _, name := range a.required() {
		list := of(name)
		if len(list) == 0 {
			return true
		}
		base = base.with(name, list[0])
	}
	least, _ := a.limits("minProperties", "maxProperties")
	base = g.pad(a, base, known, least, of)
	if !yield(base) {
		return false
	}
	full := base
	for _, name := range known {
		for i, v := range of(name) {
			if i == 0 {
				full = full.with(name, v)
			}
			if !yield(base.with(name, v)) {
				return false
			}
		}
	}
	if !yield(full) {
		return false
	}
	for _, name := range full.names {
		if !yield(full.without(name)) {
			return false
		}
		for _, v := range of(name) {
			if !yield(full.with(name, v)) {
				return false
			}
		}
	}
	for _, keyword := range []string{"minProperties", "maxProperties"} {
		for v := range interest.values(keyword) {
			for _, size := range []int{count(v) - 1, count(v), count(v) + 1} {
				if !yield(g.pad(a, base, known, size, of)) {
					return false
				}
			}
		}
	}
	return true
}

// mentioned returns the names that the schemas require or make others depend on.
func (m meet) mentioned() []string {
	names := m.required()
	for v := range m.values("dependentRequired") {
		for name, list := range v.Members() {
			names = append(append(names, name), textsOf(list)...)
		}
	}
	for v := range m.values("dependentSchemas") {
		for name := range v.Members() {
			names = append(names, name)
		}
	}
	return names
}

// pad adds members until an object has so many.
func (g *sampler) pad(a meet, base *sketch, known []string, size int, of func(string) []*sketch) *sketch {
	if size > maxPadding {
		return base
	}
	for _, name := range known {
		if list := of(name); len(base.names) < size && len(list) > 0 && !slices.Contains(base.names, name) {
			base = base.with(name, list[0])
		}
	}
	if len(base.names) >= size {
		return base
	}
	list := of(fresh(known, 0))
	for n := 0; len(list) > 0 && len(base.names) < size; n++ {
		base = base.with(fresh(known, n), list[0])
	}
	return base
}

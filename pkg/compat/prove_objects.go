package compat

import (
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func (p *prover) objects(a meet, s *side, b jsonstream.Value, keyword string, v jsonstream.Value, depth int) bool {
	least, most := a.limits("minProperties", "maxProperties")
	required := a.required()
	switch keyword {
	case "required":
		return !slices.ContainsFunc(textsOf(v), func(name string) bool { return !slices.Contains(required, name) })
	case "minProperties":
		return max(least, len(required)) >= count(v)
	case "maxProperties":
		return most <= count(v)
	case "properties":
		for name, schema := range v.Members() {
			if !p.within(a.member(name), s, schema, depth+1) {
				return false
			}
		}
		return true
	case "patternProperties":
		for expr, schema := range v.Members() {
			if !p.matching(a, s, expr, schema, depth) {
				return false
			}
		}
		return true
	case "additionalProperties":
		return p.additional(a, s, b, v, depth)
	case "propertyNames":
		return p.namesWithin(a, s, v, depth)
	case "dependentRequired":
		return p.dependent(a, v, required, depth)
	case "dependentSchemas":
		for name, schema := range v.Members() {
			if !p.absent(a, name, depth) && !p.within(a, s, schema, depth) && !p.sameDependent(a, s, name, schema) {
				return false
			}
		}
		return true
	case "unevaluatedProperties":
		return v.Kind() == jsonstream.True || restOf(b).Exists() && p.additional(a, s, b, restOf(b), depth)
	}
	return false
}

func textsOf(v jsonstream.Value) []string {
	var texts []string
	for _, one := range v.Elements() {
		texts = append(texts, one.Text())
	}
	return texts
}

// absent shows that objects do not have a member.
func (p *prover) absent(a meet, name string, depth int) bool {
	return p.empty(a.member(name), depth+1, 2)
}

// matching shows that all members whose names match an expression match a schema.
func (p *prover) matching(a meet, s *side, expr string, schema jsonstream.Value, depth int) bool {
	for _, name := range a.names() {
		matched, ok := s.matches(expr, name)
		if !ok || matched && !p.within(a.member(name), s, schema, depth+1) {
			return false
		}
	}
	return p.withinAll(a.others(func(pattern string) choice {
		if pattern == expr {
			return always
		}
		return perhaps
	}), s, schema, depth)
}

// additional shows that all members that b does not name match a schema.
func (p *prover) additional(a meet, s *side, b, schema jsonstream.Value, depth int) bool {
	patterns := b.Get("patternProperties")
	for _, name := range a.names() {
		named := b.Get("properties").Get(name).Exists()
		for expr := range patterns.Members() {
			matched, ok := s.matches(expr, name)
			if !ok {
				return false
			}
			named = named || matched
		}
		if !named && !p.within(a.member(name), s, schema, depth+1) {
			return false
		}
	}
	return p.withinAll(a.others(func(pattern string) choice {
		if patterns.Get(pattern).Exists() {
			return never
		}
		return perhaps
	}), s, schema, depth)
}

func (p *prover) withinAll(parts []meet, s *side, schema jsonstream.Value, depth int) bool {
	return !slices.ContainsFunc(parts, func(part meet) bool { return !p.within(part, s, schema, depth+1) })
}

// A choice says whether the names in question match a pattern.
type choice int

const (
	perhaps choice = iota
	always
	never
)

// others returns what is said of members whose names no properties have: the cases that there are,
// by the patterns that the names match.
func (m meet) others(of func(pattern string) choice) []meet {
	cases := []meet{{types: anyType}}
	for t := range m.positive {
		var alts []jsonstream.Value
		isMatched := false
		for expr, schema := range t.schema.Get("patternProperties").Members() {
			switch of(expr) {
			case always:
				alts, isMatched = []jsonstream.Value{schema}, true
			case perhaps:
				if !isMatched {
					alts = append(alts, schema)
				}
			}
			if isMatched {
				break
			}
		}
		rest := restOf(t.schema)
		if !isMatched && !rest.Exists() || len(cases)*(len(alts)+1) > maxAlts {
			continue // it says nothing of some names
		}
		if !isMatched {
			alts = append(alts, rest)
		}
		var next []meet
		for _, c := range cases {
			for _, alt := range alts {
				next = append(next, c.and(term{side: t.side, schema: alt}))
			}
		}
		cases = next
	}
	return cases
}

// isClosed shows that objects have no members but those that properties name.
func (p *prover) isClosed(a meet, depth int) bool {
	return !slices.ContainsFunc(a.others(func(string) choice { return perhaps }), func(part meet) bool { return !p.empty(part, depth+1, 2) })
}

func (p *prover) namesWithin(a meet, s *side, schema jsonstream.Value, depth int) bool {
	names := meet{types: isString}
	for t := range a.positive {
		if has := t.schema.Get("propertyNames"); has.Exists() {
			names.add(term{side: t.side, schema: has})
		}
	}
	if p.within(names, s, schema, depth+1) {
		return true
	}
	if !p.isClosed(a, depth) {
		return false
	}
	for _, name := range a.names() {
		if p.absent(a, name, depth) {
			continue
		}
		if found, ok := s.findings(schema, parsed(quote(name))); !ok || len(found) > 0 {
			return false
		}
	}
	return true
}

func (p *prover) dependent(a meet, v jsonstream.Value, required []string, depth int) bool {
	for name, list := range v.Members() {
		if p.absent(a, name, depth) {
			continue
		}
		has := slices.Clone(required)
		for dependents := range a.values("dependentRequired") {
			has = append(has, textsOf(dependents.Get(name))...)
		}
		if slices.ContainsFunc(textsOf(list), func(name string) bool { return !slices.Contains(has, name) }) {
			return false
		}
	}
	return true
}

func (p *prover) sameDependent(a meet, s *side, name string, schema jsonstream.Value) bool {
	for t := range a.positive {
		if has := t.schema.Get("dependentSchemas").Get(name); has.Exists() && p.same(t.side, has, s, schema) {
			return true
		}
	}
	return false
}

package compat

import (
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// empty shows that there are no values in a. How far it looks is bounded by reach.
func (p *prover) empty(a meet, depth, reach int) bool {
	if a.types == 0 {
		return true
	}
	if reach == 0 || !p.step() {
		return false
	}
	if values, ok := p.finite(a); ok {
		return len(values) == 0
	}
	for _, part := range a.byType() {
		if !p.emptyOfType(part, depth, reach) {
			return false
		}
	}
	return true
}

func (p *prover) emptyOfType(a meet, depth, reach int) bool {
	if values, ok := p.finite(a); ok && len(values) == 0 {
		return true
	}
	switch {
	case a.types&isNumber != 0:
		low, high := a.lower(), a.upper()
		if low.at != nil && high.at != nil {
			if order := low.at.Cmp(high.at); order > 0 || order == 0 && (low.excluded || high.excluded) {
				return true
			}
		}
	case a.types == isString:
		if least, most := a.limits("minLength", "maxLength"); least > most {
			return true
		}
	case a.types == isArray:
		least, most := a.limits("minItems", "maxItems")
		if least > most {
			return true
		}
		for i := range min(least, a.prefix()+1) {
			if p.empty(a.item(i), depth+1, reach-1) {
				return true
			}
		}
	case a.types == isObject:
		required := a.required()
		if least, most := a.limits("minProperties", "maxProperties"); max(least, len(required)) > most {
			return true
		}
		if slices.ContainsFunc(required, func(name string) bool { return p.empty(a.member(name), depth+1, reach-1) }) {
			return true
		}
	}
	return p.excluded(a, depth) || p.noCase(a, depth, reach)
}

// excluded shows that a negative term leaves nothing.
func (p *prover) excluded(a meet, depth int) bool {
	for i, t := range a.terms {
		if !t.negative {
			continue
		}
		rest := meet{a.types, slices.Delete(slices.Clone(a.terms), i, i+1)}
		rest.terms = slices.DeleteFunc(rest.terms, func(t term) bool { return t.negative })
		if p.within(rest, t.side, t.schema, depth) {
			return true
		}
	}
	return false
}

func (p *prover) noCase(a meet, depth, reach int) bool {
	parts := a.cases()
	return parts != nil && !slices.ContainsFunc(parts, func(part meet) bool { return !p.empty(part, depth, reach-1) })
}

// finite returns all values of a where they can be told one by one.
func (p *prover) finite(a meet) (values []jsonstream.Value, ok bool) {
	if a.types&^(isNull|isBoolean) == 0 {
		values, ok = slices.Clone(p.literals), true
	}
	for t := range a.positive {
		if list := t.schema.Get("enum"); list.Exists() && list.Len() <= maxValues {
			values, ok = nil, true
			for _, v := range list.Elements() {
				values = append(values, v)
			}
		}
		if only := t.schema.Get("const"); only.Exists() {
			values, ok = []jsonstream.Value{only}, true
		}
		if len(values) == 1 {
			break
		}
	}
	return slices.DeleteFunc(values, func(v jsonstream.Value) bool { return typeOf(v)&a.types == 0 || !a.mayHave(v) }), ok
}

// mayHave reports whether a value matches all terms, as far as that can be told.
func (m meet) mayHave(v jsonstream.Value) bool {
	for _, t := range m.terms {
		if found, ok := t.side.findings(t.schema, v); ok && (len(found) == 0) == t.negative {
			return false
		}
	}
	return true
}

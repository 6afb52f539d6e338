package compat

import (
	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// same reports whether two schemas say the same, word for word but for annotations and for where
// their definitions are.
func (p *prover) same(a *side, x jsonstream.Value, b *side, y jsonstream.Value) bool {
	s := sameness{p, a, b, map[[2]jsonstream.Value]bool{}}
	return s.schemas(x, y)
}

type sameness struct {
	prover *prover
	a, b   *side
	open   map[[2]jsonstream.Value]bool // assumed, since they are being compared
}

func (s *sameness) schemas(x, y jsonstream.Value) bool {
	x, y = s.a.resolve(x), s.b.resolve(y)
	if x == y || s.open[[2]jsonstream.Value{x, y}] {
		return true
	}
	if x.Kind() != y.Kind() || x.Get("$dynamicRef").Exists() || !s.prover.step() {
		return false
	}
	s.open[[2]jsonstream.Value{x, y}] = true
	for keyword, v := range x.Members() {
		if !isAnnotation(keyword) && !s.keyword(keyword, v, y.Get(keyword)) {
			return false
		}
	}
	for keyword := range y.Members() {
		if !isAnnotation(keyword) && !x.Get(keyword).Exists() {
			return false
		}
	}
	return true
}

func (s *sameness) keyword(keyword string, x, y jsonstream.Value) bool {
	if !y.Exists() {
		return false
	}
	switch keyword {
	case "$ref":
		to, other := s.a.target(x.Text()), s.b.target(y.Text())
		return to.Exists() && other.Exists() && s.schemas(to, other)
	case "not", "if", "then", "else", "additionalProperties", "propertyNames", "contains", "unevaluatedProperties", "unevaluatedItems", "items":
		return s.schemas(x, y)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if x.Len() != y.Len() {
			return false
		}
		left, right := x.First(), y.First()
		for ; left.Exists(); left, right = left.Next(), right.Next() {
			if !s.schemas(left, right) {
				return false
			}
		}
		return true
	case "properties", "patternProperties", "dependentSchemas":
		if x.Len() != y.Len() {
			return false
		}
		for name, schema := range x.Members() {
			if other := y.Get(name); !other.Exists() || !s.schemas(schema, other) {
				return false
			}
		}
		return true
	case "type":
		return typesNamed(x) == typesNamed(y)
	default:
		return equal.Values(x, y)
	}
}

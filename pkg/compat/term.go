package compat

import (
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// types is a set of JSON types; integers and other numbers are two.
type types uint8

const (
	isNull types = 1 << iota
	isBoolean
	isString
	isInt
	isFraction
	isObject
	isArray
	isNumber = isInt | isFraction
	anyType  = isNull | isBoolean | isString | isNumber | isObject | isArray
)

// groups are the types that keywords tell apart.
var groups = []types{isNull, isBoolean, isString, isNumber, isObject, isArray}

// typesNamed returns the types that the keyword type names.
func typesNamed(v jsonstream.Value) types {
	set := typeNamed(v.Text())
	for _, one := range v.Elements() {
		set |= typeNamed(one.Text())
	}
	return set
}

func typeNamed(name string) types {
	switch name {
	case "null":
		return isNull
	case "boolean":
		return isBoolean
	case "string":
		return isString
	case "integer":
		return isInt
	case "number":
		return isNumber
	case "object":
		return isObject
	case "array":
		return isArray
	default:
		return 0
	}
}

func typeOf(v jsonstream.Value) types {
	switch v.Kind() {
	case jsonstream.Null:
		return isNull
	case jsonstream.True, jsonstream.False:
		return isBoolean
	case jsonstream.String:
		return isString
	case jsonstream.Object:
		return isObject
	case jsonstream.Array:
		return isArray
	}
	number := jsonstream.ParseDecimal(v.Raw())
	if number.IsInteger() {
		return isInt
	}
	return isFraction
}

// A term is a schema that values match, or do not match if it is negative.
type term struct {
	side     *side
	schema   jsonstream.Value
	negative bool
	// taken are the alternatives of the schema that other terms say.
	taken alternatives
}

type alternatives uint8

const (
	ofAnyOf alternatives = 1 << iota
	ofOneOf
	ofIf
)

// number is another for every term of a comparison.
func (t term) number() uint64 {
	n := uint64(t.schema.Ordinal())<<5 | uint64(t.taken)<<2
	if t.negative {
		n |= 2
	}
	if t.side.isNew {
		n |= 1
	}
	return n
}

// A meet is the values that have one of the types and match all terms. $ref and allOf are
// resolved into terms of their own.
type meet struct {
	types types
	terms []term
}

func meetOf(s *side, schemas ...jsonstream.Value) meet {
	m := meet{types: anyType}
	for _, schema := range schemas {
		m = m.and(term{side: s, schema: schema})
	}
	return m
}

// and returns the values of m that match one more term.
func (m meet) and(t term) meet {
	m.terms = slices.Clone(m.terms)
	m.add(t)
	return m
}

func (m *meet) add(t term) {
	if t.negative {
		if m.exclude(t.schema); !slices.Contains(m.terms, t) {
			m.terms = append(m.terms, t)
		}
		return
	}
	switch t.schema.Kind() {
	case jsonstream.False:
		m.types = 0
	case jsonstream.Object:
		if slices.ContainsFunc(m.terms, func(o term) bool { return o.schema == t.schema && !o.negative }) {
			return
		}
		m.terms = append(m.terms, t)
		if named := t.schema.Get("type"); named.Exists() {
			m.types &= typesNamed(named)
		}
		if only := t.schema.Get("const"); only.Exists() {
			m.types &= typeOf(only)
		}
		if list := t.schema.Get("enum"); list.Exists() {
			var among types
			for _, v := range list.Elements() {
				among |= typeOf(v)
			}
			m.types &= among
		}
		if ref := t.schema.Get("$ref"); ref.Exists() {
			m.add(term{side: t.side, schema: t.side.target(ref.Text())})
		}
		for _, schema := range t.schema.Get("allOf").Elements() {
			m.add(term{side: t.side, schema: schema})
		}
		if not := t.schema.Get("not"); not.Exists() {
			m.add(term{side: t.side, schema: not, negative: true})
		}
	}
}

// exclude takes out the types that a negative term is all about.
func (m *meet) exclude(schema jsonstream.Value) {
	switch {
	case schema.Kind() == jsonstream.True || schema.Kind() == jsonstream.Object && schema.Len() == 0:
		m.types = 0
	case schema.Len() == 1 && schema.Get("type").Exists():
		m.types &^= typesNamed(schema.Get("type"))
	}
}

func (m meet) of(t types) meet {
	m.types &= t
	return m
}

// key is the same for equal meets of a comparison.
func (m meet) key() string {
	numbers := make([]uint64, len(m.terms))
	for i, t := range m.terms {
		numbers[i] = t.number()
	}
	slices.Sort(numbers)
	key := []byte{byte(m.types)}
	for _, n := range numbers {
		key = binary.AppendUvarint(key, n)
	}
	return string(key)
}

// positive yields the schemas that values must match.
func (m meet) positive(yield func(term) bool) {
	for _, t := range m.terms {
		if !t.negative && !yield(t) {
			return
		}
	}
}

// values yields what the schemas have for a keyword.
func (m meet) values(keyword string) func(func(jsonstream.Value) bool) {
	return func(yield func(jsonstream.Value) bool) {
		for t := range m.positive {
			if v := t.schema.Get(keyword); v.Exists() && !yield(v) {
				return
			}
		}
	}
}

// member returns what is said of the member with a name.
func (m meet) member(name string) meet {
	of := meet{types: anyType}
	for t := range m.positive {
		known := t.schema.Get("properties").Get(name)
		if known.Exists() {
			of.add(term{side: t.side, schema: known})
		}
		for expr, schema := range t.schema.Get("patternProperties").Members() {
			if matched, _ := t.side.matches(expr, name); matched {
				of.add(term{side: t.side, schema: schema})
				known = schema
			}
		}
		if rest := restOf(t.schema); !known.Exists() && rest.Exists() {
			of.add(term{side: t.side, schema: rest})
		}
	}
	return of
}

// restOf returns the schema of the members that properties and patternProperties do not name,
// absent if there is none. unevaluatedProperties says that too, where nothing else looks at members.
func restOf(schema jsonstream.Value) jsonstream.Value {
	if rest := schema.Get("additionalProperties"); rest.Exists() {
		return rest
	}
	for _, keyword := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas"} {
		if schema.Get(keyword).Exists() {
			return jsonstream.Value{}
		}
	}
	return schema.Get("unevaluatedProperties")
}

// item returns what is said of the element at an index.
func (m meet) item(index int) meet {
	of := meet{types: anyType}
	for t := range m.positive {
		if schema := itemSchema(t.schema, index); schema.Exists() {
			of.add(term{side: t.side, schema: schema})
		}
	}
	return of
}

func itemSchema(schema jsonstream.Value, index int) jsonstream.Value {
	prefix := schema.Get("prefixItems")
	if index < prefix.Len() {
		for i, one := range prefix.Elements() {
			if i == index {
				return one
			}
		}
	}
	return schema.Get("items")
}

// prefix returns from which index on nothing but items counts.
func (m meet) prefix() int {
	n := 0
	for v := range m.values("prefixItems") {
		n = max(n, v.Len())
	}
	return n
}

// required returns the names of members that are always there.
func (m meet) required() []string {
	var names []string
	for v := range m.values("required") {
		for _, name := range v.Elements() {
			if !slices.Contains(names, name.Text()) {
				names = append(names, name.Text())
			}
		}
	}
	return names
}

// names returns the names that the schemas have properties for.
func (m meet) names() []string {
	var names []string
	seen := map[string]bool{}
	for v := range m.values("properties") {
		for name := range v.Members() {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

const noLimit = 1_000_000_000

// limits returns the strongest of two keywords that count.
func (m meet) limits(minimum, maximum string) (least, most int) {
	most = noLimit
	for v := range m.values(minimum) {
		least = max(least, count(v))
	}
	for v := range m.values(maximum) {
		most = min(most, count(v))
	}
	return least, most
}

func count(v jsonstream.Value) int {
	number := jsonstream.ParseDecimal(v.Raw())
	if n, ok := number.Count(); ok {
		return n
	}
	return noLimit
}

func rat(v jsonstream.Value) *big.Rat {
	r, ok := new(big.Rat).SetString(string(v.Raw()))
	if !ok {
		return new(big.Rat)
	}
	return r
}

// A bound is a limit of numbers, nil where there is none.
type bound struct {
	at       *big.Rat
	excluded bool
}

// lower returns the strongest lower bound; upper the same for upper ones.
func (m meet) lower() bound { return m.bound("minimum", "exclusiveMinimum", 1) }
func (m meet) upper() bound { return m.bound("maximum", "exclusiveMaximum", -1) }

func (m meet) bound(inclusive, exclusive string, direction int) bound {
	var b bound
	for _, keyword := range []string{inclusive, exclusive} {
		for v := range m.values(keyword) {
			at, out := rat(v), keyword == exclusive
			if m.types&isNumber == isInt {
				at, out = nextInt(at, out, direction), false
			}
			if b.at == nil || at.Cmp(b.at)*direction > 0 || at.Cmp(b.at) == 0 && out {
				b = bound{at, out}
			}
		}
	}
	return b
}

// nextInt returns the first integer in a direction that a bound allows.
func nextInt(at *big.Rat, excluded bool, direction int) *big.Rat {
	floor := new(big.Int).Div(at.Num(), at.Denom()) // of Euclid, and the denominator is positive
	n := new(big.Rat).SetInt(floor)
	step := big.NewRat(int64(direction), 1)
	switch {
	case at.IsInt():
		if excluded {
			n.Add(n, step)
		}
	case direction > 0:
		n.Add(n, step)
	}
	return n
}

package compat

import (
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// types is a set of JSON types, in which integers and other numbers are different types.
type types uint8

const (
	isNull types = 1 << iota
	isBoolean
	isString
	isInteger
	isFraction
	isObject
	isArray
	isNumber = isInteger | isFraction
	anyType  = isNull | isBoolean | isString | isNumber | isObject | isArray
)

var typeNames = map[string]types{
	"null": isNull, "boolean": isBoolean, "string": isString, "integer": isInteger, "number": isNumber, "object": isObject, "array": isArray,
}

// typesNamed returns the types in the value of the keyword type.
func typesNamed(v jsonstream.Value) types {
	set := typeNames[v.Text()]
	for _, one := range v.Elements() {
		set |= typeNames[one.Text()]
	}
	return set
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
	if number := jsonstream.ParseDecimal(v.Raw()); number.IsInteger() {
		return isInteger
	}
	return isFraction
}

// types returns the types that values of a schema may have.
func (p part) types() types {
	if set, known := p.side.types[p.schema]; known {
		return set
	}
	if p.schema.Kind() == jsonstream.False {
		return 0
	}
	p.side.types[p.schema] = anyType // provisionally, for schemas that refer to themselves
	set := anyType
	for _, c := range p.conjuncts() {
		if named := c.schema.Get("type"); named.Exists() {
			set &= typesNamed(named)
		}
		if list, ok := c.values(); ok {
			set &= union(list, typeOf)
		}
		for _, name := range []string{"anyOf", "oneOf"} {
			if branches := c.branches(name); branches != nil {
				set &= union(branches, part.types)
			}
		}
		if c.schema.Kind() == jsonstream.False {
			set = 0
		}
	}
	p.side.types[p.schema] = set
	return set
}

func union[T any](list []T, of func(T) types) types {
	var set types
	for _, one := range list {
		set |= of(one)
	}
	return set
}

// conjuncts returns a schema and the schemas in its $ref and allOf, which its values also match.
func (p part) conjuncts() []part {
	list := []part{{p.side, p.side.resolve(p.schema)}}
	for i := 0; i < len(list) && len(list) < maxParts; i++ {
		add := list[i].branches("allOf")
		if ref := list[i].schema.Get("$ref"); ref.Exists() {
			add = append(add, part{p.side, p.side.target(ref.Text())})
		}
		for _, one := range add {
			one.schema = p.side.resolve(one.schema)
			if one.schema.Exists() && !slices.Contains(list, one) {
				list = append(list, one)
			}
		}
	}
	return list
}

func (p part) branches(name string) []part {
	var list []part
	for _, b := range p.schema.Get(name).Elements() {
		list = append(list, part{p.side, b})
	}
	return list
}

// apart reports whether no value matches both schemas: their types differ, or a member that one of them
// requires has different constants.
func (p part) apart(q part) bool {
	both := p.types() & q.types()
	if both == 0 {
		return true
	}
	if both != isObject {
		return false
	}
	for _, a := range p.conjuncts() {
		for name, property := range a.schema.Get("properties").Members() {
			mine, ok := part{p.side, p.side.resolve(property)}.values()
			for _, b := range q.conjuncts() {
				others, also := part{q.side, q.side.resolve(b.schema.Get("properties").Get(name))}.values()
				if ok && also && (p.requires(name) || q.requires(name)) && !slices.ContainsFunc(mine, func(v jsonstream.Value) bool { return hasValue(others, v) }) {
					return true
				}
			}
		}
	}
	return false
}

func (p part) requires(name string) bool {
	return slices.ContainsFunc(p.conjuncts(), func(c part) bool { return slices.Contains(texts(c.schema.Get("required")), name) })
}

// areExclusive reports whether no value matches two of the schemas.
func areExclusive(list []part) bool {
	for i, a := range list {
		if slices.ContainsFunc(list[:i], func(b part) bool { return !a.apart(b) }) {
			return false
		}
	}
	return true
}

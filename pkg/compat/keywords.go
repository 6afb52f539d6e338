package compat

import (
	"slices"
	"strconv"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A part is a schema of one side, as it applies to one value.
type part struct {
	side   *side
	schema jsonstream.Value
}

func (p part) get(keyword string) part { return part{p.side, p.schema.Get(keyword)} }

// keywords has every keyword that restricts values, with the types that it applies to. Removing a keyword
// makes more values valid; adding one or changing its value may make fewer valid, which keeps decides.
var keywords = map[string]types{
	"type": anyType, "enum": anyType, "const": anyType, "format": anyType,
	"minimum": isNumber, "exclusiveMinimum": isNumber, "maximum": isNumber, "exclusiveMaximum": isNumber, "multipleOf": isNumber,
	"minLength": isString, "maxLength": isString, "pattern": isString,
	"minItems": isArray, "maxItems": isArray, "uniqueItems": isArray, "uniqueKeys": isArray, "prefixItems": isArray, "items": isArray,
	"additionalItems": isArray, "contains": isArray, "minContains": isArray, "maxContains": isArray, "unevaluatedItems": isArray,
	"required": isObject, "minProperties": isObject, "maxProperties": isObject, "properties": isObject, "patternProperties": isObject,
	"additionalProperties": isObject, "propertyNames": isObject, "dependentRequired": isObject, "dependentSchemas": isObject,
	"dependencies": isObject, "regexProperties": isObject, "unevaluatedProperties": isObject,
	"allOf": anyType, "anyOf": anyType, "oneOf": anyType, "not": anyType, "if": anyType, "then": anyType, "else": anyType,
	"$ref": anyType, "$dynamicRef": anyType, "$recursiveRef": anyType,
}

// keeps reports whether every value of from, of a type that the keyword applies to, satisfies the keyword of
// to. It may report false if it cannot decide: some keywords are compared only by their text. Keywords with
// schemas inside are compared in walk.go.
func (w *walk) keeps(name string, from, to part) bool {
	v := to.schema.Get(name)
	switch name {
	case "type":
		return from.types()&^typesNamed(v) == 0
	case "enum", "const":
		return keepsValues(from, to)
	case "minimum", "exclusiveMinimum":
		return keepsBound(from, to, "minimum", "exclusiveMinimum", 1)
	case "maximum", "exclusiveMaximum":
		return keepsBound(from, to, "maximum", "exclusiveMaximum", -1)
	case "multipleOf":
		return keepsMultiples(from, to)
	case "minLength", "minItems":
		return count(from, name, 0) >= count(to, name, 0)
	case "minProperties":
		return max(count(from, name, 0), from.schema.Get("required").Len()) >= count(to, name, 0)
	case "maxLength", "maxItems", "maxProperties":
		return count(from, name, noLimit) <= count(to, name, noLimit)
	case "uniqueItems":
		return v.Kind() != jsonstream.True || from.schema.Get(name).Kind() == jsonstream.True || count(from, "maxItems", noLimit) <= 1
	case "contains", "minContains", "maxContains":
		return w.keepsContained(from, to)
	case "dependentRequired":
		return keepsDependents(from, to)
	case "propertyNames", "unevaluatedItems", "unevaluatedProperties":
		return w.covers(from.get(name), to.get(name))
	case "not":
		without, banned := from.get(name), to.get(name)
		return without.schema.Exists() && w.covers(banned, without) || from.apart(banned)
	default:
		return !v.Exists()
	}
}

func keepsValues(from, to part) bool {
	among, ok := from.values()
	allowed, _ := to.values()
	return ok && !slices.ContainsFunc(among, func(v jsonstream.Value) bool { return !hasValue(allowed, v) })
}

func hasValue(list []jsonstream.Value, v jsonstream.Value) bool {
	return slices.ContainsFunc(list, func(one jsonstream.Value) bool { return equal.Values(one, v) })
}

// values returns the values that enum and const allow; ok is false if there is neither.
func (p part) values() (list []jsonstream.Value, ok bool) {
	enum := p.schema.Get("enum")
	for _, v := range enum.Elements() {
		list = append(list, v)
	}
	only := p.schema.Get("const")
	if !only.Exists() {
		return list, enum.Exists()
	}
	if enum.Exists() && !hasValue(list, only) {
		return nil, true
	}
	return []jsonstream.Value{only}, true
}

// keepsBound compares the stronger of two numeric limits; direction is 1 for lower limits.
func keepsBound(from, to part, inclusive, exclusive string, direction int) bool {
	strongest := func(p part) (at jsonstream.Decimal, excluded, ok bool) {
		for _, name := range []string{inclusive, exclusive} {
			v := p.schema.Get(name)
			if v.Kind() != jsonstream.Number {
				continue
			}
			limit, out := jsonstream.ParseDecimal(v.Raw()), name == exclusive
			if n, err := strconv.Atoi(string(v.Raw())); out && err == nil && p.types()&isNumber == isInteger {
				limit, out = jsonstream.ParseDecimal(strconv.AppendInt(nil, int64(n+direction), 10)), false
			}
			if order := limit.Compare(&at) * direction; !ok || order > 0 || order == 0 && out {
				at, excluded, ok = limit, out, true
			}
		}
		return at, excluded, ok
	}
	a, out, ok := strongest(from)
	b, wantsOut, _ := strongest(to)
	order := a.Compare(&b) * direction
	return ok && (order > 0 || order == 0 && (out || !wantsOut))
}

func keepsMultiples(from, to part) bool {
	unit, one := jsonstream.ParseDecimal(to.schema.Get("multipleOf").Raw()), jsonstream.ParseDecimal([]byte("1"))
	if from.types()&isNumber == isInteger && one.IsMultipleOf(&unit) {
		return true
	}
	v := from.schema.Get("multipleOf")
	if !v.Exists() {
		return false
	}
	own := jsonstream.ParseDecimal(v.Raw())
	return own.IsMultipleOf(&unit)
}

const noLimit = 1_000_000_000

// count returns the value of a keyword that limits a number of characters, elements or members, at most
// noLimit.
func count(p part, name string, otherwise int) int {
	v := p.schema.Get(name)
	if !v.Exists() {
		return otherwise
	}
	number := jsonstream.ParseDecimal(v.Raw())
	if n, ok := number.Count(); ok {
		return min(n, noLimit)
	}
	return noLimit
}

func (w *walk) keepsContained(from, to part) bool {
	a, b := from.get("contains"), to.get("contains")
	least, most := count(to, "minContains", 1), count(to, "maxContains", noLimit)
	if to.side.isLegacy() && b.schema.Exists() {
		return false // minContains does not exist there
	}
	if !b.schema.Exists() || least == 0 && most == noLimit {
		return true
	}
	return a.schema.Exists() &&
		(least == 0 || count(from, "minContains", 1) >= least && w.covers(a, b)) &&
		(most == noLimit || count(from, "maxContains", noLimit) <= most && w.covers(b, a))
}

func keepsDependents(from, to part) bool {
	required := texts(from.schema.Get("required"))
	for name, list := range to.schema.Get("dependentRequired").Members() {
		given := append(texts(from.schema.Get("dependentRequired").Get(name)), required...)
		if slices.ContainsFunc(texts(list), func(other string) bool { return other != name && !slices.Contains(given, other) }) {
			return false
		}
	}
	return true
}

func texts(v jsonstream.Value) []string {
	var list []string
	for _, one := range v.Elements() {
		list = append(list, one.Text())
	}
	return list
}

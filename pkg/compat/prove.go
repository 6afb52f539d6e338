package compat

import (
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

const (
	maxSteps  = 50_000 // of one proof
	maxDepth  = 64
	maxValues = 256 // of an enum that is tried value by value
	maxAlts   = 64
	maxPrefix = 1000 // elements that have schemas of their own
)

// A prover shows that one schema's values are all valid under another. What it says is true;
// what it does not show may be true nevertheless.
type prover struct {
	steps    int
	open     map[string]int // at which depth: what is being shown
	shown    map[string]int // from which depth on: what has been, if what is open holds
	trail    []string       // the keys of shown, in order
	failed   map[string]int // at which depth: what could not be shown
	literals []jsonstream.Value
}

func newProver() *prover {
	return &prover{open: map[string]int{}, shown: map[string]int{}, failed: map[string]int{}, literals: []jsonstream.Value{parsed("null"), parsed("true"), parsed("false")}}
}

func parsed(text string) jsonstream.Value {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		return jsonstream.Value{}
	}
	return doc.Root()
}

// step counts, and reports whether there is anything left to spend.
func (p *prover) step() bool {
	p.steps++
	return p.steps < maxSteps
}

// within shows that all values of a match a schema. The depth is that of the values: what is being
// shown may be taken as shown for values inside those that it is about.
func (p *prover) within(a meet, s *side, b jsonstream.Value, depth int) bool {
	b = s.resolve(b)
	if !p.step() || depth > maxDepth {
		return false
	}
	if b.Kind() == jsonstream.True || p.empty(a, depth, 2) {
		return true
	}
	if b.Kind() != jsonstream.Object {
		return false
	}
	if values, ok := p.finite(a); ok {
		return !slices.ContainsFunc(values, func(v jsonstream.Value) bool {
			found, told := s.findings(b, v)
			return !told || len(found) > 0
		})
	}
	for t := range a.positive {
		if p.same(t.side, t.schema, s, b) {
			return true
		}
	}
	key := string(binary.AppendUvarint([]byte(a.key()), term{side: s, schema: b}.number()))
	if from, ok := p.shown[key]; ok && depth >= from {
		return true
	}
	if at, ok := p.open[key]; ok {
		return depth > at
	}
	if at, ok := p.failed[key]; ok && depth == at {
		return false
	}
	mark := len(p.trail)
	p.open[key] = depth
	defer delete(p.open, key)
	for keyword, v := range b.Members() {
		if !p.implies(a, s, b, keyword, v, depth) {
			for _, key := range p.trail[mark:] {
				delete(p.shown, key)
			}
			p.trail = p.trail[:mark]
			p.failed[key] = depth
			return false
		}
	}
	p.shown[key] = depth
	p.trail = append(p.trail, key)
	return true
}

// implies shows that all values of a meet what one keyword of a schema says.
func (p *prover) implies(a meet, s *side, b jsonstream.Value, keyword string, v jsonstream.Value, depth int) bool {
	if isAnnotation(keyword) {
		return true
	}
	if about := typesOf(keyword); about != anyType {
		if a = a.of(about); p.empty(a, depth, 2) {
			return true
		}
	}
	if p.directly(a, s, b, keyword, v, depth) {
		return true
	}
	if !p.step() {
		return false
	}
	each := func(parts []meet) bool {
		return !slices.ContainsFunc(parts, func(part meet) bool {
			return !p.empty(part, depth, 2) && !p.implies(part, s, b, keyword, v, depth)
		})
	}
	switch keyword {
	case "anyOf", "oneOf", "not", "if":
		if parts := a.byType(); len(parts) > 1 && each(parts) {
			return true
		}
	}
	parts := a.cases()
	return parts != nil && each(parts)
}

func (m meet) byType() []meet {
	var parts []meet
	for _, group := range groups {
		if part := m.of(group); part.types != 0 {
			parts = append(parts, part)
		}
	}
	return parts
}

// cases returns the cases of the first alternatives in a, nil if there are none. Together they
// have all values of a.
func (m meet) cases() []meet {
	for i, t := range m.terms {
		if t.negative {
			continue
		}
		without := func(taken alternatives) meet {
			rest := meet{m.types, slices.Clone(m.terms)}
			rest.terms[i].taken |= taken
			return rest
		}
		also := func(m meet, negative bool, schema jsonstream.Value) meet {
			return m.and(term{side: t.side, schema: schema, negative: negative})
		}
		var parts []meet
		if list := t.schema.Get("anyOf"); list.Exists() && t.taken&ofAnyOf == 0 {
			for _, branch := range list.Elements() {
				parts = append(parts, also(without(ofAnyOf), false, branch))
			}
			return parts
		}
		if list := t.schema.Get("oneOf"); list.Exists() && t.taken&ofOneOf == 0 {
			for n, branch := range list.Elements() {
				part := also(without(ofOneOf), false, branch)
				for o, other := range list.Elements() {
					if o != n {
						part = also(part, true, other)
					}
				}
				parts = append(parts, part)
			}
			return parts
		}
		if condition := t.schema.Get("if"); condition.Exists() && t.taken&ofIf == 0 {
			yes, no := also(without(ofIf), false, condition), also(without(ofIf), true, condition)
			if then := t.schema.Get("then"); then.Exists() {
				yes = also(yes, false, then)
			}
			if other := t.schema.Get("else"); other.Exists() {
				no = also(no, false, other)
			}
			return []meet{yes, no}
		}
	}
	return nil
}

// typesOf returns the types that a keyword says something about.
func typesOf(keyword string) types {
	switch keyword {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return isNumber
	case "minLength", "maxLength", "pattern", "format":
		return isString
	case "minItems", "maxItems", "uniqueItems", "uniqueKeys", "prefixItems", "items", "contains", "minContains", "maxContains", "unevaluatedItems":
		return isArray
	case "required", "minProperties", "maxProperties", "properties", "patternProperties", "additionalProperties", "propertyNames",
		"dependentRequired", "dependentSchemas", "unevaluatedProperties":
		return isObject
	default:
		return anyType
	}
}

// directly is implies without looking at cases.
func (p *prover) directly(a meet, s *side, b jsonstream.Value, keyword string, v jsonstream.Value, depth int) bool {
	switch keyword {
	case "$ref":
		to := s.target(v.Text())
		return to.Exists() && p.within(a, s, to, depth)
	case "type":
		return a.types&^typesNamed(v) == 0
	case "enum":
		return p.among(a, slices.Collect(elements(v)))
	case "const":
		return p.among(a, []jsonstream.Value{v})
	case "minContains", "maxContains", "then", "else":
		return true // with contains, and with if
	case "allOf":
		return p.every(a, s, v, depth)
	case "anyOf":
		for _, branch := range v.Elements() {
			if p.within(a, s, branch, depth) {
				return true
			}
		}
	case "oneOf":
		return p.exactlyOne(a, s, v, depth)
	case "not":
		return p.apart(a, s, v, depth)
	case "if":
		return p.conditional(a, s, b, depth)
	}
	switch typesOf(keyword) {
	case isNumber:
		return numbers(a, keyword, v)
	case isString:
		return texts(a, keyword, v)
	case isArray:
		return p.arrays(a, s, b, keyword, v, depth)
	case isObject:
		return p.objects(a, s, b, keyword, v, depth)
	default:
		return false
	}
}

func elements(list jsonstream.Value) func(func(jsonstream.Value) bool) {
	return func(yield func(jsonstream.Value) bool) {
		for _, v := range list.Elements() {
			if !yield(v) {
				return
			}
		}
	}
}

// among shows that all values of a are in a list.
func (p *prover) among(a meet, list []jsonstream.Value) bool {
	values, ok := p.finite(a)
	return ok && !slices.ContainsFunc(values, func(v jsonstream.Value) bool {
		return !slices.ContainsFunc(list, func(other jsonstream.Value) bool { return equal.Values(v, other) })
	})
}

func (p *prover) every(a meet, s *side, list jsonstream.Value, depth int) bool {
	for _, schema := range list.Elements() {
		if !p.within(a, s, schema, depth) {
			return false
		}
	}
	return true
}

func (p *prover) exactlyOne(a meet, s *side, list jsonstream.Value, depth int) bool {
	var in jsonstream.Value
	for _, branch := range list.Elements() {
		if !in.Exists() && p.within(a, s, branch, depth) {
			in = branch
		} else if !p.apart(a, s, branch, depth) {
			return false
		}
	}
	return in.Exists()
}

// conditional shows if, then and else.
func (p *prover) conditional(a meet, s *side, b jsonstream.Value, depth int) bool {
	condition := b.Get("if")
	holds := func(negative bool, keyword string) bool {
		schema := b.Get(keyword)
		return !schema.Exists() || p.within(a.and(term{side: s, schema: condition, negative: negative}), s, schema, depth)
	}
	return holds(false, "then") && holds(true, "else")
}

// apart shows that no value of a matches a schema.
func (p *prover) apart(a meet, s *side, b jsonstream.Value, depth int) bool {
	return p.empty(a.and(term{side: s, schema: b}), depth, 3)
}

func numbers(a meet, keyword string, v jsonstream.Value) bool {
	want := bound{rat(v), keyword == "exclusiveMinimum" || keyword == "exclusiveMaximum"}
	switch keyword {
	case "minimum", "exclusiveMinimum":
		has := a.lower()
		return has.at != nil && implied(has.at.Cmp(want.at), has, want)
	case "maximum", "exclusiveMaximum":
		has := a.upper()
		return has.at != nil && implied(-has.at.Cmp(want.at), has, want)
	}
	if want.at.Sign() == 0 {
		return false
	}
	isMultiple := func(of *big.Rat) bool { return new(big.Rat).Quo(of, want.at).IsInt() }
	if a.types == isInt && isMultiple(big.NewRat(1, 1)) {
		return true
	}
	for unit := range a.values("multipleOf") {
		if isMultiple(rat(unit)) {
			return true
		}
	}
	return false
}

// implied reports whether a bound is as strong as another; order is how much stronger its limit is.
func implied(order int, has, want bound) bool {
	return order > 0 || order == 0 && (has.excluded || !want.excluded)
}

func texts(a meet, keyword string, v jsonstream.Value) bool {
	least, most := a.limits("minLength", "maxLength")
	switch keyword {
	case "minLength":
		return least >= count(v)
	case "maxLength":
		return most <= count(v)
	}
	return slices.ContainsFunc(slices.Collect(a.values(keyword)), func(has jsonstream.Value) bool { return has.Text() == v.Text() })
}

func (p *prover) arrays(a meet, s *side, b jsonstream.Value, keyword string, v jsonstream.Value, depth int) bool {
	least, most := a.limits("minItems", "maxItems")
	switch keyword {
	case "minItems":
		return least >= count(v)
	case "maxItems":
		return most <= count(v) || p.empty(a.item(count(v)), depth+1, 2)
	case "uniqueItems":
		return v.Kind() != jsonstream.True || most <= 1 ||
			slices.ContainsFunc(slices.Collect(a.values("uniqueItems")), func(has jsonstream.Value) bool { return has.Kind() == jsonstream.True })
	case "prefixItems":
		for i, schema := range v.Elements() {
			if i > maxPrefix {
				return false
			}
			if i < most && !p.within(a.item(i), s, schema, depth+1) {
				return false
			}
		}
		return true
	case "items":
		return p.elements(a, s, v, b.Get("prefixItems").Len(), most, depth)
	case "unevaluatedItems":
		return v.Kind() == jsonstream.True || v.Len() == 0 && v.Kind() == jsonstream.Object
	case "contains":
		return p.contains(a, s, b, v, least, most, depth)
	}
	return slices.ContainsFunc(slices.Collect(a.values(keyword)), func(has jsonstream.Value) bool { return equal.Values(has, v) })
}

// elements shows that all elements from an index on match a schema.
func (p *prover) elements(a meet, s *side, schema jsonstream.Value, from, most, depth int) bool {
	if a.prefix()-from > maxPrefix {
		return false
	}
	for i := from; i <= max(from, a.prefix()) && i < most; i++ {
		if !p.within(a.item(i), s, schema, depth+1) {
			return false
		}
	}
	return true
}

func (p *prover) contains(a meet, s *side, b, v jsonstream.Value, least, most, depth int) bool {
	atLeast, atMost := matches(b)
	for t := range a.positive {
		if has := t.schema.Get("contains"); has.Exists() && p.same(t.side, has, s, v) {
			if l, m := matches(t.schema); l >= atLeast && m <= atMost {
				return true
			}
		}
	}
	return (atLeast == 0 || least >= atLeast && p.elements(a, s, v, 0, most, depth)) && (atMost == noLimit || most <= atMost)
}

// matches returns how many elements of an array may match the schema of contains.
func matches(schema jsonstream.Value) (least, most int) {
	least, most = 1, noLimit
	if v := schema.Get("minContains"); v.Exists() {
		least = count(v)
	}
	if v := schema.Get("maxContains"); v.Exists() {
		most = count(v)
	}
	return least, most
}

package schema

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// maxCount is greater than any possible count.
const maxCount = 1<<31 - 1

func (p *parser) readLimit(v jsonstream.Value) {
	n := p.node
	of := &n.matches
	switch p.keyword[len("min"):] {
	case "Length":
		of = made(&n.characters)
	case "Items":
		of = made(&n.length)
	case "Properties":
		of = made(&n.size)
	}
	number := jsonstream.ParseDecimal(v.Raw())
	count, ok := number.Count()
	if !ok {
		count = maxCount
	}
	if strings.HasPrefix(p.keyword, "min") {
		of.min = count
	} else {
		of.max = count
	}
}

func made(l **limits) *limits {
	if *l == nil {
		*l = &limits{max: maxCount}
	}
	return *l
}

func (p *parser) readNumber(v jsonstream.Value) {
	if v.Kind() != jsonstream.Number { // exclusiveMinimum and exclusiveMaximum in draft 4
		return
	}
	n, number := p.node, jsonstream.ParseDecimal(v.Raw())
	b := bound{keyword: p.keyword, rule: v, limit: number}
	exclusive := "" // in draft 4, a boolean beside the limit
	switch p.keyword {
	case "multipleOf":
		n.multiple = &number
		return
	case "minimum":
		b.rejected, exclusive = -1, "exclusiveMinimum"
	case "exclusiveMinimum":
		b.rejected = -1
	case "maximum":
		b.rejected, exclusive = 1, "exclusiveMaximum"
	default:
		b.rejected = 1
	}
	switch {
	case exclusive == "":
	case n.value.Get(exclusive).Kind() == jsonstream.True:
		b.keyword = exclusive
	default:
		b.allowEqual = true
	}
	n.bounds = append(n.bounds, b)
}

func (p *parser) readValues(v jsonstream.Value) {
	n := p.node
	switch {
	case p.keyword == "const":
		p.oneOfValues([]jsonstream.Value{v})
	case p.keyword == "enum":
		var list []jsonstream.Value
		for _, element := range v.Elements() {
			list = append(list, element)
		}
		p.oneOfValues(list)
	case v.Kind() == jsonstream.String:
		n.types &= p.typeOf(v)
	default:
		allowed := types(0)
		for _, name := range v.Elements() {
			allowed |= p.typeOf(name)
		}
		n.types &= allowed
	}
}

func (p *parser) typeOf(v jsonstream.Value) types {
	t := typeOf(v.Text())
	if t == 0 {
		p.reject("not a type")
	}
	return t
}

// oneOfValues requires one of a list of values.
func (p *parser) oneOfValues(list []jsonstream.Value) {
	scalars := &values{}
	var branches []*node
	for _, v := range list {
		switch v.Kind() {
		case jsonstream.Object, jsonstream.Array:
			branches = append(branches, p.exactly(v))
		case jsonstream.Number:
			scalars.numbers = append(scalars.numbers, jsonstream.ParseDecimal(v.Raw()))
		case jsonstream.String:
			if scalars.texts == nil {
				scalars.texts = map[string]bool{}
			}
			scalars.texts[v.Text()] = true
		default:
			scalars.literals |= typeOfKind(v.Kind())
		}
	}
	slices.SortFunc(scalars.numbers, func(a, b jsonstream.Decimal) int { return a.Compare(&b) })
	if len(branches) == 0 {
		p.node.values = append(p.node.values, scalars)
		return
	}
	n := p.newNode(p.node.value, p.node.resource)
	n.parsed, n.values = true, []*values{scalars}
	p.node.any = append(p.node.any, append(branches, n))
}

func typeOfKind(k jsonstream.Kind) types {
	switch k {
	case jsonstream.Null:
		return isNull
	case jsonstream.True:
		return isTrue
	default:
		return isFalse
	}
}

// exactly returns a node that accepts only a value, as rules for its parts.
func (p *parser) exactly(v jsonstream.Value) *node {
	n := p.newNode(p.node.value, p.node.resource)
	n.parsed = true
	inner := &parser{compiler: p.compiler, node: n, keyword: p.keyword}
	switch v.Kind() {
	case jsonstream.Object:
		n.types = isObject
		n.size = &limits{max: v.Len()}
		for name, member := range v.Members() {
			n.required = append(n.required, name)
			n.addProperty(name, inner.exactly(member))
		}
	case jsonstream.Array:
		n.types = isArray
		n.length = &limits{min: v.Len(), max: v.Len()}
		for _, element := range v.Elements() {
			n.prefix = append(n.prefix, inner.exactly(element))
		}
	default:
		inner.oneOfValues([]jsonstream.Value{v})
	}
	return n
}

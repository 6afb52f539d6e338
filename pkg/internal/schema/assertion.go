package schema

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// maxCount is greater than any count there can be.
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
	number, _ := p.number(v)
	count, ok := number.Count()
	if !ok {
		p.reject("not a usable count")
		return
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

func (p *parser) number(v jsonstream.Value) (d jsonstream.Decimal, ok bool) {
	if v.Kind() != jsonstream.Number || !jsonstream.SafeNumber(v.Raw()) {
		p.reject("not a usable number")
		return jsonstream.Decimal{}, false
	}
	return jsonstream.ParseDecimal(v.Raw()), true
}

func (p *parser) readNumber(v jsonstream.Value) {
	number, ok := p.number(v)
	if !ok {
		return
	}
	b := bound{keyword: p.keyword, limit: number, allowEqual: !strings.HasPrefix(p.keyword, "exclusive")}
	switch p.keyword {
	case "multipleOf":
		if number.Sign() <= 0 {
			p.reject("not more than zero")
			return
		}
		p.node.multiple = &number
		return
	case "minimum", "exclusiveMinimum":
		b.rejected = -1
	default:
		b.rejected = 1
	}
	p.node.bounds = append(p.node.bounds, b)
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
		if len(list) > 0 { // the library takes an empty enum for none
			p.oneOfValues(list)
		}
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

// oneOfValues asks for one of some values.
func (p *parser) oneOfValues(list []jsonstream.Value) {
	scalars := &values{}
	var branches []*node
	for _, v := range list {
		switch v.Kind() {
		case jsonstream.Object, jsonstream.Array:
			branches = append(branches, p.exactly(v))
		case jsonstream.Number:
			if d, ok := p.number(v); ok {
				scalars.numbers = append(scalars.numbers, d)
			}
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

// exactly returns a node that takes nothing but a value, as rules for what it holds.
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

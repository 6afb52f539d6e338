package compat

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

const (
	maxSamples = 60 // of the value with the difference
	maxInner   = 6  // of the values inside or around it
	maxInside  = 4  // levels
	maxPadding = 1024
	maxTried   = 20_000 // values of one sampler
)

// A sampler makes documents that one side may accept and the other not. It reads the restrictions of both and
// tries values just inside and just outside of them.
type sampler struct {
	from, to  *side
	isForward bool
	tried     int
}

// values returns values that from accepts, at or near the limits of both; focus is the name of a member to
// vary, "" for all.
func (g *sampler) values(from, to part, focus string, inside int) []any {
	limit := maxSamples
	if inside > 0 {
		limit = maxInner
	}
	var list []any
	seen := map[string]bool{}
	try := func(value any) bool {
		g.tried++
		text := encode(value)
		if !seen[text] {
			seen[text] = true
			v := parse(text)
			if valid, ok := from.accepts(v); v.Exists() && (valid || !ok || !from.schema.Exists()) {
				list = append(list, value)
			}
		}
		return len(list) < limit && g.tried < maxTried
	}
	if inside > maxInside {
		return nil
	}
	facets := append(from.facets(), to.facets()...)
	_ = g.scalars(from, facets, try) && g.objects(from, to, facets, focus, inside, try) && g.arrays(from, to, facets, inside, try)
	return list
}

// facets returns all schemas that apply to the values of one: by references, in alternatives and conditions.
func (p part) facets() []part {
	list := []part{{p.side, p.side.resolve(p.schema)}}
	for i := 0; i < len(list) && len(list) < maxParts; i++ {
		var add []part
		for _, name := range []string{"allOf", "anyOf", "oneOf"} {
			add = append(add, list[i].branches(name)...)
		}
		for _, name := range []string{"not", "if", "then", "else"} {
			add = append(add, list[i].get(name))
		}
		for _, schema := range list[i].schema.Get("dependentSchemas").Members() {
			add = append(add, part{p.side, schema})
		}
		if ref := list[i].schema.Get("$ref"); ref.Exists() {
			add = append(add, part{p.side, p.side.target(ref.Text())})
		}
		for _, one := range add {
			if one.schema = p.side.resolve(one.schema); one.schema.Exists() && !slices.Contains(list, one) {
				list = append(list, one)
			}
		}
	}
	return list
}

// valuesOf yields the values of keywords in some schemas.
func valuesOf(facets []part, names ...string) func(func(jsonstream.Value) bool) {
	return func(yield func(jsonstream.Value) bool) {
		for _, p := range facets {
			for _, name := range names {
				if v := p.schema.Get(name); v.Exists() && !yield(v) {
					return
				}
			}
		}
	}
}

// sizes returns the values of keywords that limit a number, and their neighbours.
func sizes(facets []part, names ...string) []int {
	var list []int
	for v := range valuesOf(facets, names...) {
		number := jsonstream.ParseDecimal(v.Raw())
		if n, ok := number.Count(); ok && n < maxPadding {
			list = append(list, n, n+1, max(n-1, 0))
		}
	}
	return list
}

// member returns values for the member with a name.
func (g *sampler) member(from, to part, name string, inside int) []any {
	return g.meet(members(from, name), members(to, name), inside)
}

func members(p part, name string) []part {
	var list []part
	for _, f := range p.facets() {
		list = append(list, f.member(name)...)
	}
	return list
}

// element returns values for an element.
func (g *sampler) element(from, to part, i, inside int) []any {
	elements := func(p part) []part {
		var list []part
		for _, f := range p.facets() {
			if e := f.element(i); e.schema.Exists() {
				list = append(list, e)
			}
			if e := f.get("contains"); e.schema.Exists() {
				list = append(list, e)
			}
		}
		return list
	}
	return g.meet(elements(from), elements(to), inside)
}

// meet returns values of each of the schemas. Whether they satisfy all is checked later.
func (g *sampler) meet(from, to []part, inside int) []any {
	free := part{side: g.from}
	if len(from) == 0 {
		from = []part{free}
	}
	var list []any
	for _, p := range from {
		of := to
		if len(of) == 0 {
			of = []part{{side: g.to}}
		}
		for _, q := range of {
			list = append(list, g.values(p, q, "", inside+1)...)
		}
	}
	return list
}

func (g *sampler) objects(from, to part, facets []part, focus string, inside int, try func(any) bool) bool {
	if from.types()&isObject == 0 {
		return true
	}
	names := []string{unnamed(facets...)}
	for _, p := range facets {
		names = append(append(names, texts(p.schema.Get("required"))...), namesOf(p.schema.Get("properties"), p.schema.Get("dependentSchemas"), p.schema.Get("dependentRequired"))...)
		for pattern := range p.schema.Get("patternProperties").Members() {
			names = append(names, matching(pattern, 1, 0))
		}
		if p.schema.Get("propertyNames").Exists() {
			names = append(names, textSamples(p.get("propertyNames").facets())...)
		}
	}
	if focus != "" {
		names = append([]string{focus}, names...)
	}
	known := map[string]bool{}
	names = slices.DeleteFunc(names, func(name string) bool {
		isKnown := known[name]
		known[name] = true
		return isKnown
	})
	names = names[:min(len(names), 100)]
	choices := map[string][]any{}
	for _, name := range names {
		choices[name] = g.member(from, to, name, inside)
	}
	base, full := map[string]any{}, map[string]any{}
	for _, name := range names {
		if list := choices[name]; len(list) > 0 {
			full[name] = list[0]
			if from.requires(name) {
				base[name] = list[0]
			}
		}
	}
	if focus == "" && !(try(base) && try(full)) {
		return false
	}
	for _, object := range []map[string]any{base, full} {
		if !try(object) {
			return false
		}
		for _, name := range names {
			without := maps.Clone(object)
			if delete(without, name); !try(without) {
				return false
			}
			for _, value := range choices[name] {
				if !try(withMember(object, name, value)) {
					return false
				}
			}
		}
	}
	for _, size := range sizes(facets, "minProperties", "maxProperties") {
		padded := maps.Clone(base)
		for i := 0; len(padded) < size && i < size+len(names); i++ {
			padded[strings.Repeat("x", i+1)] = raw("null")
			if list := choices[names[0]]; len(list) > 0 {
				padded[strings.Repeat("x", i+1)] = list[0]
			}
		}
		if !try(padded) {
			return false
		}
	}
	return true
}

func (g *sampler) arrays(from, to part, facets []part, inside int, try func(any) bool) bool {
	if from.types()&isArray == 0 {
		return true
	}
	prefix := 0
	for v := range valuesOf(facets, "prefixItems") {
		prefix = max(prefix, v.Len())
	}
	lengths := append([]int{0, 1, 2, prefix, prefix + 1}, sizes(facets, "minItems", "maxItems", "minContains", "maxContains")...)
	slices.Sort(lengths)
	for _, length := range slices.Compact(lengths) {
		var base []any
		for i := range length {
			if choices := g.element(from, to, min(i, prefix), inside); len(choices) > 0 {
				base = append(base, choices[i%len(choices)])
			}
		}
		if len(base) < length || !try(append([]any{}, base...)) {
			continue
		}
		for i := range min(length, prefix+1) {
			for _, one := range g.element(from, to, i, inside) {
				changed := slices.Clone(base)
				changed[i] = one
				if !try(changed) || i == prefix && !try(slices.Concat(base[:i], slices.Repeat([]any{one}, length-i))) {
					return false
				}
			}
		}
	}
	return true
}

// unnamed returns a name that no schema mentions.
func unnamed(list ...part) string {
	name := "x"
	for slices.ContainsFunc(list, func(p part) bool { return p.schema.Get("properties").Get(name).Exists() }) {
		name += "x"
	}
	return name
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }

func encode(value any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// parse returns the value of a text, absent if it is not strict JSON.
func parse(text string) jsonstream.Value {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		return jsonstream.Value{}
	}
	return doc.Root()
}

package compat

import (
	"slices"
	"strconv"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A comparison finds the differences between two schemas.
type comparison struct {
	old, new    *side
	seen        map[[2]jsonstream.Value]bool
	differences []difference
}

// A place is where in a document the schemas apply that are being compared.
type place struct {
	outer *place // nil for the document
	// Which part of the value at the outer place it is: that member, an element, or the name of a
	// member.
	name   string
	index  int
	isItem bool
	isName bool
	// The schemas of the value here that led to those that are compared.
	old, new []jsonstream.Value
}

func (p *place) member(name string, old, new jsonstream.Value) *place {
	return &place{outer: p, name: name, old: existing(old), new: existing(new)}
}

func (p *place) item(index int, old, new jsonstream.Value) *place {
	return &place{outer: p, index: index, isItem: true, old: existing(old), new: existing(new)}
}

// branch returns the same place, for schemas that apply to the same value.
func (p *place) branch(old, new jsonstream.Value) *place {
	b := *p
	b.old = append(slices.Clip(p.old), existing(old)...)
	b.new = append(slices.Clip(p.new), existing(new)...)
	return &b
}

func existing(schema jsonstream.Value) []jsonstream.Value {
	if !schema.Exists() {
		return nil
	}
	return []jsonstream.Value{schema}
}

// A difference is what a keyword, or one name in its value, says otherwise in the new schema.
type difference struct {
	at       *place
	kind     Kind             // "" if it is to be found out
	keyword  string           // "" for schemas as a whole
	name     string           // of the member that it is about
	old, new jsonstream.Value // the schemas that have the keyword
	was, is  jsonstream.Value // what is there
}

func (c *comparison) differ(d difference) { c.differences = append(c.differences, d) }

// schemas compares two schemas for values at a place.
func (c *comparison) schemas(old, new jsonstream.Value, at *place) {
	old, new = c.old.resolve(old), c.new.resolve(new)
	pair := [2]jsonstream.Value{old, new}
	if c.seen[pair] || newProver().same(c.old, old, c.new, new) {
		return
	}
	c.seen[pair] = true
	if old.Kind() != jsonstream.Object || new.Kind() != jsonstream.Object {
		c.differ(difference{at: at, old: old, new: new, was: old, is: new})
		return
	}
	for _, keyword := range keywordsOf(old, new) {
		c.keyword(keyword, old, new, at)
	}
}

// keywordsOf returns the keywords of two schemas in the order of the texts.
func keywordsOf(old, new jsonstream.Value) []string {
	var list []string
	for _, schema := range []jsonstream.Value{new, old} {
		for keyword := range schema.Members() {
			if !slices.Contains(list, keyword) && !isAnnotation(keyword) {
				list = append(list, keyword)
			}
		}
	}
	return list
}

func (c *comparison) keyword(keyword string, old, new jsonstream.Value, at *place) {
	was, is := old.Get(keyword), new.Get(keyword)
	whole := difference{at: at, keyword: keyword, old: old, new: new, was: was, is: is}
	switch keyword {
	case "required":
		c.required(old, new, at)
		return
	case "properties":
		c.properties(old, new, at)
		return
	case "patternProperties", "dependentSchemas":
		c.named(whole)
		return
	case "allOf", "anyOf", "oneOf":
		if was.Exists() && is.Exists() {
			c.branches(whole)
			return
		}
	case "prefixItems":
		if was.Len() == is.Len() {
			left, right := was.First(), is.First()
			for i := 0; left.Exists(); i, left, right = i+1, left.Next(), right.Next() {
				c.schemas(left, right, at.item(i, left, right))
			}
			return
		}
	case "additionalProperties", "items", "propertyNames", "$ref":
		if was.Exists() && is.Exists() {
			c.inner(keyword, old, new, at)
			return
		}
	case "type":
		if typesNamed(was) == typesNamed(is) {
			return
		}
		if was.Exists() && is.Exists() {
			whole.kind = TypeChanged
		}
	case "if", "then", "else":
		if keyword != "if" && (new.Get("if").Exists() || old.Get("if").Exists()) {
			return // with if
		}
		if c.conditional(was, is, old, new, at) {
			return
		}
	case "minContains", "maxContains":
		if old.Get("contains").Exists() || new.Get("contains").Exists() {
			whole.keyword = "contains"
		}
	}
	if equal.Values(was, is) && keyword != "if" && keyword != "additionalProperties" {
		return
	}
	c.differ(whole)
}

// conditional compares then and else where if is the same.
func (c *comparison) conditional(was, is, old, new jsonstream.Value, at *place) bool {
	if !was.Exists() || !is.Exists() || !newProver().same(c.old, was, c.new, is) {
		return false
	}
	for _, keyword := range []string{"then", "else"} {
		left, right := old.Get(keyword), new.Get(keyword)
		switch {
		case left.Exists() && right.Exists():
			c.schemas(left, right, at.branch(left, right))
		case left.Exists() || right.Exists():
			c.differ(difference{at: at, keyword: "if", old: old, new: new, was: left, is: right})
		}
	}
	return true
}

// inner compares the schemas that a keyword has in both.
func (c *comparison) inner(keyword string, old, new jsonstream.Value, at *place) {
	was, is := old.Get(keyword), new.Get(keyword)
	switch keyword {
	case "$ref":
		was, is = c.old.target(was.Text()), c.new.target(is.Text())
		if was.Exists() && is.Exists() {
			c.schemas(was, is, at.branch(was, is))
		}
	case "items":
		c.schemas(was, is, at.item(max(old.Get("prefixItems").Len(), new.Get("prefixItems").Len()), was, is))
	case "propertyNames":
		c.schemas(was, is, &place{outer: at, isName: true, old: existing(was), new: existing(is)})
	case "additionalProperties":
		known := slices.Concat(meetOf(c.old, old).names(), meetOf(c.new, new).names())
		c.schemas(was, is, at.member(fresh(known, 0), was, is))
	}
}

func (c *comparison) required(old, new jsonstream.Value, at *place) {
	before, after := old.Get("required"), new.Get("required")
	for i, name := range textsOf(after) {
		if !slices.Contains(textsOf(before), name) {
			c.differ(difference{at: at, kind: MemberRequired, keyword: "required", name: name, old: old, new: new, is: after.At("/" + strconv.Itoa(i))})
		}
	}
	for i, name := range textsOf(before) {
		// What is removed altogether is said of its property.
		isRemoved := old.Get("properties").Get(name).Exists() && !new.Get("properties").Get(name).Exists()
		if !slices.Contains(textsOf(after), name) && !isRemoved {
			was := before.At("/" + strconv.Itoa(i))
			c.differ(difference{at: at, kind: MemberOptional, keyword: "required", name: name, old: old, new: new, was: was})
		}
	}
}

func (c *comparison) properties(old, new jsonstream.Value, at *place) {
	before, after := old.Get("properties"), new.Get("properties")
	for name, schema := range after.Members() {
		was := before.Get(name)
		switch {
		case was.Exists():
			c.schemas(was, schema, at.member(name, was, schema))
		case !slices.Contains(textsOf(new.Get("required")), name):
			c.differ(difference{at: at, kind: MemberAdded, keyword: "properties", name: name, old: old, new: new, is: schema})
		}
	}
	for name, schema := range before.Members() {
		if !after.Get(name).Exists() {
			c.differ(difference{at: at, kind: MemberRemoved, keyword: "properties", name: name, old: old, new: new, was: schema})
		}
	}
}

// named compares keywords with schemas by name or pattern.
func (c *comparison) named(d difference) {
	for name, schema := range d.is.Members() {
		was := d.was.Get(name)
		switch {
		case !was.Exists():
			c.differ(difference{at: d.at, keyword: d.keyword, name: name, old: d.old, new: d.new, is: schema})
		case d.keyword == "patternProperties":
			c.schemas(was, schema, d.at.member(matching(name, 1, 0), was, schema))
		default:
			c.schemas(was, schema, d.at.branch(was, schema))
		}
	}
	for name, schema := range d.was.Members() {
		if !d.is.Get(name).Exists() {
			c.differ(difference{at: d.at, keyword: d.keyword, name: name, old: d.old, new: d.new, was: schema})
		}
	}
}

// branches compares allOf, anyOf and oneOf: first what is the same is put aside, then what is left
// is compared in order.
func (c *comparison) branches(d difference) {
	var left, right []jsonstream.Value
	for _, branch := range d.was.Elements() {
		left = append(left, branch)
	}
	for _, branch := range d.is.Elements() {
		i := slices.IndexFunc(left, func(was jsonstream.Value) bool { return newProver().same(c.old, was, c.new, branch) })
		if i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		right = append(right, branch)
	}
	for _, branch := range slices.Clone(right) {
		i := slices.IndexFunc(left, func(was jsonstream.Value) bool { return c.counterparts(was, branch) })
		if i < 0 && d.keyword == "allOf" && len(left) == len(right) {
			i = 0
		}
		if i < 0 {
			continue
		}
		was := left[i]
		left = slices.Delete(left, i, i+1)
		right = slices.DeleteFunc(right, func(v jsonstream.Value) bool { return v == branch })
		c.schemas(was, branch, d.at.branch(was, branch))
	}
	for _, branch := range left {
		c.differ(difference{at: d.at, keyword: d.keyword, old: d.old, new: d.new, was: branch})
	}
	for _, branch := range right {
		c.differ(difference{at: d.at, keyword: d.keyword, old: d.old, new: d.new, is: branch})
	}
}

// counterparts reports whether two branches are versions of each other: they refer to a definition
// of one name, have one title, or tell their values from others by the same constants.
func (c *comparison) counterparts(old, new jsonstream.Value) bool {
	for _, keyword := range []string{"$ref", "title"} {
		if name := old.Get(keyword).Text(); name != "" || new.Get(keyword).Text() != "" {
			return name == new.Get(keyword).Text()
		}
	}
	old, new = c.old.resolve(old), c.new.resolve(new)
	if was, is := old.Get("if"), new.Get("if"); was.Exists() && is.Exists() {
		return newProver().same(c.old, was, c.new, is)
	}
	found := 0
	for name, property := range old.Get("properties").Members() {
		was, is := property.Get("const"), new.Get("properties").Get(name).Get("const")
		if was.Exists() != is.Exists() || !equal.Values(was, is) {
			return false
		}
		if was.Exists() {
			found++
		}
	}
	return found > 0 || old.Get("type").Exists() && typesNamed(old.Get("type")) == typesNamed(new.Get("type"))
}

package compat

import (
	"slices"
	"strconv"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func (w *walk) required(d difference, in context) {
	before, after := texts(d.was), texts(d.is)
	whole := d
	for i, name := range after {
		if !slices.Contains(before, name) {
			d := whole
			d.kind, d.name, d.was, d.is = MemberRequired, name, jsonstream.Value{}, whole.is.At("/"+strconv.Itoa(i))
			w.differ(w.prove(d, keepsMember(name)), in)
		}
	}
	for i, name := range before {
		// A removed definition is reported with its property.
		isRemoved := d.old.Get("properties").Get(name).Exists() && !d.new.Get("properties").Get(name).Exists()
		if !slices.Contains(after, name) && !isRemoved {
			d := whole
			d.kind, d.name, d.was, d.is = MemberOptional, name, whole.was.At("/"+strconv.Itoa(i)), jsonstream.Value{}
			w.differ(w.prove(d, keepsMember(name)), in)
		}
	}
}

// keepsMember returns a test for one member: whether it is required and, if only one of the schemas has it in
// properties, the schema of its value.
func keepsMember(name string) func(*walk, part, part) bool {
	return func(w *walk, from, to part) bool {
		if from.types()&isObject == 0 {
			return true
		}
		if slices.Contains(texts(to.schema.Get("required")), name) && !from.requires(name) {
			return false
		}
		if from.schema.Get("properties").Get(name).Exists() == to.schema.Get("properties").Get(name).Exists() {
			return true // compared separately, or as an unnamed member
		}
		var has []part
		for _, c := range from.conjuncts() {
			has = append(has, c.member(name)...)
		}
		return !slices.ContainsFunc(to.member(name), func(wanted part) bool { return !w.coversOne(has, wanted) })
	}
}

// coversOne reports whether values that satisfy all schemas of a list are valid under another.
func (w *walk) coversOne(list []part, to part) bool {
	return w.covers(part{side: to.side}, to) || slices.ContainsFunc(list, func(from part) bool { return w.covers(from, to) })
}

func (w *walk) properties(d difference, in context) {
	for name, schema := range d.is.Members() {
		was := d.was.Get(name)
		if was.Exists() {
			w.schemas(was, schema, &place{outer: d.at, name: name, old: was, new: schema}, in.child())
			continue
		}
		added := difference{at: d.at, kind: MemberAdded, name: name, old: d.old, new: d.new, is: schema}
		if slices.Contains(texts(d.new.Get("required")), name) {
			if !slices.Contains(texts(d.old.Get("required")), name) {
				continue // reported for required
			}
			added.kind = ""
		}
		w.differ(w.prove(added, keepsMember(name)), in)
	}
	for name, schema := range d.was.Members() {
		if !d.is.Get(name).Exists() {
			w.differ(w.prove(difference{at: d.at, kind: MemberRemoved, name: name, old: d.old, new: d.new, was: schema}, keepsMember(name)), in)
		}
	}
}

func (w *walk) patterns(d difference, in context) {
	for _, pattern := range namesOf(d.is, d.was) {
		was, is := d.was.Get(pattern), d.is.Get(pattern)
		if was.Exists() && is.Exists() {
			w.schemas(was, is, &place{outer: d.at, name: matching(pattern, 1, 0), old: was, new: is}, in.child())
			continue
		}
		w.differ(w.prove(difference{at: d.at, name: matching(pattern, 1, 0), old: d.old, new: d.new, was: was, is: is}, func(w *walk, from, to part) bool {
			if from.types()&isObject == 0 {
				return true
			}
			rest, _ := from.rest()
			others := []part{rest}
			for _, keyword := range []string{"properties", "patternProperties"} {
				for name, schema := range from.schema.Get(keyword).Members() {
					if keyword == "patternProperties" || from.side.matches(pattern, name) {
						others = append(others, part{from.side, schema})
					}
				}
			}
			wanted := to.get("patternProperties").get(pattern)
			if !wanted.schema.Exists() {
				// Such names belong to the rest unless another keyword names them.
				wanted, _ = to.rest()
				others = []part{from.get("patternProperties").get(pattern)}
			}
			return !slices.ContainsFunc(others, func(p part) bool { return !w.coversOne([]part{p}, wanted) })
		}), in)
	}
}

func namesOf(list ...jsonstream.Value) []string {
	var names []string
	for _, v := range list {
		for name := range v.Members() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (w *walk) dependents(d difference, in context) {
	for _, name := range namesOf(d.is, d.was) {
		was, is := d.was.Get(name), d.is.Get(name)
		if was.Exists() && is.Exists() {
			w.schemas(was, is, d.at, in)
			continue
		}
		w.differ(difference{at: d.at, name: name, old: d.old, new: d.new, was: was, is: is, backward: !is.Exists(), forward: !was.Exists()}, in)
	}
}

func (w *walk) items(name string, d difference, done map[string]bool, in context) {
	older, newer := part{w.old, d.old}, part{w.new, d.new}
	isList := d.old.Get("items").Kind() == jsonstream.Array || d.new.Get("items").Kind() == jsonstream.Array
	first := max(d.old.Get("prefixItems").Len(), d.new.Get("prefixItems").Len())
	switch {
	case isList || name == "additionalItems":
		if !w.areIdentical(d.was, d.is) {
			w.judge(name, d, in)
		}
	case name == "prefixItems" && d.was.Len() != d.is.Len():
		in.backwardLost, in.forwardLost = in.backwardLost || in.evaluated, in.forwardLost || in.evaluated
		w.differ(w.prove(d, func(w *walk, from, to part) bool {
			for i := range first + 1 {
				if !w.covers(from.element(i), to.element(i)) {
					return from.types()&isArray == 0
				}
			}
			return true
		}), in)
	case name == "prefixItems":
		for i := range first {
			was, is := older.element(i).schema, newer.element(i).schema
			w.schemas(was, is, &place{outer: d.at, isItem: true, index: i, old: was, new: is}, in.child())
		}
	case d.was.Exists() && d.is.Exists():
		w.schemas(d.was, d.is, &place{outer: d.at, isItem: true, index: first, old: d.was, new: d.is}, in.child())
	default:
		w.differ(w.prove(d, func(w *walk, from, to part) bool {
			return from.types()&isArray == 0 || count(from, "maxItems", noLimit) <= first || w.covers(from.get("items"), to.get("items"))
		}), in)
	}
}

// branches compares allOf, anyOf and oneOf, after pairing corresponding branches.
func (w *walk) branches(name string, d difference, in context) {
	older, newer := part{w.old, d.old}, part{w.new, d.new}
	within := in
	if name == "oneOf" {
		within.backwardLost = in.backwardLost || !areExclusive(newer.branches(name))
		within.forwardLost = in.forwardLost || !areExclusive(older.branches(name))
	}
	if !d.was.Exists() || !d.is.Exists() {
		w.differ(w.prove(d, func(w *walk, from, to part) bool { return w.chooses(name, from, to) }), in)
		return
	}
	left, right := older.branches(name), newer.branches(name)
	pair := func(belongs func(was, is part) bool) {
		for _, is := range slices.Clone(right) {
			if i := slices.IndexFunc(left, func(was part) bool { return belongs(was, is) }); i >= 0 {
				was := left[i]
				left = slices.Delete(left, i, i+1)
				right = slices.DeleteFunc(right, func(p part) bool { return p == is })
				w.schemas(was.schema, is.schema, d.at, within)
			}
		}
	}
	pair(func(was, is part) bool {
		return equal.Values(w.old.resolve(was.schema), w.new.resolve(is.schema))
	})
	pair(counterparts)
	if len(left) == len(right) && name == "allOf" {
		pair(func(_, _ part) bool { return true })
	}
	// fits reports whether a branch that only from has leaves all of its values valid under to.
	fits := func(branch part, from, to part) bool {
		if name == "allOf" {
			return true
		}
		return slices.ContainsFunc(to.branches(name), func(other part) bool { return w.covers(branch, other) })
	}
	// allows reports whether a branch that only the other side has leaves every value of from valid.
	allows := func(branch part, from part) bool { return name != "allOf" || w.covers(from, branch) }
	for _, p := range right {
		w.differ(difference{at: d.at, old: d.old, new: d.new, is: p.schema, backward: allows(p, older), forward: fits(p, newer, older)}, within)
	}
	for _, p := range left {
		w.differ(difference{at: d.at, old: d.old, new: d.new, was: p.schema, backward: fits(p, older, newer), forward: allows(p, newer)}, within)
	}
}

// chooses reports whether every value of from matches the branches of a keyword that to has and from lacks.
func (w *walk) chooses(name string, from, to part) bool {
	branches := to.branches(name)
	switch {
	case branches == nil:
		return true
	case name == "allOf":
		return !slices.ContainsFunc(branches, func(b part) bool { return !w.covers(from, b) })
	case name == "oneOf" && !areExclusive(branches):
		return false
	}
	plain := union(branches, func(b part) types {
		if b.schema.Len() == 1 {
			return typesNamed(b.schema.Get("type"))
		}
		return 0
	})
	cases := slices.Concat(from.branches("anyOf"), from.branches("oneOf"))
	if from.branches("anyOf") != nil {
		cases = from.branches("anyOf")
	}
	fits := func(a part) bool { return slices.ContainsFunc(branches, func(b part) bool { return w.covers(a, b) }) }
	return from.types()&^plain == 0 || fits(from) || cases != nil && !slices.ContainsFunc(cases, func(a part) bool { return !fits(a) })
}

// counterparts reports whether two branches are versions of each other: they refer to a definition of the
// same name, have the same title or condition, or are distinguished by the same constants.
func counterparts(was, is part) bool {
	for _, keyword := range []string{"$ref", "title"} {
		if name := was.schema.Get(keyword).Text(); name != "" || is.schema.Get(keyword).Text() != "" {
			return name == is.schema.Get(keyword).Text()
		}
	}
	old, new := was.side.resolve(was.schema), is.side.resolve(is.schema)
	if condition := old.Get("if"); condition.Exists() && equal.Values(condition, new.Get("if")) {
		return true
	}
	found := false
	for name, property := range old.Get("properties").Members() {
		if a, b := property.Get("const"), new.Get("properties").Get(name).Get("const"); a.Exists() || b.Exists() {
			if !equal.Values(a, b) {
				return false
			}
			found = true
		}
	}
	return found || old.Get("type").Exists() && typesNamed(old.Get("type")) == typesNamed(new.Get("type"))
}

// conditional compares then and else if the values of if are equal.
func (w *walk) conditional(d difference, in context) {
	older, newer := part{w.old, d.old}, part{w.new, d.new}
	was, is := older.get("if"), newer.get("if")
	if was.schema.Exists() != is.schema.Exists() || in.evaluated && !w.areIdentical(was.schema, is.schema) || !w.covers(was, is) || !w.covers(is, was) {
		d.was, d.is = was.schema, is.schema
		d.backward, d.forward = !is.schema.Exists(), !was.schema.Exists()
		w.differ(d, in)
		return
	}
	for _, keyword := range []string{"then", "else"} {
		d.was, d.is = d.old.Get(keyword), d.new.Get(keyword)
		switch {
		case !was.schema.Exists(): // nothing says when
		case d.was.Exists() && d.is.Exists():
			w.schemas(d.was, d.is, d.at, in)
		case d.was.Exists() || d.is.Exists():
			d.backward, d.forward = !d.is.Exists(), !d.was.Exists()
			w.differ(d, in)
		}
	}
}

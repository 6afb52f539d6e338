package compat

import (
	"bytes"
	"slices"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

const (
	maxSteps = 20_000 // pairs of schemas that one comparison visits
	maxParts = 64     // schemas that apply to the same value, for one schema
)

// A walk visits two schemas side by side. Its proofs hold by induction: if every difference keeps the
// documents of one side valid, so does the whole.
type walk struct {
	old, new    *side
	seen        map[visit]bool
	open        map[[2]part]bool // pairs that covers is deciding, and may assume for nested values
	steps       *int
	oneWay      bool // only the backward verdicts are needed
	differences []difference
}

type visit struct {
	old, new jsonstream.Value
	within   context
}

// A context describes the schemas around two compared schemas.
type context struct {
	// backwardLost and forwardLost are set if compatible parts do not make the whole compatible, in that
	// direction.
	backwardLost, forwardLost bool
	// evaluated is set if unevaluatedProperties or unevaluatedItems depend on the set of keywords; enclosed,
	// if they are in an outer schema.
	evaluated, enclosed bool
}

// A difference is a keyword, or one name in its value, that differs in the new schema.
type difference struct {
	at                *place
	kind              Kind // "" if it follows from the verdicts
	name              string
	old, new          jsonstream.Value // the schemas that have the keyword
	was, is           jsonstream.Value // its values
	backward, forward bool             // proved
}

func (w *walk) differ(d difference, in context) {
	d.backward = d.backward && !in.backwardLost && !(in.evaluated && d.was.Exists() && !d.is.Exists())
	d.forward = d.forward && !in.forwardLost && !(in.evaluated && d.is.Exists() && !d.was.Exists())
	w.differences = append(w.differences, d)
}

// covers reports whether every value of from is proved to be valid under to. An absent schema allows all
// values.
func (w *walk) covers(from, to part) bool {
	if !to.schema.Exists() || to.schema.Kind() == jsonstream.True || w.open[[2]part{from, to}] {
		return true
	}
	inside := &walk{old: from.side, new: to.side, seen: map[visit]bool{}, open: w.open, steps: w.steps, oneWay: true}
	w.open[[2]part{from, to}] = true
	inside.schemas(from.schema, to.schema, &place{old: from.schema, new: to.schema}, context{})
	delete(w.open, [2]part{from, to})
	return !slices.ContainsFunc(inside.differences, func(d difference) bool { return !d.backward })
}

// prove sets the verdicts of a difference by keeps, once in each direction.
func (w *walk) prove(d difference, keeps func(w *walk, from, to part) bool) difference {
	older, newer := part{w.old, d.old}, part{w.new, d.new}
	d.backward = keeps(w, older, newer)
	d.forward = !w.oneWay && keeps(w, newer, older)
	return d
}

// areIdentical reports whether two parts have the same text and refer to nothing that differs.
func (w *walk) areIdentical(old, new jsonstream.Value) bool {
	return old.Exists() && equal.Values(old, new) && (!bytes.Contains(old.Raw(), []byte(`ef"`)) || equal.Values(w.old.root, w.new.root))
}

// schemas compares two schemas for the values at a place.
func (w *walk) schemas(old, new jsonstream.Value, at *place, in context) {
	old, new = w.old.resolve(old), w.new.resolve(new)
	if w.seen[visit{old, new, in}] {
		return
	}
	w.seen[visit{old, new, in}] = true
	*w.steps--
	whole := difference{at: at, old: old, new: new, was: old, is: new}
	older, newer := part{w.old, old}, part{w.new, new}
	switch {
	case old.Kind() == jsonstream.False || new.Kind() == jsonstream.False:
		if old.Kind() != new.Kind() {
			whole.backward, whole.forward = older.types() == 0, newer.types() == 0
			w.differ(whole, in)
		}
		return
	case *w.steps < 0 || !w.old.known || !w.new.known || w.old.dialect != w.new.dialect:
		if old.Pointer() != new.Pointer() || !w.areIdentical(old, new) {
			w.differ(whole, in)
		}
		return
	}
	in.enclosed = in.evaluated
	for _, name := range []string{"unevaluatedProperties", "unevaluatedItems"} {
		in.evaluated = in.evaluated || old.Get(name).Exists() || new.Get(name).Exists()
	}
	done := map[string]bool{}
	for _, schema := range []jsonstream.Value{new, old} {
		for name := range schema.Members() {
			if isKeyword(name) && !done[name] {
				done[name] = true
				w.keyword(name, difference{at: at, old: old, new: new, was: old.Get(name), is: new.Get(name)}, done, in)
			}
		}
	}
}

// keyword compares a keyword of two schemas. It marks other keywords that it also compares in done.
func (w *walk) keyword(name string, d difference, done map[string]bool, in context) {
	older, newer := part{w.old, d.old}, part{w.new, d.new}
	exists := d.was.Exists() && d.is.Exists()
	switch name {
	case "required":
		w.required(d, in)
	case "properties":
		w.properties(d, in)
	case "patternProperties":
		w.patterns(d, in)
	case "dependentSchemas":
		w.dependents(d, in)
	case "additionalProperties", "unevaluatedProperties":
		done["additionalProperties"], done["unevaluatedProperties"] = true, true
		w.rest(d, in)
	case "prefixItems", "items", "additionalItems":
		w.items(name, d, done, in)
	case "propertyNames":
		if exists {
			w.schemas(d.was, d.is, &place{outer: d.at, isName: true, old: d.was, new: d.is}, in.child())
			return
		}
		w.judge(name, d, in)
	case "allOf", "anyOf", "oneOf":
		w.branches(name, d, in)
	case "if", "then", "else":
		done["if"], done["then"], done["else"] = true, true, true
		w.conditional(d, in)
	case "$ref":
		was, is := w.old.target(d.was.Text()), w.new.target(d.is.Text())
		if was.Exists() && is.Exists() {
			w.schemas(was, is, d.at, in)
			return
		}
		w.differ(w.prove(d, func(w *walk, from, to part) bool {
			ref := to.get("$ref")
			target := part{to.side, to.side.target(ref.schema.Text())}
			return !ref.schema.Exists() || target.schema.Exists() && w.covers(from, target)
		}), in)
	case "$dynamicRef", "$recursiveRef", "dependencies", "regexProperties":
		if !w.areIdentical(d.was, d.is) {
			w.judge(name, d, in)
		}
	case "contains", "minContains", "maxContains":
		areSame := w.covers(older.get("contains"), newer.get("contains")) && w.covers(newer.get("contains"), older.get("contains"))
		if areSame && (name == "contains" && exists || name != "contains" && equal.Values(d.was, d.is)) {
			return
		}
		in.backwardLost, in.forwardLost = in.backwardLost || in.evaluated && !areSame, in.forwardLost || in.evaluated && !areSame
		w.judge(name, d, in)
	case "type":
		if exists && typesNamed(d.was) == typesNamed(d.is) {
			return
		}
		if exists {
			d.kind = TypeChanged
		}
		w.judge(name, d, in)
	case "unevaluatedItems":
		w.unevaluated(name, d, in)
	case "not":
		if exists && w.covers(older.get(name), newer.get(name)) && w.covers(newer.get(name), older.get(name)) {
			return
		}
		w.judge(name, d, in)
	default:
		if !equal.Values(d.was, d.is) {
			w.judge(name, d, in)
		}
	}
}

// rest compares the schemas of the members that are not named.
func (w *walk) rest(d difference, in context) {
	const unevaluated = "unevaluatedProperties"
	older, newer := part{w.old, d.old}, part{w.new, d.new}
	was, ofOld := older.rest()
	is, ofNew := newer.rest()
	d.was, d.is = was.schema, is.schema
	if ofOld == unevaluated || ofNew == unevaluated {
		in.evaluated = in.enclosed
	}
	switch {
	case d.was.Exists() && d.is.Exists():
		w.schemas(d.was, d.is, &place{outer: d.at, name: unnamed(older, newer), old: d.was, new: d.is}, in.child())
	case d.was.Exists() || d.is.Exists():
		w.differ(w.prove(d, func(w *walk, from, to part) bool {
			a, _ := from.rest()
			b, _ := to.rest()
			return from.types()&isObject == 0 || w.covers(a, b)
		}), in)
	}
	d.was, d.is = d.old.Get(unevaluated), d.new.Get(unevaluated)
	if d.was.Exists() && ofOld != unevaluated || d.is.Exists() && ofNew != unevaluated {
		w.unevaluated(unevaluated, d, in)
	}
}

func (w *walk) unevaluated(name string, d difference, in context) {
	if in.evaluated = in.enclosed; !w.areIdentical(d.was, d.is) {
		w.judge(name, d, in)
	}
}

// judge adds a difference of a keyword in the keywords table.
func (w *walk) judge(name string, d difference, in context) {
	w.differ(w.prove(d, func(w *walk, from, to part) bool {
		isGone := !to.schema.Get(name).Exists() && name != "minContains" && name != "maxContains"
		return isGone || from.types()&keywords[name] == 0 || slices.ContainsFunc(from.conjuncts(), func(c part) bool { return w.keeps(name, c, to) })
	}), in)
}

// child returns the context for nested values.
func (in context) child() context {
	in.evaluated = false
	return in
}

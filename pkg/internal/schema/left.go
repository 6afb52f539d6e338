package schema

import "github.com/eaapl/handoff/pkg/jsonstream"

// left checks unevaluatedProperties and unevaluatedItems: the members or elements not evaluated by
// another keyword of the schema or of the schemas applied in its place.
func (e *explainer) left(f *failures, n *node, s target) {
	if s.isName {
		return
	}
	done := evaluation{map[jsonstream.Value]bool{}, map[question]bool{}}
	e.evaluate(done, n, s)
	for _, schema := range n.leftMembers {
		for _, member := range s.value.Members() {
			if !done.values[member] {
				e.other(f, n, s, "unevaluatedProperties", schema, member)
			}
		}
	}
	for _, schema := range n.leftElements {
		for _, element := range s.value.Elements() {
			if !done.values[element] {
				e.check(f, schema, s.below(element), "unevaluatedItems")
			}
		}
	}
}

// An evaluation is the members or elements of one value that schemas evaluate.
type evaluation struct {
	values map[jsonstream.Value]bool
	asked  map[question]bool // schemas may share the schemas that they refer to
}

// evaluate adds the members or elements that a schema evaluates, except by its
// unevaluatedProperties and unevaluatedItems. A schema that must hold but does not is counted too:
// the document is invalid anyway, and one reason is enough.
func (e *explainer) evaluate(done evaluation, n *node, s target) {
	if e.program.dynamic {
		s.scope = e.enter(s.scope, n.resource)
	}
	q := question{n, s.value, s.scope}
	if done.asked[q] {
		return
	}
	done.asked[q] = true
	for name, member := range s.value.Members() {
		if n.byName[name] != nil || n.additional != nil || n.matchesName(name) {
			done.values[member] = true
		}
	}
	for i, element := range s.value.Elements() {
		if i < len(n.prefix) || n.items != nil || n.resource.dialect.version >= 2020 && n.contains != nil && !e.fails(n.contains[0], s.below(element)) {
			done.values[element] = true
		}
	}
	for _, other := range e.applied(n, s) {
		e.evaluate(done, other, s)
		if other.leftMembers != nil {
			for _, member := range s.value.Members() {
				done.values[member] = true
			}
		}
		if other.leftElements != nil {
			for _, element := range s.value.Elements() {
				done.values[element] = true
			}
		}
	}
}

func (n *node) matchesName(name string) bool {
	for _, p := range n.patterns {
		if matched, _ := p.pattern.match([]byte(name)); matched {
			return true
		}
	}
	return false
}

// applied returns the schemas that apply in place of n: required ones, and the branches that hold.
func (e *explainer) applied(n *node, s target) []*node {
	list := append([]*node(nil), n.together...)
	if n.dynamic != nil {
		list = append(list, e.follow(n.dynamic, s.scope))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if !n.has(keyword) {
			continue
		}
		for _, schema := range n.value.Get(keyword).Elements() {
			if branch := e.program.nodes[schema]; !e.fails(branch, s) {
				list = append(list, branch)
			}
		}
	}
	for _, condition := range n.yes {
		if e.fails(condition, s) {
			list = append(list, n.other...)
		} else {
			list = append(append(list, condition), n.then...)
		}
	}
	for _, d := range n.dependents {
		if d.node != nil && s.kind() == jsonstream.Object && s.value.Get(d.name).Exists() {
			list = append(list, d.node)
		}
	}
	return list
}

package tree

import (
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Elements returns the elements of an array.
func Elements(n Node) []Node {
	if !n.Is(jsonstream.Array) {
		return nil
	}
	if n.isMade() {
		return n.body.elements
	}
	elements, ok := n.body.doc.lists[n.i]
	if !ok {
		elements = make([]Node, 0, n.Length())
		for c := n.Children(); c.Next(); {
			elements = append(elements, c.Value)
		}
		if len(n.v().Raw()) >= largeValue {
			n.body.doc.lists[n.i] = elements
		}
	}
	return elements
}

// All reports whether the function is returns true for all elements of a list.
func All(list Node, is func(Node) bool) bool {
	for c := list.Children(); c.Next(); {
		if !is(c.Value) {
			return false
		}
	}
	return true
}

// Respell returns the object with members renamed, except to names that already exist.
func (n Node) Respell(names map[string]string) Node {
	members := n.Without()
	for i, m := range members {
		if other, ok := names[m.Name]; ok && n.Get(other) == None {
			members[i] = Member{Name: other, Value: m.Value}
		}
	}
	return Object(members...)
}

package convert

import (
	"cmp"
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A cursor goes through what an object or an array holds.
type cursor struct {
	member // the current one; elements have no names
	made   *body
	read   node             // of the document
	rest   jsonstream.Value // the next one of the document
	i      int              // the index of the next one that was made
}

// children returns a cursor before the first member or element.
func (n node) children() cursor {
	if n.isMade() {
		return cursor{made: n.body, read: n.body.base, rest: n.body.base.v().First()}
	}
	return cursor{read: n, rest: n.v().First()}
}

// next goes on to the next member or element, and reports whether there is one.
func (c *cursor) next() bool {
	for c.rest.Exists() {
		c.member = member{c.rest.Name(), c.rest.RawName(), c.read.sibling(c.rest)}
		c.rest = c.rest.Next()
		if c.made != nil {
			if i := indexOf(c.made.changes, &c.made.changed, c.name); i >= 0 {
				if c.value = c.made.changes[i].value; c.value == none {
					continue
				}
			}
		}
		return true
	}
	switch {
	case c.made == nil:
		return false
	case c.i < len(c.made.elements):
		c.member = member{value: c.made.elements[c.i]}
	case c.i < len(c.made.members):
		c.member = c.made.members[c.i]
	default:
		return false
	}
	c.i++
	return true
}

// length returns how many members or elements there are.
func (n node) length() int {
	length := 0
	for c := n.children(); c.next(); {
		length++
	}
	return length
}

// indexOf returns the index of the member with a name, -1 if there is none. Of many
// members it keeps a table.
func indexOf(members []member, table *map[string]int, name string) int {
	if len(members) < manyMembers {
		return slices.IndexFunc(members, func(m member) bool { return m.name == name })
	}
	if *table == nil {
		*table = make(map[string]int, len(members))
		for i, m := range members {
			(*table)[m.name] = i
		}
	}
	if i, ok := (*table)[name]; ok {
		return i
	}
	return -1
}

// get returns a member, nothing if there is none.
func (n node) get(name string) node {
	if !n.isMade() {
		return n.getRead(name)
	}
	if i := indexOf(n.body.members, &n.body.names, name); i >= 0 {
		return n.body.members[i].value
	}
	if i := indexOf(n.body.changes, &n.body.changed, name); i >= 0 {
		return n.body.changes[i].value
	}
	return n.body.base.getRead(name)
}

// getRead returns a member of an object of a document.
func (n node) getRead(name string) node {
	v := jsonstream.Value{}
	if len(n.v().Raw()) < largeValue {
		v = n.v().Get(name)
	} else if order := n.order(); len(order) > 0 {
		i, ok := slices.BinarySearchFunc(order, name, func(v jsonstream.Value, name string) int { return cmp.Compare(v.Name(), name) })
		if ok {
			v = order[i]
		}
	}
	return n.sibling(v)
}

// order returns the members of an object of a document by their names.
func (n node) order() []jsonstream.Value {
	if order, ok := n.body.doc.orders[n.i]; ok {
		return order
	}
	if !n.is(jsonstream.Object) {
		return nil
	}
	order := make([]jsonstream.Value, 0, n.v().Len())
	for v := n.v().First(); v.Exists(); v = v.Next() {
		order = append(order, v)
	}
	slices.SortFunc(order, func(a, b jsonstream.Value) int { return cmp.Compare(a.Name(), b.Name()) })
	if len(n.v().Raw()) >= largeValue {
		n.body.doc.orders[n.i] = order
	}
	return order
}

// at returns what is at a JSON Pointer, nothing if there is none.
func (n node) at(pointer string) node {
	tokens, _ := jsonstream.SplitPointer(pointer)
	for _, token := range tokens {
		if n.is(jsonstream.Array) {
			n = n.element(token)
		} else {
			n = n.get(token)
		}
	}
	return n
}

// element returns the element that a token of a JSON Pointer names.
func (n node) element(token string) node {
	if i, ok := jsonstream.ArrayIndex(token); ok {
		for c := n.children(); c.next(); i-- {
			if i == 0 {
				return c.value
			}
		}
	}
	return none
}

// with returns the object with a member that has this value, at the end if it is new;
// without it if the value is nothing. What is no object counts as an empty one.
func (n node) with(name string, value node) node {
	return n.changed([]member{{name: name, value: value}})
}

// changed returns the object with members that have these values, as with does for one.
func (n node) changed(members []member) node {
	object := &body{kind: jsonstream.Object}
	switch {
	case !n.is(jsonstream.Object):
	case n.isMade():
		object.base, object.changes, object.members = n.body.base, slices.Clip(n.body.changes), slices.Clone(n.body.members)
	default:
		object.base = n
	}
	var removed bool
	for _, m := range members {
		i := indexOf(object.members, &object.names, m.name)
		switch {
		case i >= 0:
			object.members[i].value = m.value
			removed = removed || m.value == none
		case object.set(m):
		case m.value != none:
			if object.members = append(object.members, member{name: m.name, value: m.value}); object.names != nil {
				object.names[m.name] = len(object.members) - 1
			}
		}
	}
	if removed {
		object.members = slices.DeleteFunc(object.members, func(m member) bool { return m.value == none })
		object.names = nil
	}
	return node{body: object}
}

// set changes a member of the base, and reports whether it is there.
func (o *body) set(m member) bool {
	i := indexOf(o.changes, &o.changed, m.name)
	switch {
	case i < 0 && o.base.getRead(m.name) == none || i >= 0 && o.changes[i].value == none:
		return false
	case i < 0:
		o.changes = append(o.changes, m)
		if o.changed != nil {
			o.changed[m.name] = len(o.changes) - 1
		}
	default:
		o.changes = slices.Clone(o.changes)
		o.changes[i].value = m.value
	}
	return true
}

// set returns the value with another one at a JSON Pointer, none for nothing. Objects on the
// way are made where they are missing; elements of arrays have to be there.
func (n node) set(pointer string, value node) node {
	tokens, _ := jsonstream.SplitPointer(pointer)
	return n.setTokens(tokens, value)
}

func (n node) setTokens(tokens []string, value node) node {
	if len(tokens) == 0 {
		return value
	}
	if n.is(jsonstream.Array) {
		i, _ := jsonstream.ArrayIndex(tokens[0])
		elements := slices.Clone(elementsOf(n))
		elements[i] = elements[i].setTokens(tokens[1:], value)
		return array(elements...)
	}
	return n.with(tokens[0], n.get(tokens[0]).setTokens(tokens[1:], value))
}

// empty reports whether a string, object or array holds nothing.
func (n node) empty() bool {
	c := n.children()
	return !c.next() && (!isText(n) || n.str() == "")
}

// without returns the members of an object but for some.
func (n node) without(names ...string) []member {
	var rest []member
	for c := n.children(); c.next(); {
		if !slices.Contains(names, c.name) {
			rest = append(rest, c.member)
		}
	}
	return rest
}

// only returns the members of an object that have one of these names and are strings, or
// are content.
func (n node) only(names ...string) []member {
	var some []member
	for c := n.children(); c.next(); {
		if c.isOneOf(names) {
			some = append(some, c.member)
		}
	}
	return some
}

// isOneOf reports whether a member has one of these names and is a string, or is content.
func (m member) isOneOf(names []string) bool {
	return slices.Contains(names, m.name) && (isText(m.value) || m.name == "content")
}

// hasAny reports whether an object has a member of one of these names.
func (n node) hasAny(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return n.get(name) != none })
}

// merge returns the object with the members of another one, which may be nothing.
func (n node) merge(other node) node {
	if other == none {
		return n
	}
	return n.changed(other.without())
}

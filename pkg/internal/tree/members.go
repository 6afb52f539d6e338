package tree

import (
	"cmp"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Cursor iterates over the members of an object or the elements of an array.
type Cursor struct {
	Member // the current one; elements have no names
	made   *body
	read   Node             // the value, if from a document
	rest   jsonstream.Value // the next value of the document
	i      int              // the index of the next constructed member or element
}

// Children returns a cursor before the first member or element.
func (n Node) Children() Cursor {
	if n.isMade() {
		return Cursor{made: n.body, read: n.body.base, rest: n.body.base.v().First()}
	}
	return Cursor{read: n, rest: n.v().First()}
}

// Next advances to the next member or element, and reports whether there is one.
func (c *Cursor) Next() bool {
	for c.rest.Exists() {
		c.Member = Member{c.rest.Name(), c.read.sibling(c.rest), c.rest.RawName()}
		c.rest = c.rest.Next()
		if c.made != nil {
			if i := indexOf(c.made.changes, &c.made.changed, c.Name); i >= 0 {
				if c.Value = c.made.changes[i].Value; c.Value == None {
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
		c.Member = Member{Value: c.made.elements[c.i]}
	case c.i < len(c.made.members):
		c.Member = c.made.members[c.i]
	default:
		return false
	}
	c.i++
	return true
}

// Length returns the number of members or elements.
func (n Node) Length() int {
	length := 0
	for c := n.Children(); c.Next(); {
		length++
	}
	return length
}

// indexOf returns the index of the member with a name, -1 if there is none. It caches a table for
// many members.
func indexOf(members []Member, table *map[string]int, name string) int {
	if len(members) < manyMembers {
		return slices.IndexFunc(members, func(m Member) bool { return m.Name == name })
	}
	if *table == nil {
		*table = make(map[string]int, len(members))
		for i, m := range members {
			(*table)[m.Name] = i
		}
	}
	if i, ok := (*table)[name]; ok {
		return i
	}
	return -1
}

// Get returns a member, None if it is absent.
func (n Node) Get(name string) Node {
	if !n.isMade() {
		return n.getRead(name)
	}
	if i := indexOf(n.body.members, &n.body.names, name); i >= 0 {
		return n.body.members[i].Value
	}
	if i := indexOf(n.body.changes, &n.body.changed, name); i >= 0 {
		return n.body.changes[i].Value
	}
	return n.body.base.getRead(name)
}

// getRead returns a member of an object from a document.
func (n Node) getRead(name string) Node {
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

// order returns the members of an object from a document, sorted by name.
func (n Node) order() []jsonstream.Value {
	if order, ok := n.body.doc.orders[n.i]; ok {
		return order
	}
	if !n.Is(jsonstream.Object) {
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

// At returns the value at a JSON Pointer, None if there is none.
func (n Node) At(pointer string) Node {
	if !jsonstream.IsPointer(pointer) {
		return n
	}
	for pointer != "" {
		var token string
		token, pointer = jsonstream.CutPointer(pointer)
		if n.Is(jsonstream.Array) {
			n = n.Element(token)
		} else {
			n = n.Get(token)
		}
	}
	return n
}

// Element returns the array element for a reference token of a JSON Pointer.
func (n Node) Element(token string) Node {
	if i, ok := jsonstream.ArrayIndex(token); ok {
		for c := n.Children(); c.Next(); i-- {
			if i == 0 {
				return c.Value
			}
		}
	}
	return None
}

// With returns the object with a member set to a value, appended if it is new, or removed if the
// value is None. A value other than an object counts as an empty object.
func (n Node) With(name string, value Node) Node {
	return n.Changed([]Member{{Name: name, Value: value}})
}

// Mapped returns the object with a member changed by a function, if present.
func (n Node) Mapped(name string, change func(Node) Node) Node {
	if v := n.Get(name); v != None {
		return n.With(name, change(v))
	}
	return n
}

// Changed returns the object with members set, as by [Node.With].
func (n Node) Changed(members []Member) Node {
	object := collection(jsonstream.Object, content{})
	switch {
	case !n.Is(jsonstream.Object):
	case n.isMade():
		if n.body.base != None {
			object.edit = &edit{base: n.body.base, changes: slices.Clip(n.body.changes)}
		}
		object.members = append(make([]Member, 0, len(n.body.members)+len(members)), n.body.members...)
	default:
		object.edit = &edit{base: n}
	}
	var removed bool
	for _, m := range members {
		i := indexOf(object.members, &object.names, m.Name)
		switch {
		case i >= 0:
			object.members[i].Value = m.Value
			removed = removed || m.Value == None
		case object.set(m):
		case m.Value != None:
			if object.members = append(object.members, Member{Name: m.Name, Value: m.Value}); object.names != nil {
				object.names[m.Name] = len(object.members) - 1
			}
		}
	}
	if removed {
		object.members = slices.DeleteFunc(object.members, func(m Member) bool { return m.Value == None })
		object.names = nil
	}
	return Node{body: object}
}

// set changes a member of the base, and reports whether it is present.
func (o *body) set(m Member) bool {
	i := indexOf(o.changes, &o.changed, m.Name)
	switch {
	case i < 0 && o.base.getRead(m.Name) == None || i >= 0 && o.changes[i].Value == None:
		return false
	case i < 0:
		o.changes = append(o.changes, m)
		if o.changed != nil {
			o.changed[m.Name] = len(o.changes) - 1
		}
	default:
		o.changes = slices.Clone(o.changes)
		o.changes[i].Value = m.Value
	}
	return true
}

// Set returns the value with the value at a JSON Pointer set, or removed if value is None. Missing
// parent objects are created; array elements must exist.
func (n Node) Set(pointer string, value Node) Node {
	tokens, _ := jsonstream.SplitPointer(pointer)
	return n.setTokens(tokens, value)
}

func (n Node) setTokens(tokens []string, value Node) Node {
	if len(tokens) == 0 {
		return value
	}
	if n.Is(jsonstream.Array) {
		i, _ := jsonstream.ArrayIndex(tokens[0])
		elements := slices.Clone(Elements(n))
		elements[i] = elements[i].setTokens(tokens[1:], value)
		return Array(elements...)
	}
	return n.With(tokens[0], n.Get(tokens[0]).setTokens(tokens[1:], value))
}

// Empty reports whether a string, object or array is empty.
func (n Node) Empty() bool {
	c := n.Children()
	return !c.Next() && (!IsString(n) || n.Text() == "")
}

// IsBlank reports whether n is a string that is empty or consists of white space.
func (n Node) IsBlank() bool {
	switch {
	case !IsString(n):
		return false
	case n.isMade() && n.body.holds != nil:
		return false // not worth decoding a long text
	case n.isRead():
		if raw := n.v().Raw(); raw[1] > ' ' && raw[1] < 0x80 && raw[1] != '\\' && raw[1] != '"' {
			return false
		}
	}
	return strings.TrimSpace(n.Text()) == ""
}

// Without returns the members of an object except those with the given names.
func (n Node) Without(names ...string) []Member {
	var rest []Member
	for c := n.Children(); c.Next(); {
		if !slices.Contains(names, c.Name) {
			rest = append(rest, c.Member)
		}
	}
	return rest
}

// Only returns the members of an object that have one of these names and are strings or content.
func (n Node) Only(names ...string) []Member {
	var some []Member
	for c := n.Children(); c.Next(); {
		if c.IsOneOf(names) {
			some = append(some, c.Member)
		}
	}
	return some
}

// IsOneOf reports whether a member has one of these names and is a string or content.
func (m Member) IsOneOf(names []string) bool {
	return slices.Contains(names, m.Name) && (IsString(m.Value) || m.Name == "content")
}

// HasAny reports whether an object has a member with one of these names.
func (n Node) HasAny(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return n.Get(name) != None })
}

// Merge returns the object with the members of another one added; other may be None.
func (n Node) Merge(other Node) Node {
	if other == None {
		return n
	}
	return n.Changed(other.Without())
}

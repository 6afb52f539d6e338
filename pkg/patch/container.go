package patch

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A node is a value of the tree: one of the document or the patch, as it stands
// there, or, once something below it was looked for, a container.
type node struct {
	value jsonstream.Value // if open is nil
	open  *container
}

func (n *node) kind() jsonstream.Kind {
	if n.open != nil {
		return n.open.kind
	}
	return n.value.Kind()
}

// expand makes a container of an object or array, and returns it; nil for others.
func (n *node) expand() *container {
	if n.open == nil && n.value.Kind() == jsonstream.Object {
		n.open = newObject(n.value.Len())
		for name, v := range n.value.Members() {
			*n.open.place(name, v.RawName()) = node{value: v}
		}
	}
	if n.open == nil && n.value.Kind() == jsonstream.Array {
		elements := make([]node, 0, n.value.Len())
		for _, v := range n.value.Elements() {
			elements = append(elements, node{value: v})
		}
		n.open = &container{kind: jsonstream.Array, elements: newList(elements)}
	}
	return n.open
}

// merge applies a merge patch (RFC 7386, section 2).
func (n *node) merge(patch jsonstream.Value) {
	if patch.Kind() != jsonstream.Object {
		*n = node{value: patch}
		return
	}
	if n.kind() != jsonstream.Object {
		*n = node{open: newObject(0)}
	}
	object := n.expand()
	for name, v := range patch.Members() {
		if v.Kind() != jsonstream.Null {
			object.place(name, v.RawName()).merge(v)
		} else if _, there := object.places[name]; there {
			object.removeMember(name)
		}
	}
}

// A container is an object or array that can be changed.
type container struct {
	kind     jsonstream.Kind
	elements *list          // of an array
	members  []member       // of an object, and gaps where some were removed
	places   map[string]int // of the members in members
}

// A member of an object.
type member struct {
	name  string
	text  []byte // the name as it is written, with its quotes; nil for a gap
	value node
}

// newObject returns an empty object with room for as many members.
func newObject(size int) *container {
	return &container{kind: jsonstream.Object, members: make([]member, 0, size), places: make(map[string]int, size)}
}

var (
	errNoMember = errors.New("there is no such member")
	errNothing  = errors.New("- is the place behind the last element, and nothing is there")
)

// child returns the place of a member or element.
func (c *container) child(token string) (*node, error) {
	if c.kind == jsonstream.Object {
		i, there := c.places[token]
		if !there {
			return nil, errNoMember
		}
		return &c.members[i].value, nil
	}
	i, err := c.index(token)
	if err != nil {
		return nil, err
	}
	return c.elements.at(i), nil
}

// index returns which element a token names.
func (c *container) index(token string) (int, error) {
	i, ok := jsonstream.ArrayIndex(token)
	switch {
	case token == "-":
		return 0, errNothing
	case !ok:
		return 0, notIndex(token)
	case i >= c.elements.count:
		return 0, fmt.Errorf("there is no such element: %s", c.length())
	}
	return i, nil
}

// length tells how long an array is.
func (c *container) length() string {
	switch n := c.elements.count; n {
	case 0:
		return "the array is empty"
	case 1:
		return "the array has 1 element"
	default:
		return fmt.Sprintf("the array has %d elements", n)
	}
}

func notIndex(token string) error {
	return fmt.Errorf("%s is not an index of an array: digits, without leading zeros", strconv.Quote(shorten(token)))
}

// add puts a value where a token says: before an element, behind the last one, or
// in the place of a member (RFC 6902, section 4.1).
func (c *container) add(token string, n node) error {
	if c.kind == jsonstream.Object {
		if i, there := c.places[token]; there {
			c.members[i].value = n
			return nil
		}
		text, _ := jsontext.AppendQuote(nil, token) // it was a JSON string before
		*c.place(token, text) = n
		return nil
	}
	i, ok := jsonstream.ArrayIndex(token)
	switch {
	case token == "-":
		i = c.elements.count
	case !ok:
		return notIndex(token)
	case i > c.elements.count:
		return fmt.Errorf("there is no such place: %s", c.length())
	}
	c.elements.insert(i, n)
	return nil
}

// remove takes out a member or element and returns it.
func (c *container) remove(token string) (node, error) {
	n, err := c.child(token)
	if err != nil {
		return node{}, err
	}
	removed := *n
	if c.kind == jsonstream.Object {
		c.removeMember(token)
	} else {
		i, _ := jsonstream.ArrayIndex(token)
		c.elements.remove(i)
	}
	return removed, nil
}

// removeMember takes out a member that is there. Gaps are closed when they are as
// many as the members, so that this takes the same time on average.
func (c *container) removeMember(name string) {
	c.members[c.places[name]] = member{}
	delete(c.places, name)
	if len(c.members) < 2*len(c.places)+8 {
		return
	}
	c.members = slices.DeleteFunc(c.members, func(m member) bool { return m.text == nil })
	for i, m := range c.members {
		c.places[m.name] = i
	}
}

// place returns the place of a member, which is made behind the others if it is
// not there.
func (c *container) place(name string, text []byte) *node {
	i, there := c.places[name]
	if !there {
		i = len(c.members)
		c.places[name] = i
		c.members = append(c.members, member{name: name, text: text})
	}
	return &c.members[i].value
}

// children yields the texts of the names, nil for those of elements, and the
// values.
func (c *container) children(yield func([]byte, *node) bool) {
	if c.kind == jsonstream.Array {
		c.elements.all(func(n *node) bool { return yield(nil, n) })
		return
	}
	for i, m := range c.members {
		if m.text != nil && !yield(m.text, &c.members[i].value) {
			return
		}
	}
}

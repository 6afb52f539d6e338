package convert

import (
	"bytes"
	"math/big"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A node is a JSON value out of which messages are put together. It never changes
// once others can see it, so that messages share what they have in common.
type node struct {
	kind     jsonstream.Kind
	text     []byte // of a string, with its quotes, of a number or a literal: as written
	members  []member
	elements []*node
	depth    int // how many objects and arrays are nested, this one included

	names map[string]int // of many members, built when one is looked up
	sum   digest         // "" until it is asked for
}

type member struct {
	name  string
	raw   []byte // the name as it was written; nil if it was not read
	value *node
}

// manyMembers is from how many on a table of names pays.
const manyMembers = 16

// nodeOf copies a value, which shares the document's bytes.
func nodeOf(v jsonstream.Value) *node {
	switch v.Kind() {
	case jsonstream.Absent:
		return nil
	case jsonstream.Object:
		var members []member
		for name, value := range v.Members() {
			members = append(members, member{name, value.RawName(), nodeOf(value)})
		}
		return object(members...)
	case jsonstream.Array:
		var elements []*node
		for _, value := range v.Elements() {
			elements = append(elements, nodeOf(value))
		}
		return array(elements...)
	default:
		return &node{kind: v.Kind(), text: v.Raw()}
	}
}

// parse reads a JSON text that is part of a message. It is as deep as it likes, within
// what can be read at all.
func parse(text []byte) (*node, bool) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return nil, false
	}
	return nodeOf(doc.Root()), true
}

func object(members ...member) *node {
	n := &node{kind: jsonstream.Object, members: members, depth: 1}
	for _, m := range members {
		n.depth = max(n.depth, m.value.depth+1)
	}
	return n
}

func array(elements ...*node) *node {
	n := &node{kind: jsonstream.Array, elements: elements, depth: 1}
	for _, e := range elements {
		n.depth = max(n.depth, e.depth+1)
	}
	return n
}

// text returns a string's node. What is not UTF-8 does not come here.
func text(s string) *node {
	quoted, _ := jsontext.AppendQuote(nil, s)
	return &node{kind: jsonstream.String, text: quoted}
}

func number(i int64) *node {
	return &node{kind: jsonstream.Number, text: strconv.AppendInt(nil, i, 10)}
}

func boolean(b bool) *node {
	if b {
		return &node{kind: jsonstream.True, text: []byte("true")}
	}
	return &node{kind: jsonstream.False, text: []byte("false")}
}

func null() *node { return &node{kind: jsonstream.Null, text: []byte("null")} }

// is reports whether there is a node, of this kind.
func (n *node) is(kind jsonstream.Kind) bool { return n != nil && n.kind == kind }

func isText(n *node) bool { return n.is(jsonstream.String) }

// str returns the characters of a string, "" for anything else.
func (n *node) str() string {
	if !n.is(jsonstream.String) {
		return ""
	}
	if bytes.IndexByte(n.text, '\\') < 0 {
		return string(n.text[1 : len(n.text)-1])
	}
	s, _ := jsontext.AppendUnquote(nil, n.text) // checked when it was read
	return string(s)
}

// integer returns a whole number.
func (n *node) integer() (int64, bool) {
	if !n.is(jsonstream.Number) {
		return 0, false
	}
	i, err := strconv.ParseInt(string(n.text), 10, 64)
	return i, err == nil
}

// rational returns a number exactly, if it has a size that is met with; the exponents of
// others would cost more than they are worth.
func (n *node) rational() (*big.Rat, bool) {
	if !n.is(jsonstream.Number) || len(n.text) > 64 {
		return nil, false
	}
	if e := bytes.IndexAny(n.text, "eE"); e >= 0 && len(bytes.TrimLeft(n.text[e+1:], "+-0")) > 2 {
		return nil, false
	}
	return new(big.Rat).SetString(string(n.text))
}

// count returns a whole number from 0 on that fits its purpose, and whether there is
// one.
func (n *node) count() (int, bool) {
	if !n.is(jsonstream.Number) {
		return 0, false
	}
	i, err := strconv.ParseUint(string(n.text), 10, 31)
	return int(i), err == nil
}

// find returns the index of a member, -1 if there is none.
func (n *node) find(name string) int {
	if !n.is(jsonstream.Object) {
		return -1
	}
	if len(n.members) < manyMembers {
		return slices.IndexFunc(n.members, func(m member) bool { return m.name == name })
	}
	if n.names == nil {
		n.names = make(map[string]int, len(n.members))
		for i, m := range n.members {
			n.names[m.name] = i
		}
	}
	if i, ok := n.names[name]; ok {
		return i
	}
	return -1
}

// get returns a member, nil if there is none.
func (n *node) get(name string) *node {
	if i := n.find(name); i >= 0 {
		return n.members[i].value
	}
	return nil
}

// at returns what is at a JSON Pointer, nil if there is nothing.
func (n *node) at(pointer string) *node {
	tokens, _ := jsonstream.SplitPointer(pointer)
	for _, token := range tokens {
		switch {
		case n.is(jsonstream.Array):
			i, ok := jsonstream.ArrayIndex(token)
			if !ok || i >= len(n.elements) {
				return nil
			}
			n = n.elements[i]
		default:
			n = n.get(token)
		}
	}
	return n
}

// with returns the object with a member that has this value, at the end if it is new;
// without it if the value is nil. What is no object counts as an empty one.
func (n *node) with(name string, value *node) *node {
	var members []member
	if n.is(jsonstream.Object) {
		members = slices.Clone(n.members)
	}
	i := n.find(name)
	switch {
	case value == nil && i >= 0:
		members = slices.Delete(members, i, i+1)
	case value == nil:
	case i >= 0:
		members[i].value = value
	default:
		members = append(members, member{name: name, value: value})
	}
	return object(members...)
}

// set returns the value with another one at a JSON Pointer, nil for none. Objects on the way
// are made where they are missing; elements of arrays have to be there.
func (n *node) set(pointer string, value *node) *node {
	tokens, _ := jsonstream.SplitPointer(pointer)
	return n.setTokens(tokens, value)
}

func (n *node) setTokens(tokens []string, value *node) *node {
	if len(tokens) == 0 {
		return value
	}
	if n.is(jsonstream.Array) {
		i, _ := jsonstream.ArrayIndex(tokens[0])
		elements := slices.Clone(n.elements)
		elements[i] = elements[i].setTokens(tokens[1:], value)
		return array(elements...)
	}
	return n.with(tokens[0], n.get(tokens[0]).setTokens(tokens[1:], value))
}

// empty reports whether a string, object or array holds nothing.
func (n *node) empty() bool {
	return len(n.members)+len(n.elements) == 0 && (n.kind != jsonstream.String || len(n.text) == len(`""`))
}

// without returns the members of an object but for some.
func (n *node) without(names ...string) []member {
	var rest []member
	for _, m := range n.members {
		if !slices.Contains(names, m.name) {
			rest = append(rest, m)
		}
	}
	return rest
}

// only returns the members of an object that have one of these names and are strings, or
// are content.
func (n *node) only(names ...string) []member {
	var some []member
	for _, m := range n.members {
		if slices.Contains(names, m.name) && (isText(m.value) || m.name == "content") {
			some = append(some, m)
		}
	}
	return some
}

// hasAny reports whether an object has a member of one of these names.
func (n *node) hasAny(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return n.get(name) != nil })
}

// merge returns the object with the members of another one, which may be nil.
func (n *node) merge(other *node) *node {
	if other == nil {
		return n
	}
	for _, m := range other.members {
		n = n.with(m.name, m.value)
	}
	return n
}

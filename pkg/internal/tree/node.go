// Package tree builds JSON values from parts of others without copying: what two messages
// have in common is there once. Values are compared, digested and written in one form,
// however they were written.
package tree

import (
	"bytes"
	"math/big"
	"strconv"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Node is a JSON value out of which messages are put together: one of a document, of
// which nothing is copied, or one that was made. It never changes, so that messages share
// what they have in common. The zero node is nothing. Nodes that are == are the same value.
type Node struct {
	body *body
	i    int32 // of a value of a document: which one it is
}

// None is nothing.
var None Node

// A body is a value that was made, or what all values of a document share.
type body struct {
	doc *document // nil for a value that was made

	kind     jsonstream.Kind
	text     string // the characters of a string, the text of a number or a literal
	elements []Node
	// An object has the members of another one, but for those that are changed, and
	// members of its own.
	base    Node
	changes []Member // of members of base, without a value if they are left out
	members []Member

	holds *held // what the text of a string is made of when it is needed

	changed, names map[string]int // of many changes and members, made when one is looked up
	sum            Digest         // computed on first use
}

// A document is one that was read, with what is worked out once of its long values.
type document struct {
	*jsonstream.Document
	decoded map[int32]Node
	sums    map[int32]Digest
	orders  map[int32][]jsonstream.Value
	lists   map[int32][]Node
}

// A Member is a member of an object.
type Member struct {
	Name  string
	Value Node
	raw   []byte // the name as it was written; nil if it was not read
}

const (
	// manyMembers is the number of members from which a table of names pays.
	manyMembers = 16
	// largeValue is the size in bytes from which it pays to cache what was computed for a
	// value of a document.
	largeValue = 1 << 16
)

// Of returns the root of a document.
func Of(doc *jsonstream.Document) Node {
	return Node{body: &body{doc: &document{doc, map[int32]Node{}, map[int32]Digest{}, map[int32][]jsonstream.Value{}, map[int32][]Node{}}}}
}

// Parse reads a JSON text that is part of a message. Its depth is only limited by what can
// be read at all.
func Parse(text []byte) (Node, bool) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return None, false
	}
	return Of(doc), true
}

// isRead reports whether the value is one of a document.
func (n Node) isRead() bool { return n.body != nil && n.body.doc != nil }

// isMade reports whether the value was made.
func (n Node) isMade() bool { return n.body != nil && n.body.doc == nil }

// v returns the value in its document, an absent one if it was made.
func (n Node) v() jsonstream.Value {
	if !n.isRead() {
		return jsonstream.Value{}
	}
	return n.body.doc.Value(int(n.i))
}

// Read returns the value in its document, and false for one that was made.
func (n Node) Read() (jsonstream.Value, bool) { return n.v(), n.isRead() }

// sibling returns another value of the same document.
func (n Node) sibling(v jsonstream.Value) Node {
	if !v.Exists() {
		return None
	}
	return Node{n.body, int32(v.Ordinal())}
}

// Object returns the object with these members.
func Object(members ...Member) Node {
	return Node{body: &body{kind: jsonstream.Object, members: members}}
}

// Array returns the array of these elements.
func Array(elements ...Node) Node {
	return Node{body: &body{kind: jsonstream.Array, elements: elements}}
}

// String returns a string's node. The text must be UTF-8.
func String(s string) Node { return Node{body: &body{kind: jsonstream.String, text: s}} }

// Int returns a whole number.
func Int(i int64) Node { return Number(strconv.FormatInt(i, 10)) }

// Number returns the node of a number's text.
func Number(text string) Node { return Node{body: &body{kind: jsonstream.Number, text: text}} }

// Bool returns true or false.
func Bool(b bool) Node {
	if b {
		return Node{body: &body{kind: jsonstream.True, text: "true"}}
	}
	return Node{body: &body{kind: jsonstream.False, text: "false"}}
}

// Null returns null.
func Null() Node { return Node{body: &body{kind: jsonstream.Null, text: "null"}} }

// Kind returns the kind of the value, that of an absent one for none.
func (n Node) Kind() jsonstream.Kind {
	if n.isMade() {
		return n.body.kind
	}
	return n.v().Kind()
}

// Is reports whether there is a node, of this kind.
func (n Node) Is(kind jsonstream.Kind) bool { return n.Kind() == kind }

// IsString reports whether there is a string.
func IsString(n Node) bool { return n.Is(jsonstream.String) }

// Text returns the characters of a string, "" for anything else.
func (n Node) Text() string {
	switch {
	case !IsString(n):
		return ""
	case n.isRead():
		return n.v().Text()
	case n.body.holds != nil:
		return n.body.holds.str()
	default:
		return n.body.text
	}
}

// chars is Text for a string that may be long.
func (n Node) chars() []byte {
	if n.isMade() {
		return []byte(n.Text())
	}
	raw := n.v().Raw()
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	chars, _ := jsonstream.Unquote(raw, make([]byte, 0, len(raw)))
	return chars
}

// NumberText returns the text of a number, nil for anything else.
func (n Node) NumberText() []byte {
	switch {
	case !n.Is(jsonstream.Number):
		return nil
	case n.isRead():
		return n.v().Raw()
	default:
		return []byte(n.body.text)
	}
}

// Integer returns a whole number.
func (n Node) Integer() (int64, bool) {
	i, err := strconv.ParseInt(string(n.NumberText()), 10, 64)
	return i, err == nil
}

// Rational returns a number exactly, unless its exponent is too large to be practical.
func (n Node) Rational() (*big.Rat, bool) {
	text := n.NumberText()
	if len(text) == 0 || len(text) > 64 {
		return nil, false
	}
	if e := bytes.IndexAny(text, "eE"); e >= 0 && len(bytes.TrimLeft(text[e+1:], "+-0")) > 2 {
		return nil, false
	}
	return new(big.Rat).SetString(string(text))
}

// Count returns a whole number from 0 on that fits its purpose, and whether there is
// one.
func (n Node) Count() (int, bool) {
	i, err := strconv.ParseUint(string(n.NumberText()), 10, 31)
	return int(i), err == nil
}

// DeeperThan reports whether more objects and arrays are nested, this one included.
func (n Node) DeeperThan(limit int) bool {
	if !n.Is(jsonstream.Object) && !n.Is(jsonstream.Array) {
		return false
	}
	if limit == 0 {
		return true
	}
	for c := n.Children(); c.Next(); {
		if c.Value.DeeperThan(limit - 1) {
			return true
		}
	}
	return false
}

package convert

import (
	"bytes"
	"math/big"
	"strconv"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A node is a JSON value out of which messages are put together: one of a document, of
// which nothing is copied, or one that was made. It never changes, so that messages share
// what they have in common. The zero node is nothing. Nodes that are == are the same value.
type node struct {
	body *body
	i    int32 // of a value of a document: which one it is
}

var none node

// A body is a value that was made, or what all values of a document share.
type body struct {
	doc *document // nil for a value that was made

	kind     jsonstream.Kind
	text     string // the characters of a string, the text of a number or a literal
	elements []node
	// An object has the members of another one, but for those that are changed, and
	// members of its own.
	base    node
	changes []member // of members of base, without a value if they are left out
	members []member

	holds *held // what the text of a string is made of when it is needed

	changed, names map[string]int // of many changes and members, made when one is looked up
	sum            digest         // zero until it is asked for
}

// A document is one that was read, with what is worked out once of its long values.
type document struct {
	*jsonstream.Document
	decoded map[int32]node
	sums    map[int32]digest
	orders  map[int32][]jsonstream.Value
	lists   map[int32][]node
}

type member struct {
	name  string
	raw   []byte // the name as it was written; nil if it was not read
	value node
}

const (
	// manyMembers is from how many on a table of names pays.
	manyMembers = 16
	// largeValue is how many bytes a value of a document has for which it pays to remember what
	// was worked out.
	largeValue = 1 << 16
)

// nodeOf returns the root of a document.
func nodeOf(doc *jsonstream.Document) node {
	return node{body: &body{doc: &document{doc, map[int32]node{}, map[int32]digest{}, map[int32][]jsonstream.Value{}, map[int32][]node{}}}}
}

// parse reads a JSON text that is part of a message. It is as deep as it likes, within
// what can be read at all.
func parse(text []byte) (node, bool) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return none, false
	}
	return nodeOf(doc), true
}

// isRead reports whether the value is one of a document.
func (n node) isRead() bool { return n.body != nil && n.body.doc != nil }

// isMade reports whether the value was made.
func (n node) isMade() bool { return n.body != nil && n.body.doc == nil }

// v returns the value in its document, an absent one if it was made.
func (n node) v() jsonstream.Value {
	if !n.isRead() {
		return jsonstream.Value{}
	}
	return n.body.doc.Value(int(n.i))
}

// sibling returns another value of the same document.
func (n node) sibling(v jsonstream.Value) node {
	if !v.Exists() {
		return none
	}
	return node{n.body, int32(v.Ordinal())}
}

func object(members ...member) node {
	return node{body: &body{kind: jsonstream.Object, members: members}}
}

func array(elements ...node) node {
	return node{body: &body{kind: jsonstream.Array, elements: elements}}
}

// text returns a string's node. What is not UTF-8 does not come here.
func text(s string) node { return node{body: &body{kind: jsonstream.String, text: s}} }

func number(i int64) node { return numeral(strconv.FormatInt(i, 10)) }

// numeral returns the node of a number's text.
func numeral(text string) node { return node{body: &body{kind: jsonstream.Number, text: text}} }

func boolean(b bool) node {
	if b {
		return node{body: &body{kind: jsonstream.True, text: "true"}}
	}
	return node{body: &body{kind: jsonstream.False, text: "false"}}
}

func null() node { return node{body: &body{kind: jsonstream.Null, text: "null"}} }

func (n node) kind() jsonstream.Kind {
	if n.isMade() {
		return n.body.kind
	}
	return n.v().Kind()
}

// is reports whether there is a node, of this kind.
func (n node) is(kind jsonstream.Kind) bool { return n.kind() == kind }

func isText(n node) bool { return n.is(jsonstream.String) }

// str returns the characters of a string, "" for anything else.
func (n node) str() string {
	switch {
	case !isText(n):
		return ""
	case n.isRead():
		return n.v().Text()
	case n.body.holds != nil:
		return n.body.holds.str()
	default:
		return n.body.text
	}
}

// chars is str for a string that may be long.
func (n node) chars() []byte {
	if n.isMade() {
		return []byte(n.str())
	}
	raw := n.v().Raw()
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	chars, _ := jsonstream.Unquote(raw, make([]byte, 0, len(raw)))
	return chars
}

// number returns the text of a number, nil for anything else.
func (n node) number() []byte {
	switch {
	case !n.is(jsonstream.Number):
		return nil
	case n.isRead():
		return n.v().Raw()
	default:
		return []byte(n.body.text)
	}
}

// integer returns a whole number.
func (n node) integer() (int64, bool) {
	i, err := strconv.ParseInt(string(n.number()), 10, 64)
	return i, err == nil
}

// rational returns a number exactly, if it has a size that is met with; the exponents of
// others would cost more than they are worth.
func (n node) rational() (*big.Rat, bool) {
	text := n.number()
	if len(text) == 0 || len(text) > 64 {
		return nil, false
	}
	if e := bytes.IndexAny(text, "eE"); e >= 0 && len(bytes.TrimLeft(text[e+1:], "+-0")) > 2 {
		return nil, false
	}
	return new(big.Rat).SetString(string(text))
}

// count returns a whole number from 0 on that fits its purpose, and whether there is
// one.
func (n node) count() (int, bool) {
	i, err := strconv.ParseUint(string(n.number()), 10, 31)
	return int(i), err == nil
}

// deeperThan reports whether more objects and arrays are nested, this one included.
func (n node) deeperThan(most int) bool {
	if !n.is(jsonstream.Object) && !n.is(jsonstream.Array) {
		return false
	}
	if most == 0 {
		return true
	}
	for c := n.children(); c.next(); {
		if c.value.deeperThan(most - 1) {
			return true
		}
	}
	return false
}

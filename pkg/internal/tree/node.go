// Package tree builds JSON values from parts of others without copying: common parts of two
// messages are shared. Values are compared, digested and written independently of their original
// spelling.
package tree

import (
	"bytes"
	"math/big"
	"strconv"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Node is a JSON value for building messages: a value of a document, which is not copied, or a
// constructed one. It is immutable, so messages can share nodes. The zero node is None. Nodes that
// are == are the same value.
type Node struct {
	body *body
	i    int32 // index of a value in its document
}

// None is the absence of a value.
var None Node

// A body is a constructed value, or the data shared by all values of a document.
type body struct {
	doc *document // nil for a constructed value

	kind  jsonstream.Kind
	text  string    // the characters of a string, the text of a number or a literal
	holds *heldText // the value whose text the string holds, encoded on demand
	sum   Digest    // computed on first use

	*content // childless for other values than objects and arrays
}

// A content holds the elements of an array or the members of an object. It is apart from the body, since most values have
// neither.
type content struct {
	elements []Node
	// An object has the members of base that are not in changes, and its own members.
	*edit
	members []Member
	names   map[string]int // a table for many members, built on first lookup
}

// An edit is the part of an object that is from a document, with changes.
type edit struct {
	base    Node
	changes []Member       // changed members of base; those without a value are removed
	changed map[string]int // a table for many changes, built on first lookup
}

// childless is the content of all values that have none, and original the edit of all values that are not from
// a document. They do not change.
var (
	childless = content{edit: &original}
	original  edit
)

// collection returns the body of an object or array.
func collection(kind jsonstream.Kind, c content) *body {
	both := &struct {
		body
		of content
	}{body{kind: kind}, c}
	if c.edit == nil {
		both.of.edit = &original
	}
	both.body.content = &both.of
	return &both.body
}

// scalar returns the body of another value.
func scalar(kind jsonstream.Kind, text string) *body {
	return &body{kind: kind, text: text, content: &childless}
}

// A document is a parsed document, with cached results for its large values.
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
	raw   []byte // the name as spelled in the document; nil if constructed
}

const (
	// manyMembers is the minimum number of members for a table of names.
	manyMembers = 16
	// largeValue is the minimum size in bytes for caching results about a document's value.
	largeValue = 1 << 16
)

// Of returns the root node of a document.
func Of(doc *jsonstream.Document) Node {
	return Node{body: &body{doc: &document{doc, map[int32]Node{}, map[int32]Digest{}, map[int32][]jsonstream.Value{}, map[int32][]Node{}}}}
}

// Parse parses a JSON text that is part of a message. Only the parser's own limit applies to its
// depth.
func Parse(text []byte) (Node, bool) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return None, false
	}
	return Of(doc), true
}

// isRead reports whether the value is from a document.
func (n Node) isRead() bool { return n.body != nil && n.body.doc != nil }

// isMade reports whether the value was constructed.
func (n Node) isMade() bool { return n.body != nil && n.body.doc == nil }

// v returns the value in its document, an absent one if it was constructed.
func (n Node) v() jsonstream.Value {
	if !n.isRead() {
		return jsonstream.Value{}
	}
	return n.body.doc.Value(int(n.i))
}

// Read returns the value in its document; ok is false if it was constructed.
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
	return Node{body: collection(jsonstream.Object, content{members: members})}
}

// Array returns the array of these elements.
func Array(elements ...Node) Node {
	return Node{body: collection(jsonstream.Array, content{elements: elements})}
}

// String returns a string node. The text must be UTF-8.
func String(s string) Node { return Node{body: scalar(jsonstream.String, s)} }

// Int returns an integer node.
func Int(i int64) Node { return Number(strconv.FormatInt(i, 10)) }

// Number returns a number node with the given text.
func Number(text string) Node { return Node{body: scalar(jsonstream.Number, text)} }

// Bool returns true or false.
func Bool(b bool) Node {
	if b {
		return Node{body: scalar(jsonstream.True, "true")}
	}
	return Node{body: scalar(jsonstream.False, "false")}
}

// Null returns null.
func Null() Node { return Node{body: scalar(jsonstream.Null, "null")} }

// Kind returns the kind of the value; for None, that of an absent value.
func (n Node) Kind() jsonstream.Kind {
	if n.isMade() {
		return n.body.kind
	}
	return n.v().Kind()
}

// Is reports whether the node is of this kind.
func (n Node) Is(kind jsonstream.Kind) bool { return n.Kind() == kind }

// IsString reports whether n is a string.
func IsString(n Node) bool { return n.Is(jsonstream.String) }

// Text returns the characters of a string, "" for other values.
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

// chars is [Node.Text] for strings that may be long.
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

// NumberText returns the text of a number, nil for other values.
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

// Integer returns the value of an integer.
func (n Node) Integer() (int64, bool) {
	if !n.Is(jsonstream.Number) {
		return 0, false // without the error of ParseInt, which holds the text
	}
	i, err := strconv.ParseInt(string(n.NumberText()), 10, 64)
	return i, err == nil
}

// Rational returns the exact value of a number, unless its exponent is impractically large.
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

// Count returns a non-negative integer of practical size, and whether the value is one.
func (n Node) Count() (int, bool) {
	i, err := strconv.ParseUint(string(n.NumberText()), 10, 31)
	return int(i), err == nil
}

// DeeperThan reports whether the nesting depth of objects and arrays, including the value itself,
// exceeds limit.
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

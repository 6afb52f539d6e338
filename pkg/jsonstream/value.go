package jsonstream

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// A Kind is the type of a value: the first character of its text.
type Kind byte

// The kinds of values. Absent is the kind of the zero Value.
const (
	Absent Kind = 0
	Null   Kind = 'n'
	False  Kind = 'f'
	True   Kind = 't'
	String Kind = '"'
	Number Kind = '0'
	Object Kind = '{'
	Array  Kind = '['
)

// String returns the type's name in JSON Schema ("boolean" for true and false),
// or "nothing" for an absent value.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case False, True:
		return "boolean"
	case String:
		return "string"
	case Number:
		return "number"
	case Object:
		return "object"
	case Array:
		return "array"
	default:
		return "nothing"
	}
}

// A Value is a value in a [Document]. The zero Value is absent: its kind is [Absent], it has no members,
// and look-ups in it return absent values, so that a path can be followed without a check at every step.
type Value struct {
	doc *Document
	i   int32
}

func (v Value) node() *node { return &v.doc.nodes[v.i] }

// Exists reports whether the value is not absent.
func (v Value) Exists() bool { return v.doc != nil }

// Kind returns the type of the value.
func (v Value) Kind() Kind {
	if v.doc == nil {
		return Absent
	}
	if v.i == 0 && v.doc.raw.Lines {
		return Array
	}
	return kindOf(v.doc.raw.Bytes[v.node().start])
}

// kindOf returns the kind of a value by its first character.
func kindOf(first byte) Kind {
	switch first {
	case 'n', 'f', 't', '"', '{', '[':
		return Kind(first)
	default:
		return Number
	}
}

// Raw returns the value's own bytes, which the caller must not change; nil if it is absent. The root of
// JSON Lines returns all lines.
func (v Value) Raw() []byte {
	if v.doc == nil {
		return nil
	}
	n := v.node()
	return v.doc.raw.Bytes[n.start:n.end:n.end]
}

// Text returns the characters of a string, and "" for anything else. They may share the document's memory:
// clone a text that outlives the document.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	return unquote(v.Raw())
}

// Name returns the member's name, or "" for an array's element and the root.
func (v Value) Name() string {
	raw := v.RawName()
	switch {
	case raw == nil:
		return ""
	case v.doc.plainNames:
		return inPlace(raw[1 : len(raw)-1])
	default:
		return unquote(raw)
	}
}

// Index returns the index of an array's element, 0 for anything else.
func (v Value) Index() int {
	if v.doc == nil || v.node().nameEnd != 0 || v.node().parent < 0 {
		return 0
	}
	return int(v.node().nameStart)
}

// RawName returns the quoted name of a member, which the caller must not change; nil for an array's element
// and the root.
func (v Value) RawName() []byte {
	if v.doc == nil || v.node().nameEnd == 0 {
		return nil
	}
	n := v.node()
	return v.doc.raw.Bytes[n.nameStart:n.nameEnd:n.nameEnd]
}

// isNamed reports whether the member has this name. Few names need unquoting.
func (v Value) isNamed(name string) bool {
	raw := v.RawName()
	if !v.doc.plainNames && bytes.IndexByte(raw, '\\') >= 0 {
		return unquote(raw) == name
	}
	return string(raw[1:len(raw)-1]) == name
}

// inPlace returns bytes of a document as a string, without a copy: they never change.
func inPlace(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Strings yields the quoted strings in v, which the caller must not change: the names of members and the
// values, in the order of the text, without v itself and its name.
func (v Value) Strings() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if v.doc == nil {
			return
		}
		text, nodes := v.doc.raw.Bytes, v.doc.nodes[v.i+1:v.node().next]
		for i := range nodes {
			n := &nodes[i]
			if n.nameEnd != 0 && !yield(text[n.nameStart:n.nameEnd:n.nameEnd]) ||
				text[n.start] == byte(String) && !yield(text[n.start:n.end:n.end]) {
				return
			}
		}
	}
}

// children yields the members of an object or the elements of an array.
func (v Value) children(yield func(Value) bool) {
	if k := v.Kind(); k != Object && k != Array {
		return
	}
	for i := v.i + 1; i < v.node().next; {
		child := Value{v.doc, i}
		i = child.node().next
		if !yield(child) {
			return
		}
	}
}

// Ordinal returns the index of v among all values of its document in text order, 0 for the root. See
// [Document.Value].
func (v Value) Ordinal() int { return int(v.i) }

// Value returns the value of d with this ordinal, which must exist.
func (d *Document) Value(ordinal int) Value { return Value{d, int32(ordinal)} }

// First returns the first member of an object or element of an array, absent if there is
// none.
func (v Value) First() Value {
	if k := v.Kind(); k != Object && k != Array || v.i+1 == v.node().next {
		return Value{}
	}
	return Value{v.doc, v.i + 1}
}

// Next returns the member or element after v in the object or array that holds v, absent
// if v is the last one.
func (v Value) Next() Value {
	if v.doc == nil || v.node().parent < 0 || v.node().next == v.Parent().node().next {
		return Value{}
	}
	return Value{v.doc, v.node().next}
}

// Members yields the members of an object in text order; nothing for other kinds.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != Object {
			return
		}
		for child := range v.children {
			if !yield(child.Name(), child) {
				return
			}
		}
	}
}

// Elements yields the elements of an array with their indices; nothing for other kinds.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.Kind() != Array {
			return
		}
		for child := range v.children {
			if !yield(int(child.node().nameStart), child) {
				return
			}
		}
	}
}

// All yields v and every value below it, in text order.
func (v Value) All() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.doc == nil {
			return
		}
		for i := v.i; i < v.node().next; i++ {
			if !yield(Value{v.doc, i}) {
				return
			}
		}
	}
}

// Len returns the number of members or elements.
func (v Value) Len() int {
	n := 0
	for range v.children {
		n++
	}
	return n
}

// Get returns the member of an object, absent if there is none.
func (v Value) Get(name string) Value {
	if v.Kind() != Object {
		return Value{}
	}
	nodes, length := v.doc.nodes, uint32(len(name)+len(`""`))
	for i, end := v.i+1, v.node().next; i < end; i = nodes[i].next {
		// Most names have another length.
		if n := &nodes[i]; n.nameEnd-n.nameStart == length || !v.doc.plainNames {
			if child := (Value{v.doc, i}); child.isNamed(name) {
				return child
			}
		}
	}
	return Value{}
}

// At returns the value at a JSON Pointer below v, absent if there is none.
func (v Value) At(pointer string) Value {
	if !IsPointer(pointer) {
		return Value{}
	}
	for pointer != "" {
		var token string
		token, pointer = CutPointer(pointer)
		v = v.child(token)
	}
	return v
}

func (v Value) child(token string) Value {
	if v.Kind() == Object {
		return v.Get(token)
	}
	index, ok := ArrayIndex(token)
	if !ok {
		return Value{}
	}
	for i, element := range v.Elements() {
		if i == index {
			return element
		}
	}
	return Value{}
}

// Parent returns the object or array that holds v, absent for the root.
func (v Value) Parent() Value {
	if v.doc == nil || v.node().parent < 0 {
		return Value{}
	}
	return Value{v.doc, v.node().parent}
}

// Pointer returns the JSON Pointer of v in its document.
func (v Value) Pointer() string {
	var path []Value // from v up to a child of the root
	for v.doc != nil && v.node().parent >= 0 {
		path = append(path, v)
		v = v.Parent()
	}
	var b strings.Builder
	for _, at := range slices.Backward(path) {
		b.WriteByte('/')
		if at.node().nameEnd == 0 {
			b.WriteString(strconv.Itoa(int(at.node().nameStart)))
		} else {
			pointerEscaper.WriteString(&b, at.Name())
		}
	}
	return b.String()
}

// PointerSize returns the approximate length of the JSON Pointer of v, in bytes, without building it: in a
// hostile document, a pointer can be as long as the document.
func (v Value) PointerSize() int {
	size := 0
	for v.doc != nil && v.node().parent >= 0 {
		size += 1 + max(int(v.node().nameEnd)-int(v.node().nameStart), 1)
		v = v.Parent()
	}
	return size
}

// Position returns the beginning of the value in the original text. An absent value has the zero Position.
func (v Value) Position() Position {
	if v.doc == nil {
		return Position{}
	}
	return v.doc.positionAt(int(v.node().start))
}

// PositionIn returns the position in the original text of the byte at an offset of the string's
// [Value.Text]. For other kinds it is the beginning of the value.
func (v Value) PositionIn(offset int) Position {
	if v.Kind() != String {
		return v.Position()
	}
	raw := v.Raw()
	at := 1 // after the quote
	for last := len(raw) - 1; offset > 0 && at < last; {
		plain := bytes.IndexByte(raw[at:min(at+offset, last)], '\\')
		if plain < 0 {
			at = min(at+offset, last)
			break
		}
		at += plain
		offset -= plain
		end := scanEscape(raw, at)
		length := escapedLen(raw[at:end])
		if length > offset {
			break // inside the escaped character
		}
		at = end
		offset -= length
	}
	return v.doc.positionAt(int(v.node().start) + at)
}

// escapedLen returns the length in UTF-8 of an escaped character; a surrogate pair is one escape.
func escapedLen(escape []byte) int {
	switch len(escape) {
	case len(`\n`):
		return 1
	case len(`\u0000`):
		return utf8.RuneLen(rune(hex4(escape, 2)))
	default:
		return utf8.UTFMax
	}
}

// NamePosition returns the beginning of the member's name; for an array's element and the root, the
// beginning of the value.
func (v Value) NamePosition() Position {
	if v.doc == nil || v.node().nameEnd == 0 {
		return v.Position()
	}
	return v.doc.positionAt(int(v.node().nameStart))
}

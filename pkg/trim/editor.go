package trim

import (
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An editor changes members of a document and records their old values. After an error it
// does nothing.
type editor struct {
	root    *jsonstream.Draft
	lines   bool
	members []member
	err     error
}

// A member is the old value at a place; nil if there was none.
type member struct {
	pointer string
	value   []byte
	index   int // in its object, if it was removed
}

func edit(doc *jsonstream.Document) *editor {
	return &editor{root: jsonstream.NewDraft(doc.Root()), lines: doc.IsLines()}
}

// put writes a value without recording the old one.
func (e *editor) put(pointer string, value []byte) {
	if e.err == nil {
		e.err = e.root.Set(pointer, value)
	}
}

// set writes a value.
func (e *editor) set(pointer string, value []byte) {
	e.remember(pointer)
	e.put(pointer, value)
}

// remove removes a value.
func (e *editor) remove(pointer string) {
	if e.err != nil {
		return
	}
	e.remember(pointer)
	m := &e.members[len(e.members)-1]
	for name := range e.root.Children() {
		if "/"+name == pointer {
			break
		}
		m.index++
	}
	e.err = e.root.Remove(pointer)
}

// insert puts a member of the root back at its index, and writes any other value.
func (e *editor) insert(pointer string, index int, value []byte) {
	tokens, _ := jsonstream.SplitPointer(pointer)
	if len(tokens) != 1 || e.root.Kind() != jsonstream.Object || e.root.Child(tokens[0]) != nil {
		e.put(pointer, value)
		return
	}
	doc, err := parse(value)
	if err != nil {
		e.err = err
	}
	if e.err == nil {
		e.root.InsertAt(index, tokens[0], jsonstream.NewDraft(doc.Root()))
	}
}

// kind returns the kind of the value at a pointer.
func (e *editor) kind(pointer string) jsonstream.Kind {
	if d := e.root.At(pointer); d != nil {
		return d.Kind()
	}
	return jsonstream.Absent
}

func (e *editor) remember(pointer string) {
	for _, m := range e.members {
		if m.pointer == pointer {
			return
		}
	}
	m := member{pointer: pointer}
	if d := e.root.At(pointer); d != nil {
		m.value = d.Bytes()
	}
	e.members = append(e.members, m)
}

// value returns the current value at a pointer.
func (e *editor) value(pointer string) jsonstream.Value {
	d := e.root.At(pointer)
	if e.err != nil || d == nil {
		return jsonstream.Value{}
	}
	var doc *jsonstream.Document
	doc, e.err = d.Document(jsonstream.Unlimited())
	if e.err != nil {
		return jsonstream.Value{}
	}
	return doc.Root()
}

// text returns the compact text of the document; JSON Lines keep their text.
func (e *editor) text() []byte {
	if e.lines {
		return e.root.Bytes()
	}
	return jsonstream.AppendCompact(nil, e.root.Bytes())
}

// parse parses a text written by this package or parsed before.
func parse(text []byte) (*jsonstream.Document, error) {
	return jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
}

package trim

import "github.com/eaapl/handoff/pkg/jsonstream"

// An editor changes members of a document and remembers what they were. After an
// error it does nothing.
type editor struct {
	doc     *jsonstream.Document
	members []member
	err     error
}

// A member is what a place held before; a nil value stands for nothing.
type member struct {
	pointer string
	value   []byte
	index   int // in its object, if it was taken away
}

// put writes a value without remembering what was there.
func (e *editor) put(pointer string, value []byte) {
	if e.err != nil {
		return
	}
	text, err := jsonstream.Set(e.doc, pointer, value)
	e.become(text, err)
}

// set writes a value.
func (e *editor) set(pointer string, value []byte) {
	e.remember(pointer)
	e.put(pointer, value)
}

// remove takes a value away.
func (e *editor) remove(pointer string) {
	if e.err != nil {
		return
	}
	e.remember(pointer)
	m := &e.members[len(e.members)-1]
	for v := range e.doc.Root().At(pointer).Parent().Members() {
		if "/"+v == pointer {
			break
		}
		m.index++
	}
	text, err := jsonstream.Remove(e.doc, pointer)
	e.become(text, err)
}

// insert puts a member of the root where it was, and writes any other value.
func (e *editor) insert(pointer string, index int, value []byte) {
	tokens, _ := jsonstream.SplitPointer(pointer)
	if len(tokens) != 1 || e.err != nil || e.doc.Root().Get(tokens[0]).Exists() {
		e.put(pointer, value)
		return
	}
	var text []byte
	added := appendMember(nil, tokens[0], value)
	for i, part := range partsOf(e.doc.Root()) {
		if i == index {
			text = appendElement(text, '{', added)
		}
		text = appendElement(text, '{', part)
	}
	if index >= e.doc.Root().Len() {
		text = appendElement(text, '{', added)
	}
	e.become(endList(text, '{'), nil)
}

func (e *editor) remember(pointer string) {
	for _, m := range e.members {
		if m.pointer == pointer {
			return
		}
	}
	e.members = append(e.members, member{pointer: pointer, value: e.doc.Root().At(pointer).Raw()})
}

func (e *editor) become(text []byte, err error) {
	if err != nil {
		e.err = err
		return
	}
	e.doc, e.err = parse(text)
}

// parse reads a text that this package has made, or the whole of which was read
// before.
func parse(text []byte) (*jsonstream.Document, error) {
	return jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
}

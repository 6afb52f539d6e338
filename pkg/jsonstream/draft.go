package jsonstream

import (
	"fmt"
	"iter"
	"slices"
)

// A Draft is a JSON value being edited. Unchanged values keep their bytes and the white space around them.
// Each change applies to the result of the changes before it.
//
// The draft of a document that is JSON Lines remains JSON Lines, one element per line, regardless of white
// space in the values added. In another draft it becomes an array.
//
// An object or array is opened when a value in it is looked up or changed, and takes memory from then on.
// Opening takes time linear in its length; a later change takes constant time on average in an object and
// logarithmic time in an array. A Draft is for one goroutine.
type Draft struct {
	was Value    // the original value, still set while now is nil
	now *content // the new value, or the opened one
}

// content is the content of a draft: a value, or an open object or array.
type content struct {
	base    Value // the value, or the one before it was opened
	open    bool
	list    *list          // the elements of an open array
	members []draftMember  // of an open object, with gaps for removed members
	count   int            // of members, less gaps
	places  map[string]int // indices of the members in members; nil for few members
}

// A draftMember is a member of an open object, or a gap.
type draftMember struct {
	name  string
	value Draft
}

// isGap reports whether a member was removed here.
func (m *draftMember) isGap() bool { return m.value == Draft{} }

// NewDraft returns a draft of v, which must exist. A draft added to another draft must not be used any
// more.
func NewDraft(v Value) *Draft { return &Draft{was: v} }

// Kind returns the type of the value.
func (d *Draft) Kind() Kind { return d.base().Kind() }

func (d *Draft) base() Value {
	if d.now != nil {
		return d.now.base
	}
	return d.was
}

// Value returns the value of d. Once d is open, it is absent, because it may have changed: see
// [Draft.Document].
func (d *Draft) Value() Value {
	if d.now != nil && d.now.open {
		return Value{}
	}
	return d.base()
}

// Len returns the number of members or elements.
func (d *Draft) Len() int {
	switch c := d.contents(); {
	case c == nil:
		return 0
	case c.list != nil:
		return c.list.count
	default:
		return c.count
	}
}

// contents opens an object or array and returns its content; nil for other kinds.
func (d *Draft) contents() *content {
	if d.now != nil && d.now.open {
		return d.now
	}
	base := d.base()
	c := &content{base: base, open: true}
	switch base.Kind() {
	case Object:
		c.count = base.Len()
		c.members = make([]draftMember, 0, c.count+1)
		for name, v := range base.Members() {
			c.members = append(c.members, draftMember{name, Draft{was: v}})
		}
	case Array:
		elements := make([]Draft, 0, base.Len())
		for _, v := range base.Elements() {
			elements = append(elements, Draft{was: v})
		}
		c.list = newList(elements)
	default:
		return nil
	}
	d.now = c
	return c
}

// Child returns the member or element for a reference token of a JSON Pointer, nil if there is none. It is
// valid until a member or element of d is inserted or removed.
func (d *Draft) Child(token string) *Draft {
	c := d.contents()
	if c == nil {
		return nil
	}
	if c.list == nil {
		if i := c.find(token); i >= 0 {
			return &c.members[i].value
		}
	} else if i, ok := ArrayIndex(token); ok && i < c.list.count {
		return c.list.at(i)
	}
	return nil
}

// At returns the value at a JSON Pointer below d, nil if there is none. See
// [Draft.Child].
func (d *Draft) At(pointer string) *Draft {
	tokens, ok := SplitPointer(pointer)
	if !ok {
		return nil
	}
	for _, token := range tokens {
		if d = d.Child(token); d == nil {
			break
		}
	}
	return d
}

// Children yields the members with their names, or the elements with empty names, in order. Nothing may be
// inserted or removed during the iteration.
func (d *Draft) Children() iter.Seq2[string, *Draft] {
	return func(yield func(string, *Draft) bool) {
		if c := d.contents(); c != nil {
			c.children(func(m *draftMember, child *Draft) bool {
				if m != nil {
					return yield(m.name, child)
				}
				return yield("", child)
			})
		}
	}
}

// children yields the members, nil for elements, with their values.
func (c *content) children(yield func(*draftMember, *Draft) bool) {
	if c.list != nil {
		c.list.all(func(d *Draft) bool { return yield(nil, d) })
		return
	}
	for i := range c.members {
		if m := &c.members[i]; !m.isGap() && !yield(m, &m.value) {
			return
		}
	}
}

// Replace replaces d with the value of another draft.
func (d *Draft) Replace(with *Draft) {
	if with.now != nil {
		d.now = with.now
	} else {
		d.now = &content{base: with.was}
	}
}

// Insert adds a value as in RFC 6902, section 4.1: before the element with the index token; after the last
// element for "-" or the length of the array; or as a member, which replaces an existing one or becomes the
// last. It returns false if d has no such place.
func (d *Draft) Insert(token string, child *Draft) bool {
	c := d.contents()
	if c == nil {
		return false
	}
	if c.list != nil {
		i, ok := ArrayIndex(token)
		if token == "-" {
			i, ok = c.list.count, true
		}
		if !ok || i > c.list.count {
			return false
		}
		c.list.insert(i, *child)
		return true
	}
	if i := c.find(token); i >= 0 {
		c.members[i].value.Replace(child)
		return true
	}
	if c.places != nil {
		c.places[token] = len(c.members)
	}
	c.members = append(c.members, draftMember{token, *child})
	c.count++
	return true
}

// InsertAt adds a new member to an object, before the member at index, or last if there are fewer members.
// It takes time linear in the number of members.
func (d *Draft) InsertAt(index int, name string, child *Draft) {
	c := d.contents()
	c.close()
	c.members = slices.Insert(c.members, min(index, c.count), draftMember{name, *child})
	c.count++
}

// Take removes the member or element for a reference token and returns it; nil if there is none.
func (d *Draft) Take(token string) *Draft {
	child := d.Child(token)
	if child == nil {
		return nil
	}
	taken := *child
	c := d.now
	if c.list != nil {
		i, _ := ArrayIndex(token)
		c.list.remove(i)
		return &taken
	}
	c.members[c.find(token)] = draftMember{}
	delete(c.places, token)
	// The gaps are closed once they are half of the slice, so that removal takes constant time on average.
	if c.count--; len(c.members) >= 2*c.count+8 {
		c.close()
	}
	return &taken
}

// close closes the gaps between the members.
func (c *content) close() {
	c.members = slices.DeleteFunc(c.members, func(m draftMember) bool { return m.isGap() })
	c.places = nil
}

// find returns the index of the member in members, -1 if there is none.
func (c *content) find(name string) int {
	const few = 64 // below this, comparing each name is as fast as a map
	if c.places == nil && len(c.members) <= few {
		for i := range c.members {
			if m := &c.members[i]; m.name == name && !m.isGap() {
				return i
			}
		}
		return -1
	}
	if c.places == nil {
		c.places = make(map[string]int, c.count)
		for i, m := range c.members {
			if !m.isGap() {
				c.places[m.name] = i
			}
		}
	}
	if i, ok := c.places[name]; ok {
		return i
	}
	return -1
}

// Set writes a JSON text at a JSON Pointer. It replaces an existing value, adds a member at the end of an
// object, or appends an element for "-" or an index equal to the length of the array (RFC 6901, section 4).
// The object or array that holds the value must exist. If value is not JSON, the error is a [*SyntaxError].
func (d *Draft) Set(pointer string, value []byte) error {
	doc, err := Parse(NewRaw(value), Unlimited())
	if err != nil {
		return err
	}
	tokens, ok := SplitPointer(pointer)
	if !ok {
		return fmt.Errorf("%q is not a JSON Pointer: write it as /member/0/member", pointer)
	}
	child := NewDraft(doc.Root())
	if len(tokens) == 0 {
		d.Replace(child)
		return nil
	}
	last := len(tokens) - 1
	for _, token := range tokens[:last] {
		if d = d.Child(token); d == nil {
			break
		}
	}
	switch {
	case d == nil || d.Kind() != Object && d.Kind() != Array:
		return fmt.Errorf("%s: its parent object or array does not exist", pointer)
	case d.Kind() == Array && d.Child(tokens[last]) != nil:
		d.Child(tokens[last]).Replace(child)
	case !d.Insert(tokens[last], child):
		return fmt.Errorf("%s: the array has %d elements: name one of them, or - for a new one", pointer, d.Len())
	}
	return nil
}

// Remove removes the member or element at a JSON Pointer, which must exist.
func (d *Draft) Remove(pointer string) error {
	tokens, _ := SplitPointer(pointer)
	for i, token := range tokens {
		if i < len(tokens)-1 {
			d = d.Child(token)
		} else if d.Take(token) != nil {
			return nil
		}
		if d == nil {
			break
		}
	}
	return fmt.Errorf("%s: the value does not exist, or is the whole document", pointer)
}

// Set returns the document's text with the value at pointer replaced or added. See
// [Draft.Set].
func Set(d *Document, pointer string, value []byte) ([]byte, error) {
	draft := NewDraft(d.Root())
	if err := draft.Set(pointer, value); err != nil {
		return nil, err
	}
	return draft.Bytes(), nil
}

// Remove returns the document's text without the value at pointer. See
// [Draft.Remove].
func Remove(d *Document, pointer string) ([]byte, error) {
	draft := NewDraft(d.Root())
	if err := draft.Remove(pointer); err != nil {
		return nil, err
	}
	return draft.Bytes(), nil
}

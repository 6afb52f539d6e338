package jsonstream

// A Follower gets the tokens of a document while it is read, in the order of the text.
// The bytes are those of the document, which it must not change. All tokens are
// well-formed; those of a damaged document come up to the damage, and are then to be
// discarded.
type Follower interface {
	// Reset is called when a document begins. Earlier tokens are to be discarded: it may
	// be the same document, read again.
	Reset()
	// Begin is called when an object or array begins.
	Begin(kind Kind)
	// Name is called with the name, in its quotes, of the member whose value comes next.
	Name(raw []byte)
	// Scalar is called with a string in its quotes, a number, true, false or null.
	Scalar(kind Kind, raw []byte)
	// End is called when the innermost object or array ends.
	End()
}

// Follow calls f for the tokens of v, which must exist, as a [Parser] does while it
// reads.
func (v Value) Follow(f Follower) {
	f.Reset()
	nodes := v.doc.nodes
	outside := nodes[v.i].parent
	open := outside // the innermost object or array
	for i := v.i; i < nodes[v.i].next; i++ {
		for open != outside && nodes[open].next <= i {
			f.End()
			open = nodes[open].parent
		}
		each := Value{v.doc, i}
		if name := each.RawName(); name != nil && i > v.i {
			f.Name(name)
		}
		if kind := each.Kind(); kind == Object || kind == Array {
			f.Begin(kind)
			open = i
		} else {
			f.Scalar(kind, each.Raw())
		}
	}
	for ; open != outside; open = nodes[open].parent {
		f.End()
	}
}

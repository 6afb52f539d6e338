package jsonstream

// A Follower is told of a document's tokens while it is read, in the order of the
// text. The bytes are those of the document, which it must not change. It is told of
// well-formed tokens only, but of a damaged document up to the damage: what it has
// gathered then counts for nothing.
type Follower interface {
	// Reset tells that a document begins. What it was told of before, it forgets: it may
	// be the same document, which has to be read again.
	Reset()
	// Begin tells that an object or an array begins.
	Begin(kind Kind)
	// Name gives the name, with its quotes, of the member whose value comes next.
	Name(raw []byte)
	// Scalar gives a string with its quotes, a number, true, false or null.
	Scalar(kind Kind, raw []byte)
	// End tells that the innermost object or array ends.
	End()
}

// Follow tells f of the tokens of v, which must be there, as a [Parser] does of a
// document while it reads.
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

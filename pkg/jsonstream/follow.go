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

// Follow tells f of the document's tokens, as a [Parser] does while it reads.
func (d *Document) Follow(f Follower) {
	f.Reset()
	open := int32(-1) // the innermost object or array
	for i := range int32(len(d.nodes)) {
		for open >= 0 && d.nodes[open].next <= i {
			f.End()
			open = d.nodes[open].parent
		}
		v := Value{d, i}
		if name := v.RawName(); name != nil {
			f.Name(name)
		}
		if kind := v.Kind(); kind == Object || kind == Array {
			f.Begin(kind)
			open = i
		} else {
			f.Scalar(kind, v.Raw())
		}
	}
	for ; open >= 0; open = d.nodes[open].parent {
		f.End()
	}
}

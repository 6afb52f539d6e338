package diff

import (
	"encoding/json"
	"iter"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Leaves yields the edits that are not made up of others: additions, removals, replacements as
// a whole, and moves. Each is followed by the edits inside it.
func (e *Edit) Leaves() iter.Seq[*Edit] {
	return func(yield func(*Edit) bool) { e.leaves(yield) }
}

func (e *Edit) leaves(yield func(*Edit) bool) bool {
	if e == nil {
		return true
	}
	if (e.Kind != Changed || e.Edits == nil) && !yield(e) {
		return false
	}
	for _, inner := range e.Edits {
		if !inner.leaves(yield) {
			return false
		}
	}
	return true
}

// Pointer returns the pointer to the value: in the new document, or in the old one if it
// was removed.
func (e *Edit) Pointer() string {
	if e.Kind == Removed {
		return e.Old.Pointer()
	}
	return e.New.Pointer()
}

// Counts are the numbers of edits of each kind.
type Counts struct{ Added, Removed, Changed, Moved int }

// Counts counts the leaves of an edit, without the edits inside strings.
func (e *Edit) Counts() Counts {
	var c Counts
	for leaf := range e.Leaves() {
		c.count(leaf)
	}
	return c
}

func (c *Counts) count(e *Edit) {
	switch e.Kind {
	case Added:
		c.Added++
	case Removed:
		c.Removed++
	case Changed:
		c.Changed++
	case Moved:
		c.Moved++
	}
}

// A Change is the JSON form of a leaf of an edit.
type Change struct {
	Pointer string          `json:"pointer"` // in the new document; in the old one if it was removed
	Kind    Kind            `json:"kind"`
	From    string          `json:"from,omitzero"` // if it moved: its pointer in the old document
	Old     json.RawMessage `json:"old,omitzero"`  // compact
	New     json.RawMessage `json:"new,omitzero"`
	Inside  []Change        `json:"inside,omitzero"` // in the documents that the strings hold
}

// Changes returns the leaves of an edit in their JSON form; an empty list if e is nil.
func (e *Edit) Changes() []Change {
	list := []Change{}
	for leaf := range e.Leaves() {
		c := Change{Pointer: leaf.Pointer(), Kind: leaf.Kind, Old: compact(leaf.Old), New: compact(leaf.New)}
		if leaf.Kind == Moved {
			c.From = leaf.Old.Pointer()
		}
		if leaf.Inside != nil {
			c.Inside = leaf.Inside.Changes()
		}
		list = append(list, c)
	}
	return list
}

// compact returns the text of a value without white space, nil if it is absent.
func compact(v jsonstream.Value) []byte {
	if !v.Exists() {
		return nil
	}
	return jsonstream.AppendCompact(nil, v.Raw())
}

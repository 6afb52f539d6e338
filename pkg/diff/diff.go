// Package diff compares JSON documents, and returns how one became another.
//
// For messages it knows which members identify the elements of arrays, so that a subtask
// is compared with the same subtask wherever it is. Elements of other arrays are matched
// by their likeness. Numbers are compared by their decimal value.
//
// A comparison takes time nearly linear in the size of the documents and in the number of
// changes. If matching elements well would cost more, they are matched less well; a
// difference is never missed.
package diff

import (
	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Options say what to compare. The zero value compares everything, numbers by their
// value.
type Options struct {
	Format format.Format        // of both documents; "" means detected
	Exact  bool                 // numbers are the same only if they are written alike
	Ignore []jsonstream.Pattern // places that are left out, with all below them
	Only   []jsonstream.Pattern // if there are any, all but these places, and what is below them, is left out
	Keys   []Key                // before those of the message's format
}

// relation says which documents are equal under the options.
func (o Options) relation() equal.Relation {
	return equal.Relation{Exact: o.Exact, Mask: jsonstream.NewMask(o.Ignore, o.Only)}
}

// A Key says what identifies the elements of an array: the values of these members, which
// must exist, count, and be no objects or arrays; elements without them are matched by
// their likeness. Of several elements with the same key, equal ones are matched first,
// and others in their order.
type Key struct {
	Array   jsonstream.Pattern
	Members []string
}

// A Kind is a kind of edit.
type Kind string

// The kinds of edits.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed"
	Moved   Kind = "moved" // an element in another place among those that stayed
)

// An Edit is the change of a value.
type Edit struct {
	Kind Kind
	Old  jsonstream.Value // absent if Added
	New  jsonstream.Value // absent if Removed

	// Edits are those of the members, in the order of Old's members and then of the added
	// ones in that of New; or of the elements, those with a place in New in its order,
	// removed ones where they were. Changed values without Edits are replaced as a whole;
	// values that Moved are equal but for them.
	Edits []*Edit

	// Inside is the change between the documents that two strings hold, as JSON text or
	// base64 of it, or a string and the object or array in its place; nil if there are
	// none or, with SameInside, they are equal but written differently.
	Inside     *Edit
	SameInside bool
}

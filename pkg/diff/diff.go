// Package diff compares JSON documents and returns the edits from one to the other.
//
// For messages it knows the members that identify the elements of arrays, so a subtask is
// compared with the same subtask wherever it is. Elements of other arrays are matched by their
// likeness. Numbers are compared by their decimal value.
//
// A comparison takes time nearly linear in the size of the documents and in the number of
// changes. If matching elements well would cost more, they are matched less well; a difference
// is never missed.
package diff

import (
	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Options select the values to compare. The zero value compares everything, numbers by their
// value.
type Options struct {
	Format format.Format        // of both documents; "" means detected
	Exact  bool                 // compare numbers by their text
	Ignore []jsonstream.Pattern // places that are left out, with everything below them
	Only   []jsonstream.Pattern // if not empty, everything outside these places is left out
	Keys   []Key                // take precedence over the keys of the format
}

// relation returns the equality of documents under the options.
func (o Options) relation() equal.Relation {
	return equal.Relation{Exact: o.Exact, Mask: jsonstream.NewMask(o.Ignore, o.Only)}
}

// A Key identifies the elements of an array by the values of some members, which must exist,
// must not be left out, and must not be objects or arrays. Elements without them are matched by
// their likeness. Among several elements with the same key, equal ones are matched first, and
// the others in order.
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

	// Edits are the edits of the members or elements. Members are in Old's order, and added
	// members follow in New's order. Elements are in New's order, and removed elements at their
	// old places. A Changed value without Edits is replaced as a whole; a value that Moved is
	// equal except for its Edits.
	Edits []*Edit

	// Inside is the change between the documents in two strings, as JSON text or its base64, or
	// between a string and the object or array that replaces it; nil if there are none or, with
	// SameInside, if they are equal but written differently.
	Inside     *Edit
	SameInside bool
}

package format

import (
	"iter"
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Elements say how the messages of a format are known by the elements of a list, such as their
// turns.
type Elements struct {
	// List returns the array that a message has for them; an absent value if it has none.
	List func(root jsonstream.Value) jsonstream.Value
	// Fit says what an element is in the format.
	Fit func(element jsonstream.Value) Fit
	// Tells reports whether the values beside the list tell of the format, as a member of its
	// own would; nil if none do.
	Tells func(root jsonstream.Value) bool
	// Whole says what a message is in the format that may be without a list, such as a single
	// turn; nil if there is none.
	Whole func(root jsonstream.Value) Fit
	// Plain says that messages are of the format which any of several could be: those of
	// a role and a text alone. One format says so.
	Plain bool
	// Lines is not empty for a format whose messages are files of JSON Lines: the elements are
	// the values of the lines (see [jsonstream.ParseLines]). Each line has one of these members,
	// near its beginning.
	Lines []string
	// Trail returns what finds which elements of the list are turns. Where it is nil, all are but
	// those that Fit says are beside them.
	Trail func() Trail
	// Relink makes a Trail find the turns of a conversation again once lines were removed, added or
	// moved: it changes what lines say of each other, and may move one. lines are those of the
	// file, in order. The error says why there is no way. It is nil where the order of the lines is
	// that of the conversation.
	Relink func(lines []Line) error
}

// A Trail finds the turns in one list, which may come in parts, so that a long file need not be in
// memory.
type Trail interface {
	// Read returns what Add takes of a part of the elements, by their indices. It keeps nothing of
	// them, and may be called by several goroutines.
	Read(part iter.Seq2[int, jsonstream.Value]) any
	// Add adds what was read of the parts, one after the other in their order.
	Add(read any)
	// Turns returns the indices of the turns, in the order of the conversation, once all are added.
	Turns() []int
}

// Path returns which elements of a list are turns, in the order of the conversation, by their
// indices: see [Elements.Trail], which must not be nil.
func (e *Elements) Path(list iter.Seq2[int, jsonstream.Value]) []int {
	trail := e.Trail()
	trail.Add(trail.Read(list))
	return trail.Turns()
}

// IsLines reports whether the messages of the format are files of JSON Lines.
func (d *Descriptor) IsLines() bool { return d.Known != nil && len(d.Known.Lines) > 0 }

// A Line is one of a file of JSON Lines that is being rewritten.
type Line struct {
	Was   jsonstream.Value // absent for one that is added
	Value jsonstream.Value // as it is to be; absent for one that is removed
	// Turn is its place in the conversation as it is to be, from 0; -1 for a line that is none.
	Turn int
}

// Natural returns a number of things, 0 for a value that is none.
func Natural(v jsonstream.Value) int64 {
	if v.Kind() != jsonstream.Number {
		return 0
	}
	var n int64
	for _, c := range v.Raw() {
		if c < '0' || c > '9' || n > 1e15 {
			return 0
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// A Fit says what an element of a list is in a format.
type Fit int

// The fits, from none to the best.
const (
	Foreign  Fit = iota // the format has no such element
	Beside              // an element of the format that is no turn
	Possible            // a turn that other formats have as well
	Typical             // a turn that no other format has
)

// ListIn returns a function for [Elements.List]: the message if it is an array, or the first
// of the members that it has as one.
func ListIn(names ...string) func(root jsonstream.Value) jsonstream.Value {
	return func(root jsonstream.Value) jsonstream.Value {
		if root.Kind() == jsonstream.Array {
			return root
		}
		for name, v := range root.Members() {
			if v.Kind() == jsonstream.Array && slices.Contains(names, name) {
				return v
			}
		}
		return jsonstream.Value{}
	}
}

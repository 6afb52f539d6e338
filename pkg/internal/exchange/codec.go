package exchange

import "github.com/eaapl/handoff/pkg/internal/tree"

// A Codec says how the messages of one format are converted. It describes the view of a
// message: the message with its encoded parts decoded, so that parts of it can be compared
// and carried.
type Codec struct {
	*Layout
	// Lists are where the view has turns.
	Lists []string
	// Context is where the view has a context that may be one of another format.
	Context string
	// Whole are the objects in the view that differ as a whole: their members belong to
	// one thing.
	Whole []string
	// Wrapped is the member that the view decodes, ViewOnly are places that only the view
	// has, and Encoded is where it has an object that a message may have encoded.
	Wrapped  string
	ViewOnly []string
	Encoded  string
	// Demands is set if the format requires values that a source may not have.
	Demands bool

	// Open returns the view of a message, and Shut the message of a view; what is not quite
	// the same then is how encoded texts were written. Both are nil for a format whose
	// messages are their own view.
	Open, Shut func(tree.Node) tree.Node
	// Original returns the text that a message has for the value at Encoded.
	Original func(message tree.Node) tree.Node
	// Read returns what a view says, and the shape of the message: a hint for Write.
	Read func(view tree.Node, o Others) (m Meaning, shape tree.Node)
	// Write returns the view of a message that says this. What the format asks for and the
	// source does not have is made up by k, which is nil for a context in another message.
	Write func(m Meaning, shape tree.Node, k *Maker, o Others) tree.Node
	// Counts returns how many of the turns of a message of this shape each list has; nil
	// if all are in the first.
	Counts func(shape tree.Node, turns int) []int
	// Check looks for what a reader of the format would reject.
	Check func(c *Checker, message tree.Node)
	// Locate returns what writes JSON Pointers into the view as the message has them, but for
	// what Wrapped says. nil if they are the same.
	Locate func(message tree.Node) func(pointer string) string
	// Bare is the member under which a message that is an array has its elements once it has to
	// hold what is carried; "" for formats whose messages are objects, or hold that in the array.
	Bare string

	Holder
}

// A Layout says where the view of a message has what. All places are JSON Pointers.
type Layout struct {
	// Places are where it has the rows; what has none is in the brief.
	Places [RowCount]string
	// Brief is where it has the brief as an object; BriefText, where a text has it.
	Brief, BriefText string
}

// A Holder says where a message holds what is carried for other formats.
type Holder struct {
	// HolderAt returns the place: an object with a member for each, or with Pack an array.
	HolderAt func(message tree.Node) string
	// Prefix is what the names of the members begin with: without Pack, for an object that others
	// have members in, too.
	Prefix string
	// Pack returns the element of an array that holds what is carried, and Unpack what one
	// holds.
	Pack   func(carried tree.Node) tree.Node
	Unpack func(element tree.Node) (carried tree.Node, ok bool)
	// Last is set if the element is the last of the array; otherwise it is the first.
	Last bool
	// InBase64 is set if it is held as base64 of its JSON text.
	InBase64 bool
}

// Others are the other formats, for one whose messages may carry a context of any.
type Others struct {
	// Read returns what a context of another format says, with the places where the
	// context says it, and the name of the format.
	Read func(context tree.Node) (name string, m Meaning, ok bool)
	// Write returns a context of the format with a name.
	Write func(name string, m Meaning) (context tree.Node, ok bool)
}

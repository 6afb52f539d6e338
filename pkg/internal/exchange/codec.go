package exchange

import "github.com/eaapl/handoff/pkg/internal/tree"

// A Codec describes the conversion of the messages of one format, in terms of the view of a
// message: the message with its encoded parts decoded, so that they can be compared and carried.
type Codec struct {
	*Layout
	// Lists are the places of turns in the view.
	Lists []string
	// Context is the place in the view of a context, possibly of another format.
	Context string
	// Whole are the objects in the view that are carried as a whole, since their members belong
	// together.
	Whole []string
	// Wrapped is the member that the view decodes. ViewOnly are places that exist only in the view.
	// Encoded is the place in the view of an object that may be encoded in the message.
	Wrapped  string
	ViewOnly []string
	Encoded  string
	// Demands is set if the format requires values that a source may lack.
	Demands bool

	// Open returns the view of a message, and Shut the message of a view; only the spelling of
	// encoded texts may differ then. Both are nil for a format whose messages are their own view.
	Open, Shut func(tree.Node) tree.Node
	// Original returns the message's text for the value at Encoded.
	Original func(message tree.Node) tree.Node
	// Read returns the meaning of a view, and the shape of the message: a hint for Write.
	Read func(view tree.Node, o Others) (m Meaning, shape tree.Node)
	// Write returns the view of a message with this meaning. Missing values that the format
	// requires are made up by k, which is nil for a context in another message.
	Write func(m Meaning, shape tree.Node, k *Maker, o Others) tree.Node
	// Counts returns the number of turns in each list of a message with this shape; nil means that
	// all are in the first list.
	Counts func(shape tree.Node, turns int) []int
	// Check reports values that a reader of the format would reject.
	Check func(c *Checker, message tree.Node)
	// Locate returns a function that converts JSON Pointers into the view to pointers into the
	// message, except for Wrapped. nil means that they are equal.
	Locate func(message tree.Node) func(pointer string) string
	// If a message is an array and carried data must be added, the message becomes an object, and
	// Bare is its member for the elements. It is "" for formats whose messages are objects, or
	// whose arrays can hold such data.
	Bare string

	Holder
}

// A Layout has the places of the parts of a message in its view, as JSON Pointers.
type Layout struct {
	// Places are the places of the rows; rows without a place are in the brief.
	Places [RowCount]string
	// Brief is the place of the brief as an object; BriefText, as a text.
	Brief, BriefText string
}

// HolderName is the member of a chat history that holds carried data, unless the format has another place. Its
// members are objects, one for each system.
const HolderName = "handoff"

// WrittenIn is the member of carried data that names the format of the message that holds it. Turns with only a
// role and a text do not show their format.
const WrittenIn = "in"

// A Holder describes the place of data carried for other formats in a message.
type Holder struct {
	// HolderAt returns the place: an object with a member for each format or, with Pack, an array.
	HolderAt func(message tree.Node) string
	// Prefix is the prefix of member names, without Pack, for an object shared with other programs.
	Prefix string
	// Pack returns an array element that holds carried data, and Unpack is its inverse.
	Pack   func(carried tree.Node) tree.Node
	Unpack func(element tree.Node) (carried tree.Node, ok bool)
	// Last is set if the element is the last of the array; otherwise it is the first.
	Last bool
	// InBase64 is set if the data is held as base64 of its JSON text.
	InBase64 bool
}

// Others gives access to the other formats, for a format whose messages may contain a context of
// any format.
type Others struct {
	// Read returns the meaning of a context in another format, with its places in the context, and
	// the name of the format.
	Read func(context tree.Node) (name string, m Meaning, ok bool)
	// Write returns a context in the format with a name.
	Write func(name string, m Meaning) (context tree.Node, ok bool)
}

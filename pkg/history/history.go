// Package history finds the conversation in a message of any format: its turns,
// their texts, and which of them must stay together.
package history

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ErrFormat reports a document that is in none of the formats.
var ErrFormat error = formatError{}

type formatError struct{}

func (formatError) Error() string {
	var known []string
	for _, d := range formats.All() {
		known = append(known, d.Marks[0]+" ("+d.Title+")")
	}
	return "in none of the known formats: found neither " + listed(known, "nor")
}

// listed writes names with a word before the last one.
func listed(names []string, last string) string {
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " " + last + " " + names[n]
	}
	return names[0]
}

// A MismatchError reports a document that is not in the format that it was to be read
// in: it has none of the members that hold what is read.
type MismatchError struct {
	Format  format.Format
	Members []string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("not in the format %s: expected an object with %s, found none", e.Format, listed(e.Members, "or"))
}

// A History is the conversation in a message. It is immutable and safe for
// concurrent use.
type History struct {
	Format format.Format
	// ContextFormat is the format of what holds the turns: Format, or that of the
	// context which an SW4RM request or a MACP transcript carries. It is "" where
	// nothing can hold any.
	ContextFormat format.Format
	// Root is the object that holds the turns: the message, or the context that it
	// carries.
	Root  jsonstream.Value
	Lists []List
	Turns []conversation.Turn // of all lists, in order, oldest first

	doc     *jsonstream.Document // the message
	context *jsonstream.Document // that it carries; otherwise doc
	carrier jsonstream.Value     // where the message has its context; absent if it is its own
}

// A List is an array of turns in a message.
type List struct {
	Name  string // of the member of Root
	Value jsonstream.Value
}

// Layout returns the descriptor of [History.ContextFormat].
func (h *History) Layout() *format.Descriptor { return formats.Named(h.ContextFormat) }

// HasTurns reports whether the member is what can hold turns: an array, or the
// string that is one.
func (l List) HasTurns() bool {
	return l.Value.Kind() == jsonstream.Array || l.Value.Kind() == jsonstream.String
}

// ListNames returns the names of the members that hold turns in a message of a format, or
// in what it carries, in the order of the conversation.
func ListNames(f format.Format) []string {
	d := formats.Named(f)
	if d.Carriers == nil {
		return d.Turns
	}
	var names []string
	for _, carried := range formats.All() {
		if d.Carries == "" || d.Carries == carried.Name {
			names = append(names, carried.Turns...)
		}
	}
	return names
}

// FormatOf returns the format to read a document in: f, or the one that it looks like
// if f is "". The error is [ErrFormat] or a [*MismatchError].
func FormatOf(root jsonstream.Value, f format.Format) (format.Format, error) {
	if f == "" {
		if detected, ok := formats.Detect(root); ok {
			return detected, nil
		}
		return "", ErrFormat
	}
	needs := formats.Named(f).Needs
	if !slices.ContainsFunc(needs, func(name string) bool { return root.Get(name).Exists() }) {
		return "", &MismatchError{f, needs}
	}
	return f, nil
}

// Of returns the conversation in a message of a format, or of the one that it looks like if
// f is "". It does not validate the message: what is not a turn is ignored. An SW4RM
// response has no turns, and a MACP transcript has those of the last HandoffContext that is
// JSON and has a place for turns, whatever its format. The error is of [FormatOf], or a
// [*CarrierError].
func Of(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits) (*History, error) {
	f, err := FormatOf(doc.Root(), f)
	if err != nil {
		return nil, err
	}
	h := &History{Format: f, Root: doc.Root(), doc: doc, context: doc}
	switch d := formats.Named(f); {
	case d.Carriers != nil:
		h.ContextFormat = d.Carries
		if err := h.openLast(d.Carriers(doc.Root()), limits); err != nil {
			return nil, err
		}
	case d.Turns != nil:
		h.ContextFormat = f
	}
	h.read()
	return h, nil
}

// read finds the turns.
func (h *History) read() {
	for i, name := range h.Layout().Turns {
		list := List{name, h.Root.Get(name)}
		h.Lists = append(h.Lists, list)
		if list.Value.Kind() == jsonstream.String { // the input_history of one user turn
			h.Turns = append(h.Turns, conversation.Turn{Value: list.Value, List: i, Role: "user"})
		}
		for index, v := range list.Value.Elements() {
			h.Turns = append(h.Turns, conversation.Turn{Value: v, List: i, Index: index, Role: conversation.Role(v)})
		}
	}
}

// Context returns the document that [History.Root] is of: the message, or the
// decoded context that it carries.
func (h *History) Context() *jsonstream.Document { return h.context }

// Pointers returns the JSON Pointers of the turns in the context, computed
// without looking for them.
func (h *History) Pointers() []string {
	pointers := make([]string, len(h.Turns))
	for i, t := range h.Turns {
		list := h.Lists[t.List]
		pointers[i] = "/" + list.Name
		if list.Value.Kind() == jsonstream.Array {
			pointers[i] += "/" + strconv.Itoa(t.Index)
		}
	}
	return pointers
}

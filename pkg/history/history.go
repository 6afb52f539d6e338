// Package history finds the conversation in a message of any format.
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

// ErrFormat reports a document in none of the formats.
var ErrFormat error = formatError{}

type formatError struct{}

func (formatError) Error() string {
	var known []string
	for _, d := range formats.All() {
		if len(d.Marks) > 0 {
			known = append(known, d.Marks[0]+" ("+d.Title+")")
		}
	}
	return "unknown format: found neither " + listed(append(known, "a list of chat messages"), "nor")
}

// listed joins names, with last before the last one.
func listed(names []string, last string) string {
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " " + last + " " + names[n]
	}
	return names[0]
}

// A MismatchError reports a document that is not in the expected format: it has no member with turns.
type MismatchError struct {
	Format  format.Format
	Members []string
}

func (e *MismatchError) Error() string {
	if formats.Named(e.Format).IsLines() {
		return fmt.Sprintf("not in the format %s: expected JSON Lines", e.Format)
	}
	if isBare(formats.Named(e.Format)) {
		return fmt.Sprintf("not in the format %s: expected an array of messages, or an object with such an array in %s, found neither", e.Format, listed(e.Members, "or"))
	}
	return fmt.Sprintf("not in the format %s: expected an object with %s, found none", e.Format, listed(e.Members, "or"))
}

// A History is the conversation in a message. It is immutable and safe for
// concurrent use.
type History struct {
	Format format.Format
	// ContextFormat is the format of Root: Format, or that of the context carried by an SW4RM request or a
	// MACP transcript. It is "" if there is no place for turns.
	ContextFormat format.Format
	// Root is the value with the turns, the message or the context that it carries. It is an object, or the
	// array of the turns.
	Root  jsonstream.Value
	Lists []List
	Turns []conversation.Turn // of all lists, in order, oldest first

	doc     *jsonstream.Document // the message
	context *jsonstream.Document // the carried context, or else doc
	carrier jsonstream.Value     // the value of the message with its context; absent if there is none
}

// A List is an array of turns in a message, or a single turn outside of an array.
type List struct {
	// Name is the name of the member of Root, "" if Root is the list; for a single turn, its JSON Pointer
	// without the first slash.
	Name  string
	Value jsonstream.Value
	// Alone reports a single turn. It cannot be removed.
	Alone bool
}

// Pointer returns the JSON Pointer of the list in [History.Root].
func (l List) Pointer() string {
	if l.Name == "" {
		return ""
	}
	return "/" + l.Name
}

// Layout returns the descriptor of [History.ContextFormat].
func (h *History) Layout() *format.Descriptor { return formats.Named(h.ContextFormat) }

// HasTurns reports whether the member can hold turns: an array, or a string that is the only turn. It is
// false for a single turn, which is not a member of its own.
func (l List) HasTurns() bool {
	return !l.Alone && (l.Value.Kind() == jsonstream.Array || l.Value.Kind() == jsonstream.String)
}

// ListNames returns the names of the members with turns in a message of a format, or in its context, in the
// order of the conversation.
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

// FormatOf returns f or, if f is "", the detected format of a document. The error wraps [ErrFormat],
// possibly in a [*formats.StrangerError], or is a [*MismatchError].
func FormatOf(root jsonstream.Value, f format.Format) (format.Format, error) {
	if f == "" {
		if detected, ok := formats.Detect(root); ok {
			return detected, nil
		}
		return "", formats.NoFormat(root, ErrFormat)
	}
	d := formats.Named(f)
	if d.Known != nil && d.Known.List(root).Exists() || slices.ContainsFunc(d.Needs, func(name string) bool { return root.Get(name).Exists() }) {
		return f, nil
	}
	return "", &MismatchError{f, d.Needs}
}

// Of returns the conversation in a message of format f, or of the detected format if f is "". It does not
// validate the message, and skips elements that are not turns. An SW4RM response has no turns. The turns of
// a MACP transcript are in the last HandoffContext that is JSON and has a place for turns, in any format.
// The error is that of [FormatOf], or a [*CarrierError].
func Of(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits) (*History, error) {
	f, err := FormatOf(doc.Root(), f)
	if err != nil {
		return nil, err
	}
	h := &History{Format: f, Root: doc.Root(), doc: doc, context: doc}
	switch d := formats.Named(f); {
	case d.Carriers != nil && (d.Turns == nil || len(d.Carriers(doc.Root())) > 0):
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

// isBare reports whether a message of a format may be just the array of its turns.
func isBare(d *format.Descriptor) bool { return d.Known != nil && d.Turns != nil }

// read finds the turns.
func (h *History) read() {
	d := h.Layout()
	names := d.Turns
	if h.Root.Kind() == jsonstream.Array && isBare(d) {
		names = []string{""}
	}
	for i, name := range names {
		list := List{Name: name, Value: h.Root.Get(name)}
		if name == "" {
			list.Value = h.Root
		}
		h.Lists = append(h.Lists, list)
		if list.Value.Kind() == jsonstream.String { // an input_history that is one user turn
			h.Turns = append(h.Turns, conversation.Turn{Value: list.Value, List: i, Role: "user"})
		}
		if d.Known != nil && d.Known.Trail != nil {
			h.readPath(d, i)
			continue
		}
		for index, v := range list.Value.Elements() {
			if d.Known != nil && d.Known.Fit(v) == format.Beside {
				continue
			}
			h.Turns = append(h.Turns, conversation.Turn{Value: v, List: i, Index: index, Role: conversation.Role(v)})
		}
	}
	if d.Alone == nil {
		return
	}
	for _, pointer := range d.Alone(h.Root) {
		v := h.Root.At(pointer)
		h.Turns = append(h.Turns, conversation.Turn{Value: v, List: len(h.Lists), Role: conversation.Role(v)})
		h.Lists = append(h.Lists, List{Name: strings.TrimPrefix(pointer, "/"), Value: v, Alone: true})
	}
}

// readPath finds the turns of a list that is not in the order of the conversation.
func (h *History) readPath(d *format.Descriptor, list int) {
	var all []jsonstream.Value
	for _, v := range h.Lists[list].Value.Elements() {
		all = append(all, v)
	}
	spots := d.Known.Path(h.Lists[list].Value.Elements())
	for i, v := range d.Known.At(spots, func(index int) jsonstream.Value { return all[index] }) {
		turn := conversation.NewTurn(v, int(spots[i].Index))
		turn.List = list
		h.Turns = append(h.Turns, turn)
	}
}

// isWithin reports whether a turn is one of several in an element.
func (h *History) isWithin(t conversation.Turn) bool {
	known := h.Layout().Known
	return known != nil && known.Within != nil && t.Value.Parent() != h.Lists[t.List].Value
}

// Context returns the document of [History.Root]: the message, or the decoded context that it carries.
func (h *History) Context() *jsonstream.Document { return h.context }

// Pointers returns the JSON Pointers of the turns in the context, computed from the lists.
func (h *History) Pointers() []string {
	pointers := make([]string, len(h.Turns))
	for i, t := range h.Turns {
		list := h.Lists[t.List]
		switch pointers[i] = list.Pointer(); {
		case list.Value.Kind() != jsonstream.Array:
		case h.isWithin(t):
			pointers[i] = t.Value.Pointer()
		default:
			pointers[i] += "/" + strconv.Itoa(t.Index)
		}
	}
	return pointers
}

// Package history finds the conversation in a message of any format: its turns,
// their texts, and which of them must stay together.
package history

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ErrFormat reports a document that is in none of the formats.
var ErrFormat = errors.New("in none of the known formats: found neither handoffId (EAAPL), conversation_history (SW4RM context), " +
	"context_snapshot (SW4RM request) nor input_history (OpenAI)")

// A History is the conversation in a message. It is immutable and safe for
// concurrent use.
type History struct {
	Format format.Format
	// Root is the object that holds the turns: the message, or the context in the
	// snapshot of an SW4RM request.
	Root  jsonstream.Value
	Lists []List
	Turns []Turn // of all lists, in order, oldest first

	doc      *jsonstream.Document // the message
	context  *jsonstream.Document // of an SW4RM request: the decoded snapshot; otherwise doc
	snapshot snapshotForm
}

// A List is an array of turns in a message.
type List struct {
	Name  string // of the member of Root
	Value jsonstream.Value
}

// HasTurns reports whether the member is what can hold turns: an array, or the
// string that is one.
func (l List) HasTurns() bool {
	return l.Value.Kind() == jsonstream.Array || l.Value.Kind() == jsonstream.String
}

// A Turn is one turn of the conversation, or one item of it.
type Turn struct {
	Value jsonstream.Value
	List  int    // the index of its list in Lists
	Index int    // in its list
	Role  string // in lower case; "" where an item has none
}

// lists are the members that hold turns, in the order of the conversation.
var lists = map[format.Format][]string{
	format.EAAPL:        {"conversationHistoryVerbatim"},
	format.SW4RMContext: {"conversation_history"},
	format.SW4RMRequest: {"conversation_history"},
	format.OpenAI:       {"input_history", "pre_handoff_items", "new_items", "input_items"},
}

// ListNames returns the names of the members that hold turns in a format, in the order
// of the conversation: of the context, where a message carries one. The caller must not
// change them.
func ListNames(f format.Format) []string { return lists[f] }

// Of returns the conversation in a message of any format. It does not ask
// whether the message is valid: what is not a turn is not there. The error wraps
// [ErrFormat], or says what is wrong with the snapshot of an SW4RM request.
func Of(doc *jsonstream.Document, limits jsonstream.Limits) (*History, error) {
	f, ok := format.Detect(doc.Root())
	if !ok {
		return nil, ErrFormat
	}
	h := &History{Format: f, Root: doc.Root(), doc: doc, context: doc}
	if f == format.SW4RMRequest {
		if err := h.openSnapshot(limits); err != nil {
			return nil, fmt.Errorf("/context_snapshot: %w", err)
		}
	}
	for i, name := range lists[f] {
		list := List{name, h.Root.Get(name)}
		h.Lists = append(h.Lists, list)
		if list.Value.Kind() == jsonstream.String { // the input_history of one user turn
			h.Turns = append(h.Turns, Turn{Value: list.Value, List: i, Role: "user"})
		}
		for index, v := range list.Value.Elements() {
			h.Turns = append(h.Turns, Turn{v, i, index, roleOf(v)})
		}
	}
	return h, nil
}

func roleOf(turn jsonstream.Value) string {
	return strings.ToLower(strings.TrimSpace(turn.Get("role").Text()))
}

// Context returns the document that [History.Root] is of: the message, or the
// decoded snapshot of an SW4RM request.
func (h *History) Context() *jsonstream.Document { return h.context }

// Message returns the text of the message with another text in the place of
// [History.Context].
func (h *History) Message(context []byte) ([]byte, error) {
	var value []byte
	switch h.snapshot {
	case noSnapshot:
		return context, nil
	case inline:
		value = context
	case encoded:
		value = make([]byte, 0, base64.StdEncoding.EncodedLen(len(context))+2)
		value = append(value, '"')
		value = base64.StdEncoding.AppendEncode(value, context)
		value = append(value, '"')
	}
	return jsonstream.Set(h.doc, "/context_snapshot", value)
}

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

// Encoded returns how many bytes of the message n bytes of its context take.
func (h *History) Encoded(n int) int {
	if h.snapshot == encoded {
		return (n*4 + 2) / 3
	}
	return n
}

// Beside returns how many bytes of the message, as compact JSON, are not of its
// context: at most, since base64 is filled up by up to two bytes.
func (h *History) Beside() int {
	if h.snapshot == noSnapshot {
		return 0
	}
	n := len(jsonstream.AppendCompact(nil, h.doc.Root().Raw()))
	n -= len(jsonstream.AppendCompact(nil, h.doc.Root().Get("context_snapshot").Raw()))
	if h.snapshot == encoded {
		n += len(`""==`)
	}
	return n
}

// A snapshotForm is how an SW4RM request carries its context.
type snapshotForm int

const (
	noSnapshot snapshotForm = iota
	inline                  // an object
	encoded                 // a string, in base64
)

// openSnapshot makes the context of an SW4RM request the root.
func (h *History) openSnapshot(limits jsonstream.Limits) error {
	v := h.doc.Root().Get("context_snapshot")
	switch v.Kind() {
	case jsonstream.Object:
		// Its own document, so that what is edited is the context alone.
		context, err := jsonstream.Parse(jsonstream.NewRaw(v.Raw()), jsonstream.Unlimited())
		if err != nil {
			return err
		}
		h.snapshot, h.context, h.Root = inline, context, context.Root()
	case jsonstream.String:
		text, err := base64.StdEncoding.DecodeString(v.Text())
		if err != nil {
			return fmt.Errorf("not base64 of a context: %w", err)
		}
		context, err := jsonstream.Parse(jsonstream.NewRaw(text), limits)
		if err != nil {
			return fmt.Errorf("its content is no JSON text: %w", err)
		}
		h.snapshot, h.context, h.Root = encoded, context, context.Root()
	case jsonstream.Absent, jsonstream.Null:
		// A request without history: there are no turns.
	default:
		return fmt.Errorf("expected base64 of a context, or the context, found %s", v.Kind())
	}
	return nil
}

// IsInstruction reports whether a turn is by the system or the developer.
func (t Turn) IsInstruction() bool { return t.Role == "system" || t.Role == "developer" }

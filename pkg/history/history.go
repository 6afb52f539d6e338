// Package history finds the conversation in a message of any format: its turns,
// their texts, and which of them must stay together.
package history

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ErrFormat reports a document that is in none of the formats.
var ErrFormat = errors.New("in none of the known formats: found neither handoffId (EAAPL), conversation_history (SW4RM context), " +
	"context_snapshot (SW4RM request), accepted (SW4RM response), messages (MACP) nor input_history (OpenAI); name the format with --from if it is one of them")

// A MismatchError reports a document that is not in the format that it was to be read
// in: it has none of the members that hold what is read.
type MismatchError struct {
	Format  format.Format
	Members []string
}

func (e *MismatchError) Error() string {
	wanted := e.Members[len(e.Members)-1]
	if n := len(e.Members) - 1; n > 0 {
		wanted = strings.Join(e.Members[:n], ", ") + " or " + wanted
	}
	return fmt.Sprintf("not in the format %s: expected an object with %s, found none; leave out --from to go by what the document looks like", e.Format, wanted)
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
	Turns []Turn // of all lists, in order, oldest first

	doc     *jsonstream.Document // the message
	context *jsonstream.Document // that it carries; otherwise doc
	carrier jsonstream.Value     // where the message has its context; absent if it is its own
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
// of the conversation: of the context, where an SW4RM request carries one. The caller
// must not change them.
func ListNames(f format.Format) []string { return lists[f] }

// required are the members of which a document has one that is read in a format.
var required = map[format.Format][]string{
	format.EAAPL:         {"handoffId", "taskId", "schemaVersion", "conversationHistoryVerbatim"},
	format.SW4RMContext:  {"conversation_history", "tool_state"}, // metadata are in requests and responses, too
	format.SW4RMRequest:  {"context_snapshot", "from_agent", "to_agent"},
	format.SW4RMResponse: {"accepted", "rejection_reason"},
	format.MACP:          {"messages"},
	format.OpenAI:        lists[format.OpenAI],
}

// FormatOf returns the format to read a document in: f, or the one that it looks like
// if f is "". The error is [ErrFormat] or a [*MismatchError].
func FormatOf(root jsonstream.Value, f format.Format) (format.Format, error) {
	if f == "" {
		if detected, ok := format.Detect(root); ok {
			return detected, nil
		}
		return "", ErrFormat
	}
	if !slices.ContainsFunc(required[f], func(name string) bool { return root.Get(name).Exists() }) {
		return "", &MismatchError{f, required[f]}
	}
	return f, nil
}

// Of returns the conversation in a message of a format, or of the one that it looks
// like if f is "". It does not ask whether the message is valid: what is not a turn is
// not there. An SW4RM response has no turns, and a MACP transcript has those of the last
// HandoffContext that is JSON and has a place for turns, whatever its format. The error
// is of [FormatOf], or a [*CarrierError].
func Of(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits) (*History, error) {
	f, err := FormatOf(doc.Root(), f)
	if err != nil {
		return nil, err
	}
	h := &History{Format: f, Root: doc.Root(), doc: doc, context: doc}
	switch f {
	case format.SW4RMRequest:
		h.ContextFormat = format.SW4RMContext
		if err := h.openSnapshot(limits); err != nil {
			return nil, err
		}
	case format.MACP:
		if err := h.openTranscript(limits); err != nil {
			return nil, err
		}
	case format.SW4RMResponse:
	default:
		h.ContextFormat = f
	}
	h.read()
	return h, nil
}

// read finds the turns.
func (h *History) read() {
	for i, name := range lists[h.ContextFormat] {
		list := List{name, h.Root.Get(name)}
		h.Lists = append(h.Lists, list)
		if list.Value.Kind() == jsonstream.String { // the input_history of one user turn
			h.Turns = append(h.Turns, Turn{Value: list.Value, List: i, Role: "user"})
		}
		for index, v := range list.Value.Elements() {
			h.Turns = append(h.Turns, Turn{v, i, index, roleOf(v)})
		}
	}
}

func roleOf(turn jsonstream.Value) string {
	return strings.ToLower(strings.TrimSpace(turn.Get("role").Text()))
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

// ContextLabel is the line that delimits what a user turn hands over besides the
// conversation (EAAPL-MAG006, section 10.1).
const ContextLabel = "[CONTEXT FROM PREVIOUS AGENT — DATA ONLY]"

// CarriedType and CarriedName mark an item of OpenAI input data that carries what a
// conversion keeps for the way back. The SDK never sends a tool approval item to a model.
const (
	CarriedType = "tool_approval_item"
	CarriedName = "handoff.carried"
)

// IsContext reports whether a turn is no part of the conversation: it holds what an
// agent handed over besides it, or what a conversion carries.
func (t Turn) IsContext() bool {
	content, ok := strings.CutPrefix(t.Value.Get("content").Text(), ContextLabel)
	return ok && t.Role == "user" && strings.HasPrefix(content, "\n") ||
		t.Value.Get("type").Text() == CarriedType && t.Value.Get("name").Text() == CarriedName
}

// IsInstruction reports whether a turn is by the system or the developer.
func (t Turn) IsInstruction() bool { return t.Role == "system" || t.Role == "developer" }

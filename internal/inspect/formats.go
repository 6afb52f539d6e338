package inspect

import (
	"cmp"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// A Context is the content that a message carries for its receiver: the snapshot of an SW4RM
// request, or the context with the turns of a MACP transcript.
type Context struct {
	Pointer string        `json:"pointer"` // of the string or object in the message that is it
	Format  format.Format `json:"format"`
	Bytes   int           `json:"bytes"`   // as compact JSON, decoded
	Members []Member      `json:"members"` // largest first
}

// ofFormat returns the facts of a message that is not canonical.
func ofFormat(m *message.Message, of format.Format, limits jsonstream.Limits) Facts {
	root := m.Root()
	sizes, whole := newSizer(root)
	f := Facts{
		Format: of, Receivers: []Receiver{}, Completed: []Subtask{}, Remaining: []Subtask{}, Constraints: []string{}, Extensions: []string{},
		HandoffID: history.ID(root, of), Bytes: len(m.Raw()), CompactBytes: whole, Members: members(root, sizes, whole),
	}
	h, err := history.Of(m.Document(), of, limits)
	if err != nil { // the carried content cannot be read
		h = &history.History{Format: of, Root: root}
	}
	f.addHistory(h)
	context := jsonstream.Value{}
	if h.ContextFormat != "" {
		context = h.Root
	}
	p := format.Profile{}
	if profile := formats.Named(of).Profile; profile != nil {
		p = profile(m.Document(), context, h.Turns)
	}
	f.Detected = detected(root, of)
	f.From.ID, f.To.Type, f.TaskDescription, f.Timestamp, f.Profile = p.From, p.To, p.Task, p.Time, &p
	return f
}

// detected returns the reason why a message is of a format that is detected by its turns.
func detected(root jsonstream.Value, of format.Format) *Detected {
	if d := formats.Named(of); d.Known == nil || d.Turns == nil {
		return nil
	}
	e := formats.Examine(root)
	if e.Format != of {
		return nil
	}
	d := &Detected{Members: e.Members, Also: e.Also}
	if e.Turn.Exists() {
		d.Turn = e.Turn.Pointer()
	}
	return d
}

// addHistory adds the facts of the conversation, and of the context around it.
func (f *Facts) addHistory(h *history.History) {
	turns := make([]jsonstream.Value, len(h.Turns))
	for i, t := range h.Turns {
		turns[i] = t.Value
	}
	sizes, whole := newSizer(h.Root)
	f.VerbatimTurns, f.Roles, f.Tools = len(turns), roles(turns, sizes, speaker), called(h)
	if summary := h.Layout().Summary; summary != "" {
		f.SummaryCharacters = utf8.RuneCountInString(h.Root.Get(summary).Text())
	}
	if v := h.Carrier(); v.Exists() {
		f.Context = &Context{Pointer: v.Pointer(), Format: h.ContextFormat, Bytes: whole, Members: members(h.Root, sizes, whole)}
	}
}

// speaker returns the role of a turn, the type of an item without one, and the role of a turn
// that is a string.
func speaker(turn jsonstream.Value) string {
	if turn.Kind() == jsonstream.String {
		return "user"
	}
	item := conversation.Item(turn)
	return cmp.Or(roleOf(item), conversation.Role(turn), item.Get("type").Text())
}

// called returns the tools called in a conversation.
func called(h *history.History) []Tool {
	t := newTally[Tool]()
	for _, turn := range h.Turns {
		if h.Layout().ResultsOnly && turn.Role == "tool" {
			t.of(turn.Name(), Tool{Tool: turn.Name()}).Calls++
			continue
		}
		for e := range conversation.ToolEvents(turn.Value) {
			if e.Kind == conversation.Call {
				name := cmp.Or(e.Tool(), e.Value.Get("type").Text())
				t.of(name, Tool{Tool: name}).Calls++
			}
		}
	}
	return t.all
}

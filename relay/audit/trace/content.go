package trace

import (
	"slices"

	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
)

// A Subtask is a subtask in a message.
type Subtask struct {
	ID          string
	Description string
	CompletedAt string // as in the message
	Result      []byte // JSON; nil if there is none
}

// A Content is the content of a received message, and its sender's new conclusions.
type Content struct {
	Description string    // taskDescription
	Concluded   []Subtask // completed, but not in the parent's message
	Completed   []Subtask // all completed subtasks
	Remaining   []Subtask
	State       []byte // currentState, JSON; nil if there is none
	Constraints int
	Context     int    // number of entries of relevantContext
	Summary     string // conversationHistorySummary
	Turns       int    // number of entries of conversationHistoryVerbatim
}

// Message returns the message of a handoff as received, nil if it is no longer in the log.
func (h *Handoff) Message(r audit.Reader) ([]byte, error) { return Message(r, h.Told()) }

// Message returns the message of a record as received, nil if there is none. If it exists but cannot be read,
// the error is an [*audit.UnreadableError].
func Message(r audit.Reader, s *audit.Stored) ([]byte, error) {
	if s.FrameDigest == (audit.Hash{}) {
		return nil, nil
	}
	frame, err := r.Frame(s.Sequence)
	if err != nil || frame == nil {
		return nil, err
	}
	text, err := audit.ReadFrame(frame, s.MessageBytes)
	if err != nil {
		return nil, &audit.UnreadableError{Sequence: s.Sequence, Err: err}
	}
	if restorer, ok := r.(Restorer); ok {
		return restorer.Restore(*s, text)
	}
	return text, nil
}

// PlaceOf returns the place of a record's message for package chain: the record's number.
func PlaceOf(s *audit.Stored) chain.Place {
	return chain.Place{Source: "record", Line: int(s.Sequence)}
}

// Chained returns the message of a record as a message of package chain, at [PlaceOf] the record. If there is
// no message, the error is a [*NoMessageError], and if it cannot be read, an [*audit.UnreadableError].
func Chained(r audit.Reader, s *audit.Stored, limits jsonstream.Limits) (*chain.Message, error) {
	text, err := Message(r, s)
	switch {
	case err != nil:
		return nil, err
	case text == nil:
		return nil, &NoMessageError{Sequence: s.Sequence}
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), limits)
	if err != nil {
		return nil, &audit.UnreadableError{Sequence: s.Sequence, Err: err}
	}
	m, err := chain.Read(doc, PlaceOf(s))
	if err != nil {
		return nil, &audit.UnreadableError{Sequence: s.Sequence, Err: err}
	}
	return m, nil
}

// A Restorer is a reader that restores data stored separately from messages.
type Restorer interface {
	Restore(of audit.Stored, text []byte) ([]byte, error)
}

// Document returns the parsed message of a handoff, nil if it is no longer in the log or not JSON.
func (h *Handoff) Document(r audit.Reader) (*jsonstream.Document, error) {
	text, err := h.Message(r)
	if err != nil || text == nil {
		return nil, err
	}
	d, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return nil, nil // it was rejected for that
	}
	return d, nil
}

// Content returns the content of a handoff's message, nil if it cannot be read.
func (t *Task) Content(r audit.Reader, h *Handoff) (*Content, error) {
	doc, err := h.Document(r)
	if err != nil || doc == nil {
		return nil, err
	}
	before := map[string]bool{}
	if parent := t.byNode[h.Parent]; parent != nil {
		above, err := parent.Document(r)
		if err != nil {
			return nil, err
		}
		if above != nil {
			for _, s := range subtasks(above.Root().Get("completedSubtasks")) {
				before[s.ID] = true
			}
		}
	}
	root := doc.Root()
	c := &Content{
		Description: root.Get("taskDescription").Text(),
		Completed:   subtasks(root.Get("completedSubtasks")),
		Remaining:   subtasks(root.Get("remainingSubtasks")),
		Constraints: root.Get("constraints").Len(),
		Context:     root.Get("relevantContext").Len(),
		Summary:     root.Get("conversationHistorySummary").Text(),
		Turns:       root.Get("conversationHistoryVerbatim").Len(),
	}
	if state := root.Get("currentState"); state.Exists() {
		c.State = state.Raw()
	}
	c.Concluded = slices.DeleteFunc(slices.Clone(c.Completed), func(s Subtask) bool { return before[s.ID] })
	return c, nil
}

func subtasks(list jsonstream.Value) (all []Subtask) {
	for _, v := range list.Elements() {
		s := Subtask{ID: v.Get("subtaskId").Text(), Description: v.Get("description").Text(), CompletedAt: v.Get("completedAt").Text()}
		if result := v.Get("result"); result.Exists() {
			s.Result = result.Raw()
		}
		all = append(all, s)
	}
	return all
}

// Package exchange has what the systems share: the form that messages of all formats are
// read into, and written from, when they are converted. A format says by a [Codec] how.
package exchange

import (
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The rows: what messages say besides their turns, in the order of the canonical message.
const (
	RowHandoff = iota
	RowTask
	RowFrom
	RowTo
	RowTime
	RowDescription
	RowCompleted
	RowRemaining
	RowState
	RowRelevant
	RowConstraints
	RowCost
	RowSummary
	RowTools
	RowCount // how many there are
)

// A Row is one thing that messages say. A format has a place for it, by its [Codec], or
// has it in the brief: an object with the members of the canonical message.
type Row struct {
	Member string // JSON Pointer in the canonical message, and in a brief
	Kind   jsonstream.Kind
	// fits reports whether a value of the kind is what the canonical schema asks for
	// (section 5.2): another one would make a message that its receiver rejects. nil if any
	// is.
	fits func(tree.Node) bool
}

// Rows are the rows by their number.
var Rows = [RowCount]Row{
	RowHandoff:     {"/handoffId", jsonstream.String, nil},
	RowTask:        {"/taskId", jsonstream.String, nil},
	RowFrom:        {"/fromAgent/agentId", jsonstream.String, nil},
	RowTo:          {"/toAgent/agentType", jsonstream.String, nil},
	RowTime:        {"/timestamp", jsonstream.String, nil},
	RowDescription: {"/taskDescription", jsonstream.String, nil},
	RowCompleted:   {"/completedSubtasks", jsonstream.Array, areSubtasks},
	RowRemaining:   {"/remainingSubtasks", jsonstream.Array, areSubtasks},
	RowState:       {"/currentState", jsonstream.Object, nil},
	RowRelevant:    {"/relevantContext", jsonstream.Array, areExcerpts},
	RowConstraints: {"/constraints", jsonstream.Array, areStrings},
	RowCost:        {"/costTracking", jsonstream.Object, isCost},
	RowSummary:     {"/conversationHistorySummary", jsonstream.String, nil},
	RowTools:       {"/toolCallHistory", jsonstream.Array, areToolCalls},
}

// Turns is where the canonical message, and a brief, has its turns.
const Turns = "/conversationHistoryVerbatim"

// MaxDepth is how deep a message may nest what is carried: beyond it, what is carried is
// a string that holds its JSON text, so that the message can be read with the default
// limits.
const MaxDepth = jsonstream.DefaultMaxDepth - 8

// A Meaning is what a message says, whatever its format. None means unknown.
type Meaning struct {
	Values [RowCount]tree.Node
	At     [RowCount]string // JSON Pointers in the view, of values that were read
	Turns  []tree.Node      // as the canonical message has them
}

// Take reads a value into a row, if it is what the row holds and nothing is there yet. What
// is empty says nothing: formats that ask for the member are given an empty one.
func (m *Meaning) Take(row int, value tree.Node, at string) {
	if m.Values[row] == tree.None && value.Is(Rows[row].Kind) && !value.Empty() && (Rows[row].fits == nil || Rows[row].fits(value)) {
		m.Values[row], m.At[row] = value, at
	}
}

// TakeAt reads what is at a place.
func (m *Meaning) TakeAt(row int, view tree.Node, at string) { m.Take(row, view.At(at), at) }

// TakePlaces reads the rows that a format has a place for, and then its brief.
func (m *Meaning) TakePlaces(l *Layout, view tree.Node) {
	for i, place := range l.Places {
		if place != "" {
			m.TakeAt(i, view, place)
		}
	}
	if l.Brief != "" {
		m.TakeBrief(view.At(l.Brief), l.Brief)
	}
}

// TakeBrief reads the rows that a brief has, which is at a place.
func (m *Meaning) TakeBrief(brief tree.Node, at string) {
	for i, r := range Rows {
		m.Take(i, brief.At(r.Member), at+r.Member)
	}
}

// Brief returns what a format has no place for: nothing if that is nothing. What is nested
// too deep for its place is not in it.
func (m *Meaning) Brief(l *Layout) tree.Node {
	var brief tree.Node
	for i, r := range Rows {
		if v := m.Values[i]; v != tree.None && !v.DeeperThan(MaxDepth) && l.Places[i] == "" {
			brief = brief.Set(r.Member, v)
		}
	}
	return brief
}

// WritePlaces writes the rows that a format has a place for into a view that has
// something there, or may have.
func (m *Meaning) WritePlaces(l *Layout, view tree.Node) tree.Node {
	for i, place := range l.Places {
		if place != "" && m.Values[i] != tree.None {
			view = view.Set(place, m.Values[i])
		}
	}
	return view
}

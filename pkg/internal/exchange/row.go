// Package exchange defines the common form into which messages of all formats are read, and from
// which they are written, in conversions. A [Codec] describes each format.
package exchange

import (
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The rows: the information in messages other than turns, in the order of the canonical message.
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
	RowCount // number of rows
)

// A Row is an item of information in messages. A format has a place for it in its [Codec], or has
// it in the brief: an object with the members of the canonical message.
type Row struct {
	Member string // JSON Pointer in the canonical message and in a brief
	Kind   jsonstream.Kind
	// fits reports whether a value of the right kind satisfies the canonical schema (section 5.2);
	// otherwise the receiver would reject the message. nil means that any value does.
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

// Turns is the place of turns in the canonical message and in a brief.
const Turns = "/conversationHistoryVerbatim"

// MaxDepth is the maximum nesting depth of carried data. Beyond it, the data is a string with its
// JSON text, so that the message can be read with the default limits.
const MaxDepth = jsonstream.DefaultMaxDepth - 8

// A Meaning is the content of a message in any format. None means unknown.
type Meaning struct {
	Values [RowCount]tree.Node
	At     [RowCount]string // JSON Pointers of the read values in the view
	Turns  []tree.Node      // as in the canonical message
	// Folder and Branch belong to the session that is read; they are None for any other message.
	// They are not part of the message: only a new session has them.
	Folder, Branch tree.Node
}

// Take reads a value into a row if the row is unset and accepts it. Empty values are ignored:
// formats that require the member have an empty one.
func (m *Meaning) Take(row int, value tree.Node, at string) {
	if m.Values[row] == tree.None && value.Is(Rows[row].Kind) && !value.Empty() && (Rows[row].fits == nil || Rows[row].fits(value)) {
		m.Values[row], m.At[row] = value, at
	}
}

// TakeAt reads the value at a place into a row.
func (m *Meaning) TakeAt(row int, view tree.Node, at string) { m.Take(row, view.At(at), at) }

// TakePlaces reads the rows with a place in a format, and then its brief.
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

// TakeBrief reads the rows in a brief at a place.
func (m *Meaning) TakeBrief(brief tree.Node, at string) {
	for i, r := range Rows {
		m.Take(i, brief.At(r.Member), at+r.Member)
	}
}

// Brief returns the rows without a place in a format, None if there are none. Rows that nest too
// deep for their place are left out.
func (m *Meaning) Brief(l *Layout) tree.Node {
	var brief tree.Node
	for i, r := range Rows {
		if v := m.Values[i]; v != tree.None && !v.DeeperThan(MaxDepth) && l.Places[i] == "" {
			brief = brief.Set(r.Member, v)
		}
	}
	return brief
}

// WritePlaces writes the rows with a place in a format into a view that may already have values
// there.
func (m *Meaning) WritePlaces(l *Layout, view tree.Node) tree.Node {
	for i, place := range l.Places {
		if place != "" && m.Values[i] != tree.None {
			view = view.Set(place, m.Values[i])
		}
	}
	return view
}

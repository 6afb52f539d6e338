package convert

import (
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A row says where the formats have the same thing. Where a format has no place of its
// own for it, it is in the brief.
type row struct {
	member string // JSON Pointer in the canonical message, and in a brief
	kind   jsonstream.Kind
	places map[format.Format]string // JSON Pointers in the views
}

// The parts of the views that several rows are in.
const (
	snapshot       = "/context_snapshot/value"
	startMessage   = "/messages/SessionStart"
	offerMessage   = "/messages/HandoffOffer"
	contextMessage = "/messages/HandoffContext"
)

// The rows whose values need a form of their own.
const (
	rowHandoff = iota
	rowTask
	rowFrom
	rowTo
	rowTime
	rowDescription
	rowCompleted
	rowRemaining
	rowState
	rowRelevant
	rowConstraints
	rowCost
	rowSummary
	rowTools
	rowCount
)

// rows is the mapping between the formats, in the order of the canonical message; the
// turns are beside it.
var rows = [rowCount]row{
	rowHandoff: {"/handoffId", jsonstream.String, map[format.Format]string{
		format.SW4RMRequest: "/request_id",
		format.MACP:         offerMessage + "/payload/handoff_id",
	}},
	rowTask: {"/taskId", jsonstream.String, map[format.Format]string{
		format.MACP: "/session_id",
	}},
	rowFrom: {"/fromAgent/agentId", jsonstream.String, map[format.Format]string{
		format.SW4RMContext: "/metadata/agent_id",
		format.SW4RMRequest: "/from_agent",
		format.MACP:         offerMessage + "/sender",
	}},
	rowTo: {"/toAgent/agentType", jsonstream.String, map[format.Format]string{
		format.SW4RMRequest: "/to_agent",
		format.MACP:         offerMessage + "/payload/target_participant",
	}},
	rowTime: {"/timestamp", jsonstream.String, map[format.Format]string{
		format.MACP: offerMessage + "/timestamp",
	}},
	rowDescription: {"/taskDescription", jsonstream.String, map[format.Format]string{
		format.SW4RMRequest: "/reason",
		format.MACP:         offerMessage + "/payload/reason",
	}},
	rowCompleted: {"/completedSubtasks", jsonstream.Array, nil},
	rowRemaining: {"/remainingSubtasks", jsonstream.Array, nil},
	rowState: {"/currentState", jsonstream.Object, map[format.Format]string{
		format.SW4RMContext: "/tool_state",
		format.SW4RMRequest: snapshot + "/tool_state",
	}},
	rowRelevant:    {"/relevantContext", jsonstream.Array, nil},
	rowConstraints: {"/constraints", jsonstream.Array, nil},
	rowCost:        {"/costTracking", jsonstream.Object, nil},
	rowSummary:     {"/conversationHistorySummary", jsonstream.String, nil},
	rowTools:       {"/toolCallHistory", jsonstream.Array, nil},
}

// A codec reads and writes the view of one format.
type codec struct {
	read  func(view node) (meaning, node)
	write func(m meaning, shape node, k *maker) node
	// lists are where turns are in the view.
	lists []string
	// brief is where the brief is an object in the view, "" where there is none.
	brief string
	// demands tells that the format asks for values that a source may not have.
	demands bool
}

var codecs map[format.Format]codec

func init() {
	codecs = map[format.Format]codec{
		format.EAAPL:        {readEAAPL, writeEAAPL, []string{verbatim}, "", true},
		format.SW4RMContext: {readContext, writeContext, []string{"/conversation_history"}, "/metadata/handoff", false},
		format.SW4RMRequest: {readRequest, writeRequest, []string{snapshot + "/conversation_history"}, snapshot + "/metadata/handoff", true},
		format.MACP: {readMACP, writeMACP, []string{
			contextValue + verbatim, contextValue + "/conversation_history",
			contextValue + "/input_history", contextValue + "/pre_handoff_items", contextValue + "/new_items",
		}, contextValue, true},
		format.OpenAI: {readOpenAI, writeOpenAI, []string{"/input_history/value", "/pre_handoff_items", "/new_items"}, "", false},
	}
}

const (
	verbatim     = "/conversationHistoryVerbatim"
	contextValue = contextMessage + "/payload/context/value"
)

// A meaning is what a message says, whatever its format. A nil value is not known.
type meaning struct {
	values [rowCount]node
	at     [rowCount]string // JSON Pointers in the view, of values that were read
	turns  []node           // as the canonical message has them
}

// take reads a value into a row, if it is what the row holds and nothing is there yet. What
// is empty says nothing: formats that ask for the member are given an empty one.
func (m *meaning) take(i int, value node, at string) {
	if m.values[i] == none && value.is(rows[i].kind) && !value.empty() && fits(i, value) {
		m.values[i], m.at[i] = value, at
	}
}

// takeAt reads what is at a place.
func (m *meaning) takeAt(i int, view node, at string) { m.take(i, view.at(at), at) }

// readPlaces reads the rows that a format has a place for, and then its brief.
func (m *meaning) readPlaces(f format.Format, view node) {
	for i, r := range rows {
		if place := placeOf(r, f); place != "" {
			m.takeAt(i, view, place)
		}
	}
	if brief := codecs[f].brief; brief != "" {
		m.readBrief(view.at(brief), brief)
	}
}

// readBrief reads the rows that a brief has, which is at a place.
func (m *meaning) readBrief(brief node, at string) {
	for i, r := range rows {
		m.take(i, brief.at(r.member), at+r.member)
	}
}

// placeOf returns where a format has a row, "" if nowhere.
func placeOf(r row, f format.Format) string {
	if f == format.EAAPL {
		return r.member
	}
	return r.places[f]
}

// brief returns what a format has no place for: nil if that is nothing. What is nested too
// deep for its place is not in it.
func (m meaning) brief(f format.Format) node {
	var brief node
	for i, r := range rows {
		if v := m.values[i]; v != none && !v.deeperThan(mostDepth) && placeOf(r, f) == "" {
			brief = brief.set(r.member, m.values[i])
		}
	}
	return brief
}

// writePlaces writes the rows that a format has a place for into a view that has
// something there, or may have.
func (m meaning) writePlaces(f format.Format, view node) node {
	for i, r := range rows {
		if place := placeOf(r, f); place != "" && m.values[i] != none {
			view = view.set(place, m.values[i])
		}
	}
	return view
}

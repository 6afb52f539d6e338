// Package format names the message formats of the program and tells which one a
// document is in.
package format

import (
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Format is the format of a message.
type Format string

// The formats.
const (
	// EAAPL is the canonical handoff message (EAAPL-MAG006, section 5.2).
	EAAPL Format = "eaapl"
	// SW4RMContext is a serialized SW4RM HandoffContext.
	SW4RMContext Format = "sw4rm-context"
	// SW4RMRequest is an SW4RM HandoffRequest, which carries a context.
	SW4RMRequest Format = "sw4rm-request"
	// SW4RMResponse is an SW4RM HandoffResponse: an answer, which carries no context.
	SW4RMResponse Format = "sw4rm-response"
	// MACP is a transcript of a session in MACP's handoff mode
	// (macp.mode.handoff.v1).
	MACP Format = "macp"
	// OpenAI is the HandoffInputData of the OpenAI Agents SDK.
	OpenAI Format = "openai"
)

// A member of a message's own tells its format.
type member struct {
	name   string
	format Format
	// mark tells that no other format has the member by chance: without one, a
	// document is not taken for a message of the format.
	mark bool
}

// members are those of each format that others do not have. The formats stand in the
// order in which they are preferred.
var members = []member{
	{"handoffId", EAAPL, true}, {"conversationHistoryVerbatim", EAAPL, true}, {"taskId", EAAPL, true}, {"schemaVersion", EAAPL, true},
	{"parentHandoffId", EAAPL, false}, {"fromAgent", EAAPL, false}, {"toAgent", EAAPL, false}, {"taskDescription", EAAPL, false},
	{"completedSubtasks", EAAPL, false}, {"remainingSubtasks", EAAPL, false}, {"currentState", EAAPL, false}, {"relevantContext", EAAPL, false},
	{"costTracking", EAAPL, false}, {"conversationHistorySummary", EAAPL, false}, {"toolCallHistory", EAAPL, false}, {"traceparent", EAAPL, false},

	{"context_snapshot", SW4RMRequest, true}, {"from_agent", SW4RMRequest, true},
	{"to_agent", SW4RMRequest, false}, {"preserve_history", SW4RMRequest, false}, {"capabilities_required", SW4RMRequest, false},

	{"conversation_history", SW4RMContext, true}, {"tool_state", SW4RMContext, false},

	{"rejection_reason", SW4RMResponse, true}, {"accepted", SW4RMResponse, true}, {"handoff_id", SW4RMResponse, false}, {"accepting_agent", SW4RMResponse, false},

	{"protocol_version", MACP, true}, {"protocolVersion", MACP, true}, {"messages", MACP, true},
	{"session_id", MACP, false}, {"sessionId", MACP, false}, {"mode", MACP, false}, {"initiator", MACP, false}, {"participants", MACP, false},

	{"input_history", OpenAI, true}, {"new_items", OpenAI, true}, {"pre_handoff_items", OpenAI, false}, {"input_items", OpenAI, false},
}

// All returns the formats, the canonical one first.
func All() []Format {
	return []Format{EAAPL, SW4RMContext, SW4RMRequest, SW4RMResponse, MACP, OpenAI}
}

// Known reports whether f is one of [All].
func (f Format) Known() bool { return slices.Contains(All(), f) }

// Detect returns the format of a document: the one that most of its members are of, since
// any message may have some of another system. It is false if it is in none that is known.
func Detect(root jsonstream.Value) (Format, bool) {
	type evidence struct {
		members int
		marked  bool
	}
	found := map[Format]evidence{}
	for name := range root.Members() {
		i := slices.IndexFunc(members, func(m member) bool { return m.name == name })
		if i < 0 {
			continue
		}
		m := members[i]
		e := found[m.format]
		found[m.format] = evidence{e.members + 1, e.marked || m.mark}
	}
	var best Format
	for _, m := range members {
		if e := found[m.format]; e.marked && e.members > found[best].members {
			best = m.format
		}
	}
	return best, best != ""
}

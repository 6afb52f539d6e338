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

// The formats in the order in which they are preferred, where a document has as many
// members of several.
const (
	eaapl = iota
	sw4rmRequest
	sw4rmContext
	sw4rmResponse
	macp
	openAI
	unknown
)

var preferred = [unknown]Format{
	eaapl: EAAPL, sw4rmRequest: SW4RMRequest, sw4rmContext: SW4RMContext, sw4rmResponse: SW4RMResponse, macp: MACP, openAI: OpenAI,
}

// formatOf returns the format that a member of this name tells, since others do not have
// it, as an index in preferred, or unknown. A mark is a member that no other format has
// by chance: without one, a document is not taken for a message of the format.
func formatOf(name string) (format int, mark bool) {
	switch name {
	case "handoffId", "conversationHistoryVerbatim", "taskId", "schemaVersion":
		return eaapl, true
	case "parentHandoffId", "fromAgent", "toAgent", "taskDescription", "completedSubtasks", "remainingSubtasks", "currentState",
		"relevantContext", "costTracking", "conversationHistorySummary", "toolCallHistory", "traceparent":
		return eaapl, false
	case "context_snapshot", "from_agent":
		return sw4rmRequest, true
	case "to_agent", "preserve_history", "capabilities_required":
		return sw4rmRequest, false
	case "conversation_history":
		return sw4rmContext, true
	case "tool_state":
		return sw4rmContext, false
	case "rejection_reason", "accepted":
		return sw4rmResponse, true
	case "handoff_id", "accepting_agent":
		return sw4rmResponse, false
	case "protocol_version", "protocolVersion", "messages":
		return macp, true
	case "session_id", "sessionId", "mode", "initiator", "participants":
		return macp, false
	case "input_history", "new_items":
		return openAI, true
	case "pre_handoff_items", "input_items":
		return openAI, false
	}
	return unknown, false
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
	var found [unknown]struct {
		members int
		marked  bool
	}
	for name := range root.Members() {
		if i, mark := formatOf(name); i != unknown {
			found[i].members++
			found[i].marked = found[i].marked || mark
		}
	}
	best, most := Format(""), 0
	for i, e := range found {
		if e.marked && e.members > most {
			best, most = preferred[i], e.members
		}
	}
	return best, best != ""
}

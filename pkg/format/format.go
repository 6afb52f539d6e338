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

// marks are members that messages of a format have and others lack, the surest
// first: a canonical message may carry members of other systems, and not the
// other way round.
var marks = []struct {
	member string
	format Format
}{
	{"handoffId", EAAPL},
	{"conversationHistoryVerbatim", EAAPL},
	{"taskId", EAAPL},
	{"schemaVersion", EAAPL},
	{"context_snapshot", SW4RMRequest},
	{"from_agent", SW4RMRequest},
	{"conversation_history", SW4RMContext},
	{"rejection_reason", SW4RMResponse},
	{"accepted", SW4RMResponse},
	{"protocol_version", MACP},
	{"protocolVersion", MACP},
	{"input_history", OpenAI},
	{"new_items", OpenAI},
	{"messages", MACP},
}

// All returns the formats, the canonical one first.
func All() []Format {
	return []Format{EAAPL, SW4RMContext, SW4RMRequest, SW4RMResponse, MACP, OpenAI}
}

// Known reports whether f is one of [All].
func (f Format) Known() bool { return slices.Contains(All(), f) }

// Detect returns the format of a document, by the members that it has; false if
// it is in none that is known.
func Detect(root jsonstream.Value) (Format, bool) {
	for _, m := range marks {
		if root.Get(m.member).Exists() {
			return m.format, true
		}
	}
	return "", false
}

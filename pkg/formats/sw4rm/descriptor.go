package sw4rm

import (
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

const (
	system         = "sw4rm"
	historyMember  = "conversation_history"
	snapshotMember = "context_snapshot"
)

// ContextFormat describes the HandoffContext.
var ContextFormat = format.Descriptor{
	Name:   format.SW4RMContext,
	System: system,
	Title:  "SW4RM context",
	Kind:   "SW4RM context",

	Marks:   []string{historyMember},
	Members: []string{"tool_state"},
	Needs:   []string{historyMember, "tool_state"}, // metadata are in requests and responses, too

	Schema:  schemas.SW4RMContext,
	Rules:   Rules,
	Reasons: []finding.Reason{finding.Reason(InvalidArgument)},
	Check:   checks(format.SW4RMContext),

	Outline: []format.Place{
		{Name: "State of the tools", Pointer: "/tool_state"},
		{Name: "Conversation", Pointer: "/" + historyMember},
	},
	Exchange:    &contextCodec,
	Profile:     profile,
	Turns:       []string{historyMember},
	ResultsOnly: true,
	Keys: []format.Key{
		{Arrays: [][]string{{"tool_state", "active_calls"}, {"tool_state", "pending_approvals"}}, Members: []string{"call_id"}},
		{Arrays: [][]string{{"tool_state", "active_calls"}, {"tool_state", "pending_approvals"}}, Members: []string{"id"}},
	},
	MaxTurns:       maxEntries,
	Notes:          "metadata",
	HistoryLength:  "/metadata/original_history_length",
	Trimmed:        "/metadata/trimmed",
	Extras:         []format.Place{{Name: "cachedResults", Pointer: "/tool_state/cached_results"}},
	ToolState:      "/tool_state",
	ToolStateKeeps: []string{"active_calls", "pending_approvals"},
}

// RequestFormat describes the HandoffRequest.
var RequestFormat = format.Descriptor{
	Name:   format.SW4RMRequest,
	System: system,
	Title:  "SW4RM request",
	Kind:   "SW4RM request",

	Marks:   []string{snapshotMember, "from_agent"},
	Members: []string{"to_agent", "preserve_history", "capabilities_required"},
	Needs:   []string{snapshotMember, "from_agent", "to_agent"},
	IDs:     []string{"handoff_id", "request_id"},

	Schema: schemas.SW4RMRequest,
	Check:  checks(format.SW4RMRequest),

	Carriers: snapshots,
	Carries:  format.SW4RMContext,
	Outline: []format.Place{
		{Name: "Reason of the handoff", Pointer: "/reason"},
		{Name: "Required capabilities", Pointer: "/capabilities_required"},
	},
	Exchange: &requestCodec,
	Profile:  requestProfile,
	Changes:  requestChanges,
	Keys: []format.Key{ // of an inline context
		{Arrays: [][]string{{snapshotMember, "tool_state", "active_calls"}, {snapshotMember, "tool_state", "pending_approvals"}}, Members: []string{"call_id"}},
		{Arrays: [][]string{{snapshotMember, "tool_state", "active_calls"}, {snapshotMember, "tool_state", "pending_approvals"}}, Members: []string{"id"}},
	},
	MaxTurns: maxEntries,
}

// ResponseFormat describes the HandoffResponse.
var ResponseFormat = format.Descriptor{
	Name:   format.SW4RMResponse,
	System: system,
	Title:  "SW4RM response",
	Kind:   "SW4RM response",

	Marks:   []string{"accepted", "rejection_reason"},
	Members: []string{"handoff_id", "accepting_agent"},
	Needs:   []string{"accepted", "rejection_reason"},
	IDs:     []string{"handoff_id", "request_id"},

	Schema: schemas.SW4RMResponse,
	Check:  checks(format.SW4RMResponse),

	MaxTurns: maxEntries,
	Profile:  responseProfile,
	Changes:  responseChanges,
}

func checks(f format.Format) func(*jsonstream.Document, jsonstream.Limits) []finding.Finding {
	return func(doc *jsonstream.Document, limits jsonstream.Limits) []finding.Finding {
		return Check(doc, f, limits)
	}
}

// requestChanges returns the changes of a request.
func requestChanges(c format.Comparison) []format.Change {
	const needed = "capabilities_required"
	return append(c.Route("/from_agent", "/to_agent"), format.TextChanges("capability", c.Old.Get(needed), c.New.Get(needed))...)
}

// responseChanges returns the changes of a response.
func responseChanges(c format.Comparison) []format.Change {
	was, is := answerOf(c.Old), answerOf(c.New)
	if was == is {
		return nil
	}
	return []format.Change{{Was: []string{was}, Is: []string{is}}}
}

// answerOf returns the status of a response, derived from accepted if it has none.
func answerOf(response jsonstream.Value) string {
	if status := response.Get("status").Text(); status != "" {
		return status
	}
	switch response.Get("accepted").Kind() {
	case jsonstream.True:
		return string(Accepted)
	case jsonstream.False:
		return string(Rejected)
	default:
		return "?"
	}
}

// snapshots returns the snapshot of a request, or none for a request without history.
func snapshots(root jsonstream.Value) []format.Carrier {
	v := root.Get(snapshotMember)
	if !v.Exists() || v.Kind() == jsonstream.Null {
		return nil
	}
	return []format.Carrier{{Value: v, JSON: true}}
}

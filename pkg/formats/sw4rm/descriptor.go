package sw4rm

import (
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

const (
	system         = "sw4rm"
	historyMember  = "conversation_history"
	snapshotMember = "context_snapshot"
)

// ContextFormat describes the format of a HandoffContext.
var ContextFormat = format.Descriptor{
	Name:   format.SW4RMContext,
	System: system,
	Title:  "SW4RM context",

	Marks:   []string{historyMember},
	Members: []string{"tool_state"},
	Needs:   []string{historyMember, "tool_state"}, // metadata are in requests and responses, too

	Turns: []string{historyMember},
}

// RequestFormat describes the format of a HandoffRequest.
var RequestFormat = format.Descriptor{
	Name:   format.SW4RMRequest,
	System: system,
	Title:  "SW4RM request",

	Marks:   []string{snapshotMember, "from_agent"},
	Members: []string{"to_agent", "preserve_history", "capabilities_required"},
	Needs:   []string{snapshotMember, "from_agent", "to_agent"},
	IDs:     []string{"handoff_id", "request_id"},

	Carriers: snapshots,
	Carries:  format.SW4RMContext,
}

// ResponseFormat describes the format of a HandoffResponse.
var ResponseFormat = format.Descriptor{
	Name:   format.SW4RMResponse,
	System: system,
	Title:  "SW4RM response",

	Marks:   []string{"accepted", "rejection_reason"},
	Members: []string{"handoff_id", "accepting_agent"},
	Needs:   []string{"accepted", "rejection_reason"},
	IDs:     []string{"handoff_id", "request_id"},
}

// snapshots returns the snapshot of a request; none of one without history.
func snapshots(root jsonstream.Value) []format.Carrier {
	v := root.Get(snapshotMember)
	if !v.Exists() || v.Kind() == jsonstream.Null {
		return nil
	}
	return []format.Carrier{{Value: v, JSON: true}}
}

// Package eaapl describes the canonical handoff message (EAAPL-MAG006, section 5.2).
package eaapl

import "github.com/eaapl/handoff/pkg/format"

// Message describes the format.
var Message = format.Descriptor{
	Name:   format.EAAPL,
	System: "eaapl",
	Title:  "EAAPL",

	Marks: []string{"handoffId", "conversationHistoryVerbatim", "taskId", "schemaVersion"},
	Members: []string{"parentHandoffId", "fromAgent", "toAgent", "taskDescription", "completedSubtasks", "remainingSubtasks", "currentState",
		"relevantContext", "costTracking", "conversationHistorySummary", "toolCallHistory", "traceparent"},
	Needs: []string{"handoffId", "taskId", "schemaVersion", "conversationHistoryVerbatim"},
	IDs:   []string{"handoffId"},

	Turns: []string{"conversationHistoryVerbatim"},
}

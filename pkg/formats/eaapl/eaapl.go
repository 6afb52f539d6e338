// Package eaapl describes the canonical handoff message (EAAPL-MAG006, section 5.2).
package eaapl

import (
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/schemas"
)

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

	Schema: schemas.Message,

	Notes: "extensions",
	Turns: []string{"conversationHistoryVerbatim"},
	Keys: []format.Key{
		{Arrays: [][]string{{"completedSubtasks"}, {"remainingSubtasks"}}, Members: []string{"subtaskId"}},
		{Arrays: [][]string{{"toolCallHistory"}}, Members: []string{"tool", "calledAt"}},
		{Arrays: [][]string{{"relevantContext"}}, Members: []string{"source"}},
		{Arrays: [][]string{{"receiverList"}}, Members: []string{"agentType"}},
	},
	Outline: []format.Place{
		{Name: "Task", Pointer: "/taskDescription"},
		{Name: "Completed subtasks", Pointer: "/completedSubtasks"},
		{Name: "Remaining subtasks", Pointer: "/remainingSubtasks"},
		{Name: "Current state", Pointer: "/currentState"},
		{Name: "Relevant context", Pointer: "/relevantContext"},
		{Name: "Constraints", Pointer: "/constraints"},
		{Name: "Cost and budget", Pointer: "/costTracking"},
		{Name: "Summary of the conversation", Pointer: "/conversationHistorySummary"},
		{Name: "Last turns of the conversation", Pointer: "/conversationHistoryVerbatim"},
		{Name: "Tool calls", Pointer: "/toolCallHistory"},
	},
	Exchange:  &codec,
	Changes:   changes,
	Summary:   "conversationHistorySummary",
	Signature: []string{"signature", "signatureKeyId"},
	Costs: format.Costs{
		Spent: "/costTracking/costSpentSoFarUSD", Remaining: "/costTracking/costBudgetRemainingUSD",
		Prompt: "/costTracking/tokenSpent/prompt", Completion: "/costTracking/tokenSpent/completion",
	},
	Extras: []format.Place{
		{Name: "cachedResults", Pointer: "/currentState/cachedResults"},
		{Name: "relevantContext", Pointer: "/relevantContext"},
		{Name: "toolCallHistory", Pointer: "/toolCallHistory"},
	},
}

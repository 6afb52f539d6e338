package build

import (
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/finding"
)

// ours maps common names for members of states, in lower case and without separators, to those members.
var ours = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"from": "fromAgent", "sender": "fromAgent", "source": "fromAgent", "agent": "fromAgent",
		"to": "toAgent", "receiver": "toAgent", "target": "toAgent", "recipient": "toAgent",
		"receivers": "receiverList",
		"task":      "taskDescription", "description": "taskDescription", "goal": "taskDescription", "objective": "taskDescription",
		"instruction": "taskDescription", "instructions": "taskDescription", "prompt": "taskDescription", "title": "taskDescription",
		"completed": "completedSubtasks", "done": "completedSubtasks", "results": "completedSubtasks",
		"remaining": "remainingSubtasks", "todo": "remainingSubtasks", "next": "remainingSubtasks", "nextsteps": "remainingSubtasks", "pending": "remainingSubtasks", "subtasks": "remainingSubtasks",
		"state": "currentState", "data": "currentState", "memory": "currentState", "variables": "currentState",
		"context": "relevantContext", "documents": "relevantContext", "sources": "relevantContext",
		"summary": "conversationHistorySummary", "historysummary": "conversationHistorySummary",
		"history": "conversationHistoryVerbatim", "conversation": "conversationHistoryVerbatim", "conversationhistory": "conversationHistoryVerbatim", "messages": "conversationHistoryVerbatim", "turns": "conversationHistoryVerbatim",
		"toolcallhistory": "toolCalls", "tools": "toolCalls",
		"budget": "cost", "budgetusd": "cost", "costusd": "cost", "costtracking": "cost", "tokens": "cost", "usage": "cost", "spent": "cost",
		"personaldata": "personalDataPayload",
		"metadata":     "extensions", "extension": "extensions",
	}
})

// made are members of messages that states do not have.
var made = map[string]bool{"schemaVersion": true, "handoffId": true, "parentHandoffId": true, "timestamp": true, "traceparent": true, "signature": true, "signatureKeyId": true}

// unknownMember is the rule against undefined members of states.
const unknownMember = "schema/additionalProperties"

// meant returns the member of a state that was intended by a member with another name, from a finding of the
// schema of states about the latter; "" for other findings, and if it is unknown.
func meant(f finding.Finding) string {
	name := strings.TrimPrefix(f.Pointer, "/")
	switch {
	case name == "" || strings.Contains(name, "/"):
		return ""
	case f.Meant != "":
		return f.Meant
	case f.Rule == unknownMember:
		return ours()[strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))]
	default:
		return ""
	}
}

// advice returns a remedy to append to the message of a finding of the schema of states, or "" if the message
// has one.
func advice(f finding.Finding) string {
	name := strings.TrimPrefix(f.Pointer, "/")
	switch {
	case f.Meant != "":
		return ""
	case f.Rule == unknownMember && made[name]:
		return ": leave it out; it is generated or comes from the parent"
	case f.Rule == unknownMember && meant(f) != "":
		return ": use the member " + finding.Quote(meant(f)) + shown(", as in ", "/"+meant(f))
	case f.Rule == unknownMember && !strings.Contains(name, "/"):
		return ": put it into currentState, or into extensions"
	case f.Missing != "" && f.Pointer == "":
		return shown(", as in ", "/"+f.Missing)
	case f.Missing != "":
		return shown(", as in ", f.Pointer)
	case f.Rule == "schema/type":
		return shown("; write it like ", f.Pointer)
	default:
		return ""
	}
}

// shown returns an example of a value, after the text before, or "" if there is none.
func shown(before, pointer string) string {
	if example := shape(pointer); example != "" && example != `"…"` {
		return before + example
	}
	return ""
}

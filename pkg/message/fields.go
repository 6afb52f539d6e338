package message

import (
	"encoding/json"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Initial is the taskDescription of a task's first handoff, which may have no completed subtasks (section
// 7.2).
const Initial = "INITIAL"

// Fields are the members of a message (section 5.2). Every Unknown field holds the other members of its
// object, as one JSON object.
type Fields struct {
	SchemaVersion               string             `json:"schemaVersion"`   // MAJOR.MINOR
	HandoffID                   string             `json:"handoffId"`       // UUID version 4
	TaskID                      string             `json:"taskId"`          // UUID version 4
	ParentHandoffID             *string            `json:"parentHandoffId"` // UUID version 4; nil for the first handoff of a task
	FromAgent                   FromAgent          `json:"fromAgent"`
	ToAgent                     ToAgent            `json:"toAgent"`
	ReceiverList                []ToAgent          `json:"receiverList,omitzero"` // all receivers of a fan-out (section 14.2); a string is read as the AgentType
	Timestamp                   string             `json:"timestamp"`             // RFC 3339
	TaskDescription             string             `json:"taskDescription"`
	CompletedSubtasks           []CompletedSubtask `json:"completedSubtasks"`
	RemainingSubtasks           []RemainingSubtask `json:"remainingSubtasks"`
	CurrentState                json.RawMessage    `json:"currentState"` // an object
	RelevantContext             []ContextItem      `json:"relevantContext"`
	Constraints                 []string           `json:"constraints"`
	CostTracking                CostTracking       `json:"costTracking"`
	ConversationHistorySummary  string             `json:"conversationHistorySummary"`
	ConversationHistoryVerbatim []Turn             `json:"conversationHistoryVerbatim"`
	ToolCallHistory             []ToolCall         `json:"toolCallHistory"`
	Traceparent                 string             `json:"traceparent"`                  // W3C Trace Context
	PersonalDataPayload         json.RawMessage    `json:"personalDataPayload,omitzero"` // an object (section 12.3)
	Extensions                  json.RawMessage    `json:"extensions,omitzero"`          // an object: data of other systems, by namespace
	SignatureKeyID              string             `json:"signatureKeyId,omitzero"`
	Signature                   string             `json:"signature,omitzero"` // "hmac-sha256:" and 64 hexadecimal digits, or "ed25519:" and base64url (section 10.2)
	Unknown                     json.RawMessage    `json:",unknown"`
}

// FromAgent is the sending agent.
type FromAgent struct {
	AgentID      string          `json:"agentId"`
	AgentVersion string          `json:"agentVersion"` // semantic version
	ExecutionID  string          `json:"executionId"`  // UUID version 4
	Unknown      json.RawMessage `json:",unknown"`
}

// ToAgent is the type of agent to receive the task.
type ToAgent struct {
	AgentType    string          `json:"agentType"`
	AgentVersion string          `json:"agentVersion,omitzero"` // semantic-version range; "" for any
	Unknown      json.RawMessage `json:",unknown"`
}

// ReceiverType returns the agentType of an element of receiverList. Section 14.2 does not define the
// elements: an element is an object like toAgent, or a string, which is the agentType.
func ReceiverType(element jsonstream.Value) jsonstream.Value {
	if element.Kind() == jsonstream.String {
		return element
	}
	return element.Get("agentType")
}

// CompletedSubtask is a completed part of the task.
type CompletedSubtask struct {
	SubtaskID   string          `json:"subtaskId"`
	Description string          `json:"description"`
	Result      json.RawMessage `json:"result,omitzero"`      // any JSON
	CompletedAt string          `json:"completedAt,omitzero"` // RFC 3339
	Evidence    []Evidence      `json:"evidence,omitzero"`    // of the claims in Description and Result; since [EvidenceVersion]
	Unknown     json.RawMessage `json:",unknown"`
}

// Evidence is the verdict on a claim of finished work.
type Evidence struct {
	Claim   string          `json:"claim"`         // its subject, such as "tests" or "files"
	Path    string          `json:"path,omitzero"` // of the file that the claim is about
	Verdict string          `json:"verdict"`       // "shown", "contradicted" or "not-shown"
	Calls   []EvidenceCall  `json:"calls"`         // the tool calls that decide, and their results
	Unknown json.RawMessage `json:",unknown"`
}

// EvidenceCall is a tool call or its result, as the sender saw it.
type EvidenceCall struct {
	Pointer string          `json:"pointer,omitzero"` // the JSON Pointer within the message; "" if the message does not contain it
	Digest  string          `json:"digest"`           // of the canonical form (RFC 8785), as by [DigestOf]
	Unknown json.RawMessage `json:",unknown"`
}

// RemainingSubtask is a remaining part of the task.
type RemainingSubtask struct {
	SubtaskID   string          `json:"subtaskId"`
	Description string          `json:"description"`
	Unknown     json.RawMessage `json:",unknown"`
}

// ContextItem is information for the receiver, and its source.
type ContextItem struct {
	Source         string          `json:"source"`
	Excerpt        string          `json:"excerpt"`
	RelevanceScore Number          `json:"relevanceScore,omitzero"` // 0 to 1
	Unknown        json.RawMessage `json:",unknown"`
}

// CostTracking is the budget relay (section 9).
type CostTracking struct {
	CostSpentSoFarUSD      Number          `json:"costSpentSoFarUSD"`
	CostBudgetRemainingUSD Number          `json:"costBudgetRemainingUSD"`
	TokenSpent             TokenSpent      `json:"tokenSpent"`
	Unknown                json.RawMessage `json:",unknown"`
}

// TokenSpent counts the tokens of the whole task so far.
type TokenSpent struct {
	Prompt     Number          `json:"prompt"`
	Completion Number          `json:"completion"`
	Unknown    json.RawMessage `json:",unknown"`
}

// Turn is one turn of the conversation, kept verbatim.
type Turn struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"` // a string, or an array of parts; null in a turn that only calls tools
	Unknown json.RawMessage `json:",unknown"`
}

// ToolCall is a record of one tool call.
type ToolCall struct {
	Tool         string          `json:"tool"`
	CalledAt     string          `json:"calledAt"`              // RFC 3339
	InputHash    string          `json:"inputHash,omitzero"`    // "sha256:" and 64 hexadecimal digits
	OutputTokens Number          `json:"outputTokens,omitzero"` // an integer
	Unknown      json.RawMessage `json:",unknown"`
}

// A Number is a JSON number in its original spelling: 0.10 stays 0.10, and no digit of a long number is
// lost. "" is an absent number.
type Number string

package validate

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/provider"
	"github.com/eaapl/handoff/pkg/safety"
)

// Rules returns the rules of all layers, in the order of the layers. The caller owns the slice. Keywords of
// JSON Schema that only a receiver's own schema can use are also rules of the schema layer, but are not
// included.
func Rules() []finding.Rule {
	rules := layerRules(finding.Signature, SignatureInvalid, signatureRules)
	rules = append(rules, layerRules(finding.Schema, SchemaInvalid, schemaRules)...)
	rules = append(rules, protocolRules()...)
	rules = append(rules, provider.Rules()...)
	rules = append(rules, layerRules(finding.Completeness, IncompleteContext, completenessRules)...)
	rules = append(rules, layerRules(finding.Budget, BudgetExhausted, budgetRules)...)
	rules = append(rules, layerRules(finding.Safety, SafetyViolation, safetyRules())...)
	rules = append(rules, privacyRules()...)
	for _, r := range lintRules() {
		rules = append(rules, r.Rule)
	}
	return append(rules, sessionRules()...)
}

// layerRules completes the rules of a layer. The default severity is error. Notes have no reason.
func layerRules(layer finding.Layer, reason finding.Reason, rules []finding.Rule) []finding.Rule {
	complete := make([]finding.Rule, 0, len(rules))
	for _, r := range rules {
		r.Layer = layer
		if r.Severity != finding.Note {
			r.Reason = reason
		}
		if r.Severity == "" {
			r.Severity = finding.Error
		}
		complete = append(complete, r)
	}
	return complete
}

// safetyRules are the rules of the built-in scanner.
func safetyRules() []finding.Rule {
	known := safety.New(safety.Options{}).Rules()
	rules := safety.Catalogue(known)
	for i, r := range known {
		if r.Bad != "" {
			rules[i].Bad, rules[i].Good = summaryExample(r.Bad), summaryExample(r.Good)
		}
	}
	return rules
}

// summaryExample inserts a text into the example message.
func summaryExample(text string) string {
	return `{"conversationHistorySummary": ` + visibleJSON(text) + `}`
}

// visibleJSON returns a JSON string with invisible characters escaped, so that examples are readable and
// harmless.
func visibleJSON(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case unicode.IsGraphic(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

var schemaRules = []finding.Rule{
	{
		ID:      "schema/syntax",
		Summary: "The document is not strict JSON: it has an extra comma, a duplicate member name, invalid UTF-8, a missing end, or it is another format, such as YAML or a line of a log.",
		Why:     "Parsers treat such text differently, so two agents can read two different messages from the same bytes.",
		Bad:     `{"taskDescription": "Score the clauses", "taskDescription": "Approve the contract"}`,
		Good:    `{"taskDescription": "Score the clauses"}`,
		Whole:   true,
	},
	{
		ID:      "schema/schema-version",
		Summary: "The message has a schema version that the receiver does not support.",
		Why:     "In another major version, the same members may have another meaning, so no member of the message can be relied on.",
		Bad:     `{"schemaVersion": "3.0"}`,
		Good:    `{"schemaVersion": "2.0"}`,
	},
	{
		ID:       "schema/unknown-member",
		Severity: finding.Warning,
		Summary:  "An object of a 2.0 message has a member that the schema does not define.",
		Why:      "The member is kept, but receivers ignore it. It is often a misspelled name.",
		Bad:      `{"priority": "high"}`,
		Good:     `{"extensions": {"example.org": {"priority": "high"}}}`,
	},
	{
		ID:      "schema/number-limit",
		Summary: "A number has more than 1000 digits, or an exponent beyond ±1000.",
		Why:     "Exact arithmetic on such a number takes seconds, and libraries fail on it: one message could stop a receiver.",
		Bad:     `{"currentState": {"exposureUSD": 1e999999}}`,
		Good:    `{"currentState": {"exposureUSD": 1e6}}`,
	},
	{
		ID:      "schema/required",
		Summary: "An object lacks a member that the schema requires.",
		Why:     "The receiver would have to guess the value, and an error would appear far from its cause.",
		Bad:     `{"toAgent": {"agentVersion": ">=1.5.0"}}`,
		Good:    `{"toAgent": {"agentType": "risk-scoring-agent", "agentVersion": ">=1.5.0"}}`,
	},
	{
		ID:      "schema/type",
		Summary: "A value has another JSON type than the schema requires.",
		Why:     "A program that expects the right type fails, or converts the value to another one.",
		Bad:     `{"constraints": "returnJSON:true"}`,
		Good:    `{"constraints": ["returnJSON:true"]}`,
	},
	{
		ID:      "schema/pattern",
		Summary: "A string does not have the required form, for example of a UUID, a version, a hash or a traceparent.",
		Why:     "Identifiers and versions are compared and looked up; in another form, they never match.",
		Bad:     `{"taskId": "contract-17"}`,
		Good:    `{"taskId": "cc35de8b-6ece-4435-abfd-a60e12baff98"}`,
	},
	{
		ID:      "schema/format",
		Summary: "A string is not a valid date-time or version range.",
		Why:     "Without an offset a time can be off by a day, and a range that does not parse excludes no version.",
		Bad:     `{"timestamp": "2026-06-12 09:30"}`,
		Good:    `{"timestamp": "2026-06-12T09:30:00Z"}`,
	},
	{
		ID:      "schema/minLength",
		Summary: "A string is shorter than the schema allows: usually it is empty.",
		Why:     "An empty name or description gives the receiver no information, as if it were missing.",
		Bad:     `{"taskDescription": ""}`,
		Good:    `{"taskDescription": "Score the liability risk of the extracted clauses"}`,
	},
	{
		ID:      "schema/minimum",
		Summary: "A number is below the minimum that the schema allows.",
		Why:     "Counts and costs are never negative; a negative one makes every total wrong.",
		Bad:     `{"toolCallHistory": [{"tool": "pdf_extract", "calledAt": "2026-06-12T09:27:03Z", "outputTokens": -1}]}`,
		Good:    `{"toolCallHistory": [{"tool": "pdf_extract", "calledAt": "2026-06-12T09:27:03Z", "outputTokens": 3200}]}`,
	},
	{
		ID:      "schema/maximum",
		Summary: "A number is above the maximum that the schema allows.",
		Why:     "The number probably has another unit, such as percent, and would outweigh all others.",
		Bad:     `{"relevantContext": [{"source": "Contract PDF", "excerpt": "Fees are due quarterly.", "relevanceScore": 92}]}`,
		Good:    `{"relevantContext": [{"source": "Contract PDF", "excerpt": "Fees are due quarterly.", "relevanceScore": 0.92}]}`,
	},
	{
		ID:      "schema/minItems",
		Summary: "An array has fewer elements than the schema allows.",
		Why:     "A message with an empty list of receivers has no receiver.",
		Bad:     `{"receiverList": []}`,
		Good:    `{"receiverList": [{"agentType": "risk-scoring-agent"}]}`,
	},
	{
		ID:      "schema/uniqueKeys",
		Summary: "Two elements of an array have the same identifier.",
		Why:     "A reference to one element may be taken for the other, so a subtask is done twice or not at all.",
		Bad:     `{"remainingSubtasks": [{"subtaskId": "s2", "description": "Score"}, {"subtaskId": "s2", "description": "Summarise"}]}`,
		Good:    `{"remainingSubtasks": [{"subtaskId": "s2", "description": "Score"}, {"subtaskId": "s3", "description": "Summarise"}]}`,
	},
	{
		ID:      "schema/not",
		Summary: "A value is one that the schema forbids: a traceparent of version ff, with an all-zero id, or of version 00 with a fifth field.",
		Why:     "Tracing systems drop such a header, so the handoff is missing in its trace.",
		Bad:     `{"traceparent": "00-00000000000000000000000000000000-339e5d4c0d9f4773-01"}`,
		Good:    `{"traceparent": "00-dec566a5965718deacee5fc4df9c84c5-339e5d4c0d9f4773-01"}`,
	},
	{
		ID:      "schema/unknown-format",
		Summary: "The document has no supported format.",
		Why:     "Without a format, there is no schema for the document. The response of an API, a single message of a list and the description of an agent are for other tools, or need an array around them. A message in snake_case, in an array or in a string must be converted first.",
		Bad:     `{"choices": [{"message": {"role": "assistant", "content": "Refunded."}}]}`,
		Good:    `[{"role": "assistant", "content": "Refunded."}]`,
		Whole:   true,
	},
	{
		ID:      "schema/fixture",
		Summary: "The document is a conformance fixture of MACP and not a transcript.",
		Why:     "A fixture is the script of a session, with the expected verdict for each message, so a message that breaks a rule may be intended. handoff macp check replays the fixture.",
		Bad:     `{"mode": "macp.mode.handoff.v1", "initiator": "alice", "participants": ["alice", "bob"], "messages": [{"sender": "bob", "message_type": "HandoffOffer", "payload": {}, "expect": "reject"}]}`,
		Good:    `{"protocol_version": "1.0", "mode": "macp.mode.handoff.v1", "session_id": "s1", "messages": []}`,
		Whole:   true,
	},
	{
		ID:      "schema/enum",
		Summary: "A value is not in the list of the schema.",
		Why:     "The value decides what the receiver does, and the receiver does not handle unknown values.",
		Bad:     `{"accepted": true, "handoff_id": "h-17", "status": "DONE"}`,
		Good:    `{"accepted": true, "handoff_id": "h-17", "status": "COMPLETED"}`,
		Whole:   true,
	},
	{
		ID:      "schema/oneOf",
		Summary: "An object has none, or more than one, of several members with the same meaning.",
		Why:     "The spelling depends on the system. If there are two values, one receiver reads the first, another one the second.",
		Bad:     `{"protocol_version": "1.0", "mode": "macp.mode.handoff.v1", "session_id": "s1", "sessionId": "s2", "messages": []}`,
		Good:    `{"protocol_version": "1.0", "mode": "macp.mode.handoff.v1", "session_id": "s1", "messages": []}`,
		Whole:   true,
	},
	{
		ID:      "schema/uniqueItems",
		Summary: "Two elements of an array are equal, but all must be different.",
		Why:     "Receivers may count a participant who is listed twice as one or as two.",
		Bad:     participantsExample(`"alice", "alice"`),
		Good:    participantsExample(`"alice", "bob"`),
		Whole:   true,
	},
	{
		ID:      "schema/anyOf",
		Summary: "A value has none of the forms that the schema allows.",
		Why:     "A receiver distinguishes the forms by their type or by a member, and this value matches none.",
		Bad:     `{"from_agent": "a", "to_agent": "b", "reason": "Review", "context_snapshot": ["Hello"]}`,
		Good:    `{"from_agent": "a", "to_agent": "b", "reason": "Review", "context_snapshot": null}`,
		Whole:   true,
	},
}

func participantsExample(participants string) string {
	return `{"protocol_version": "1.0", "mode": "macp.mode.handoff.v1", "session_id": "s1", "messages": [
  {"macp_version": "1.0", "mode": "macp.mode.handoff.v1", "message_type": "SessionStart", "message_id": "m1", "session_id": "s1", "sender": "alice",
   "payload": {"intent": "", "participants": [` + participants + `], "mode_version": "1.0.0", "configuration_version": "1", "policy_version": "", "ttl_ms": 60000}}]}`
}

var completenessRules = []finding.Rule{
	{
		ID:      "completeness/completed-subtasks",
		Summary: "No subtask is completed although the handoff is not the first of its task.",
		Why:     "An agent that has completed nothing has probably failed (section 6.1); the taskDescription of a first handoff is INITIAL.",
		Bad:     `{"completedSubtasks": []}`,
		Good:    `{"completedSubtasks": [], "taskDescription": "INITIAL"}`,
	},
	{
		ID:       "completeness/required-state",
		Summary:  "The state lacks a member that the receiver requires.",
		Why:      "The receiver would work with incomplete information, or repeat work (section 6.1).",
		Bad:      `{"currentState": {"extractedClauses": []}}`,
		Good:     `{"currentState": {"extractedClauses": [], "riskFlags": []}}`,
		Receiver: `{"requiredState": ["riskFlags"]}`,
	},
	{
		ID:       "completeness/state-schema",
		Summary:  "The state breaks the receiver's own schema for it.",
		Why:      "The receiver relies on that schema; in the example, riskFlags must be an array.",
		Bad:      `{"currentState": {"riskFlags": "clause 4.2"}}`,
		Good:     `{"currentState": {"riskFlags": ["clause 4.2"]}}`,
		Receiver: `{"stateSchema": "state.schema.json"}`,
	},
	{
		ID:       "completeness/addressee",
		Summary:  "The message is addressed to another type of agent.",
		Why:      "The message was delivered to the wrong agent, and its addressee still waits for it.",
		Bad:      `{"toAgent": {"agentType": "billing-agent"}}`,
		Good:     `{"toAgent": {"agentType": "risk-scoring-agent"}}`,
		Receiver: `{"agentType": "risk-scoring-agent"}`,
	},
	{
		ID:       "completeness/version-range",
		Summary:  "The message requires another version of the agent than the receiver's.",
		Why:      "The sender relies on abilities that this version does not have.",
		Bad:      `{"toAgent": {"agentType": "risk-scoring-agent", "agentVersion": ">=1.5.0"}}`,
		Good:     `{"toAgent": {"agentType": "risk-scoring-agent", "agentVersion": ">=1.4.0"}}`,
		Receiver: `{"agentType": "risk-scoring-agent", "agentVersion": "1.4.2"}`,
	},
}

var budgetRules = []finding.Rule{
	{
		ID:      "budget/budget-exhausted",
		Summary: "No budget remains: costBudgetRemainingUSD is at or below zero.",
		Why:     "The receiver must not execute (section 6.1), because the budget is for the whole chain of agents.",
		Bad:     budgetExample("0"),
		Good:    budgetExample("0.32"),
	},
}

func budgetExample(remaining string) string {
	return `{"costTracking": {"costSpentSoFarUSD": 0.08, "costBudgetRemainingUSD": ` + remaining + `, "tokenSpent": {"prompt": 4200, "completion": 1800}}}`
}

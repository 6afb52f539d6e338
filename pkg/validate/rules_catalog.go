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
		Summary: "The document is not strict JSON: a comma too many, a member name twice, invalid UTF-8, a document cut off, or something else altogether, such as YAML or a line of a log.",
		Why:     "Parsers differ in what they make of it, so two agents can read two different messages from the same bytes.",
		Bad:     `{"taskDescription": "Score the clauses", "taskDescription": "Approve the contract"}`,
		Good:    `{"taskDescription": "Score the clauses"}`,
		Whole:   true,
	},
	{
		ID:      "schema/schema-version",
		Summary: "The message has a schema version that the receiver does not read.",
		Why:     "Another major version may give the same members another meaning, so nothing else in the message can be trusted to mean what it says.",
		Bad:     `{"schemaVersion": "3.0"}`,
		Good:    `{"schemaVersion": "2.0"}`,
	},
	{
		ID:       "schema/unknown-member",
		Severity: finding.Warning,
		Summary:  "An object of a 2.0 message has a member that the schema does not name.",
		Why:      "It is kept, but no receiver knows it: often it is a slip, and nobody reads what it says.",
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
		Why:     "The receiver would have to guess it, and the error would appear far from its cause.",
		Bad:     `{"toAgent": {"agentVersion": ">=1.5.0"}}`,
		Good:    `{"toAgent": {"agentType": "risk-scoring-agent", "agentVersion": ">=1.5.0"}}`,
	},
	{
		ID:      "schema/type",
		Summary: "A value has another JSON type than the schema gives it.",
		Why:     "A program that expects the right type fails on it, or worse, converts it into something else.",
		Bad:     `{"constraints": "returnJSON:true"}`,
		Good:    `{"constraints": ["returnJSON:true"]}`,
	},
	{
		ID:      "schema/pattern",
		Summary: "A string does not have the form that the schema asks for: that of a UUID, a version, a hash, a traceparent.",
		Why:     "Identifiers and versions are compared and looked up; one of another form never matches.",
		Bad:     `{"taskId": "contract-17"}`,
		Good:    `{"taskId": "cc35de8b-6ece-4435-abfd-a60e12baff98"}`,
	},
	{
		ID:      "schema/format",
		Summary: "A string is not the date-time or version range that it should be.",
		Why:     "Without an offset a time can be off by a day, and a range that does not parse excludes no version.",
		Bad:     `{"timestamp": "2026-06-12 09:30"}`,
		Good:    `{"timestamp": "2026-06-12T09:30:00Z"}`,
	},
	{
		ID:      "schema/minLength",
		Summary: "A string is shorter than the schema allows: usually it is empty.",
		Why:     "An empty name or description is there and says nothing, which is no better than leaving it out.",
		Bad:     `{"taskDescription": ""}`,
		Good:    `{"taskDescription": "Score the liability risk of the extracted clauses"}`,
	},
	{
		ID:      "schema/minimum",
		Summary: "A number is below the minimum that the schema allows.",
		Why:     "Counts and costs never fall below zero; one that does spoils every sum it goes into.",
		Bad:     `{"toolCallHistory": [{"tool": "pdf_extract", "calledAt": "2026-06-12T09:27:03Z", "outputTokens": -1}]}`,
		Good:    `{"toolCallHistory": [{"tool": "pdf_extract", "calledAt": "2026-06-12T09:27:03Z", "outputTokens": 3200}]}`,
	},
	{
		ID:      "schema/maximum",
		Summary: "A number is above the maximum that the schema allows.",
		Why:     "It is probably in another unit, such as percent, and would outweigh all others.",
		Bad:     `{"relevantContext": [{"source": "Contract PDF", "excerpt": "Fees are due quarterly.", "relevanceScore": 92}]}`,
		Good:    `{"relevantContext": [{"source": "Contract PDF", "excerpt": "Fees are due quarterly.", "relevanceScore": 0.92}]}`,
	},
	{
		ID:      "schema/minItems",
		Summary: "An array has fewer elements than the schema allows.",
		Why:     "A list of receivers that names none sends the message to nobody.",
		Bad:     `{"receiverList": []}`,
		Good:    `{"receiverList": [{"agentType": "risk-scoring-agent"}]}`,
	},
	{
		ID:      "schema/uniqueKeys",
		Summary: "Two elements of an array have the same identifier.",
		Why:     "A reference to one may be taken for the other, so a subtask is done twice or not at all.",
		Bad:     `{"remainingSubtasks": [{"subtaskId": "s2", "description": "Score"}, {"subtaskId": "s2", "description": "Summarise"}]}`,
		Good:    `{"remainingSubtasks": [{"subtaskId": "s2", "description": "Score"}, {"subtaskId": "s3", "description": "Summarise"}]}`,
	},
	{
		ID:      "schema/not",
		Summary: "A value is one that the schema forbids: a traceparent of version ff, with an all-zero id, or of version 00 with a fifth field.",
		Why:     "Tracing systems drop such a header, and the handoff is missing from its trace.",
		Bad:     `{"traceparent": "00-00000000000000000000000000000000-339e5d4c0d9f4773-01"}`,
		Good:    `{"traceparent": "00-dec566a5965718deacee5fc4df9c84c5-339e5d4c0d9f4773-01"}`,
	},
	{
		ID:      "schema/unknown-format",
		Summary: "The document is in none of the formats that are read.",
		Why:     "No schema says what is wrong with it: what an API answers, a single message out of a list and the description of an agent are read by other tools, or are messages once they are in an array; a message in snake_case, in an array or in a string is one once that is undone.",
		Bad:     `{"choices": [{"message": {"role": "assistant", "content": "Refunded."}}]}`,
		Good:    `[{"role": "assistant", "content": "Refunded."}]`,
		Whole:   true,
	},
	{
		ID:      "schema/fixture",
		Summary: "The document is a conformance fixture of MACP and not a transcript.",
		Why:     "A fixture scripts a session and says of each message whether it is to be accepted, so a message in it that breaks a rule may be just what is wanted. handoff macp check replays it.",
		Bad:     `{"mode": "macp.mode.handoff.v1", "initiator": "alice", "participants": ["alice", "bob"], "messages": [{"sender": "bob", "message_type": "HandoffOffer", "payload": {}, "expect": "reject"}]}`,
		Good:    `{"protocol_version": "1.0", "mode": "macp.mode.handoff.v1", "session_id": "s1", "messages": []}`,
		Whole:   true,
	},
	{
		ID:      "schema/enum",
		Summary: "A value is none of those that the schema lists.",
		Why:     "The receiver decides by it what to do, and has no branch for a value that the system does not know.",
		Bad:     `{"accepted": true, "handoff_id": "h-17", "status": "DONE"}`,
		Good:    `{"accepted": true, "handoff_id": "h-17", "status": "COMPLETED"}`,
		Whole:   true,
	},
	{
		ID:      "schema/oneOf",
		Summary: "An object has none, or more than one, of members that mean the same.",
		Why:     "Systems that spell a member differently read either. Of two values one receiver takes the first and another the second.",
		Bad:     `{"protocol_version": "1.0", "mode": "macp.mode.handoff.v1", "session_id": "s1", "sessionId": "s2", "messages": []}`,
		Good:    `{"protocol_version": "1.0", "mode": "macp.mode.handoff.v1", "session_id": "s1", "messages": []}`,
		Whole:   true,
	},
	{
		ID:      "schema/uniqueItems",
		Summary: "Two elements of an array are equal where each has to differ from the others.",
		Why:     "A participant who is listed twice counts twice for one reader and once for another.",
		Bad:     participantsExample(`"alice", "alice"`),
		Good:    participantsExample(`"alice", "bob"`),
		Whole:   true,
	},
	{
		ID:      "schema/anyOf",
		Summary: "A value has none of the forms that the schema allows in its place.",
		Why:     "A receiver tells the forms apart by their type or by a member, and this is none of them.",
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
		Why:     "An agent that hands over without having done anything has probably failed (section 6.1); a first handoff says INITIAL.",
		Bad:     `{"completedSubtasks": []}`,
		Good:    `{"completedSubtasks": [], "taskDescription": "INITIAL"}`,
	},
	{
		ID:       "completeness/required-state",
		Summary:  "The state lacks something that the receiver requires.",
		Why:      "The receiver would work from a false picture, or derive again what was known (section 6.1).",
		Bad:      `{"currentState": {"extractedClauses": []}}`,
		Good:     `{"currentState": {"extractedClauses": [], "riskFlags": []}}`,
		Receiver: `{"requiredState": ["riskFlags"]}`,
	},
	{
		ID:       "completeness/state-schema",
		Summary:  "The state breaks the receiver's own schema for it.",
		Why:      "The receiver reads its state by that schema; the one of the example asks that riskFlags be an array.",
		Bad:      `{"currentState": {"riskFlags": "clause 4.2"}}`,
		Good:     `{"currentState": {"riskFlags": ["clause 4.2"]}}`,
		Receiver: `{"stateSchema": "state.schema.json"}`,
	},
	{
		ID:       "completeness/addressee",
		Summary:  "The message is addressed to another type of agent.",
		Why:      "It was delivered to the wrong place, and the agent it is meant for is still waiting for it.",
		Bad:      `{"toAgent": {"agentType": "billing-agent"}}`,
		Good:     `{"toAgent": {"agentType": "risk-scoring-agent"}}`,
		Receiver: `{"agentType": "risk-scoring-agent"}`,
	},
	{
		ID:       "completeness/version-range",
		Summary:  "The message asks for a version of the agent that the receiver is not.",
		Why:      "The sender counts on abilities that this receiver does not have, or no longer has.",
		Bad:      `{"toAgent": {"agentType": "risk-scoring-agent", "agentVersion": ">=1.5.0"}}`,
		Good:     `{"toAgent": {"agentType": "risk-scoring-agent", "agentVersion": ">=1.4.0"}}`,
		Receiver: `{"agentType": "risk-scoring-agent", "agentVersion": "1.4.2"}`,
	},
}

var budgetRules = []finding.Rule{
	{
		ID:      "budget/budget-exhausted",
		Summary: "No budget remains: costBudgetRemainingUSD is at or below zero.",
		Why:     "The receiver must not execute (section 6.1), else the ceiling for the whole chain of agents holds for none of them.",
		Bad:     budgetExample("0"),
		Good:    budgetExample("0.32"),
	},
}

func budgetExample(remaining string) string {
	return `{"costTracking": {"costSpentSoFarUSD": 0.08, "costBudgetRemainingUSD": ` + remaining + `, "tokenSpent": {"prompt": 4200, "completion": 1800}}}`
}

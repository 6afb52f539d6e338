package sw4rm

import (
	"encoding/base64"
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
)

// Rules returns the rules of [Check]. The caller owns the slice. The rules about size have
// no examples because they would be too long.
func Rules() []finding.Rule {
	rules := slices.Concat(snapshotRules(), contextRules(), answerRules())
	for i := range rules {
		r := &rules[i]
		r.Layer, r.Reason, r.Whole = finding.Protocol, finding.Reason(InvalidArgument), true
		if r.Severity == "" {
			r.Severity = finding.Error
		}
	}
	return rules
}

// snapshot returns a request with text as its snapshot.
func snapshot(text string) string {
	return `{"from_agent":"planner","to_agent":"reviewer","reason":"review","context_snapshot":"` + base64.StdEncoding.EncodeToString([]byte(text)) + `"}`
}

const (
	emptyContext = `{"conversation_history":[],"tool_state":{},"metadata":{}}`
	oneMessage   = `{"conversation_history":[{"role":"user","content":"Hello"}],"tool_state":{},"metadata":{}}`
)

func snapshotRules() []finding.Rule {
	return []finding.Rule{{
		ID:      "sw4rm/snapshot-encoding",
		Summary: "The context_snapshot is a string that is not base64.",
		Why:     "In JSON, the bytes of the snapshot are base64 in the standard alphabet, with padding and on one line. Any other string cannot be read. Write the serialized context in base64, or the context as an object.",
		Bad:     `{"from_agent":"planner","to_agent":"reviewer","reason":"review","context_snapshot":"{\"conversation_history\":[]}"}`,
		Good:    snapshot(emptyContext),
	}, {
		ID:      "sw4rm/snapshot-json",
		Summary: "The content of the context_snapshot is not a JSON object.",
		Why:     "deserialize_context raises an error for invalid JSON and invalid UTF-8. Repeated member names are rejected too, because parsers interpret them differently. deserialize_context does not read gzip: compress the whole request instead.",
		Bad:     snapshot(`{"conversation_history":[],"tool_state":{},"metadata":`),
		Good:    snapshot(emptyContext),
	}, {
		ID:      "sw4rm/context-member",
		Summary: "The context lacks a required member.",
		Why:     "deserialize_context raises an error for missing required members: conversation_history, tool_state and metadata, and role and content of each message. The SDK's from_dict fills them in, so one agent accepts a context that another rejects. Write them, even if they are empty.",
		Bad:     snapshot(`{"conversation_history":[],"metadata":{}}`),
		Good:    snapshot(emptyContext),
	}, {
		ID:      "sw4rm/context-type",
		Summary: "A member of the context in the snapshot does not have the type that the specification's JSON Schema requires.",
		Why:     "Otherwise the receiver works with a conversation history that is not a list, or a timestamp that is not a time. Timestamps are ISO 8601 strings, not seconds since 1970.",
		Bad:     snapshot(`{"conversation_history":[{"role":"user","content":"Hello","timestamp":1736937000}],"tool_state":{},"metadata":{}}`),
		Good:    snapshot(`{"conversation_history":[{"role":"user","content":"Hello","timestamp":"2025-01-15T10:30:00Z"}],"tool_state":{},"metadata":{}}`),
	}, {
		ID: "sw4rm/preserve-history", Severity: finding.Warning,
		Summary: "preserve_history is false, but the snapshot has a conversation history.",
		Why:     "The request does not allow the history to be passed on, but the snapshot passes it on, perhaps to an agent that must not see it. Empty conversation_history, or set preserve_history to true.",
		Bad:     `{"from_agent":"planner","to_agent":"reviewer","reason":"review","preserve_history":false,"context_snapshot":` + oneMessage + `}`,
		Good:    `{"from_agent":"planner","to_agent":"reviewer","reason":"review","preserve_history":true,"context_snapshot":` + oneMessage + `}`,
	}, {
		ID: "sw4rm/to-agent", Severity: finding.Warning,
		Summary: "The request has an empty to_agent.",
		Why:     "The wire service rejects it as an invalid argument. Only a router accepts such a request, and chooses the agent by its capabilities. handoff sw4rm route fills in to_agent.",
		Bad:     `{"from_agent":"planner","to_agent":"","reason":"review"}`,
		Good:    `{"from_agent":"planner","to_agent":"reviewer","reason":"review"}`,
	}}
}

func contextRules() []finding.Rule {
	return []finding.Rule{{
		ID: "sw4rm/role", Severity: finding.Warning,
		Summary: "A message has a role other than user, assistant, system and tool.",
		Why:     "The specification defines these four roles. A receiver that maps them to the roles of its model drops the message or rejects the history.",
		Bad:     `{"conversation_history":[{"role":"human","content":"Hello"}],"tool_state":{},"metadata":{}}`,
		Good:    oneMessage,
	}, {
		ID: "sw4rm/tool-call-id", Severity: finding.Warning,
		Summary: "A tool message has no tool_call_id.",
		Why:     "tool_call_id identifies the call that the message answers. Without it, the result cannot be matched with its call, and most model APIs reject the history.",
		Bad:     `{"conversation_history":[{"role":"tool","name":"query","content":"7"}],"tool_state":{},"metadata":{}}`,
		Good:    `{"conversation_history":[{"role":"tool","name":"query","tool_call_id":"call_1","content":"7"}],"tool_state":{},"metadata":{}}`,
	}, {
		ID: "sw4rm/history-length", Severity: finding.Warning,
		Summary: "The conversation history has more than 50 messages.",
		Why:     "The specification recommends the last 50 relevant messages. handoff sw4rm prepare removes the others; handoff trim summarizes them.",
	}, {
		ID: "sw4rm/cached-results", Severity: finding.Warning,
		Summary: "The tool state has cached results.",
		Why:     "The specification recommends including only active and pending calls, not completed ones. handoff sw4rm prepare removes the results of completed calls.",
		Bad:     `{"conversation_history":[],"tool_state":{"cached_results":{"call_1":{"total":7}}},"metadata":{}}`,
		Good:    `{"conversation_history":[],"tool_state":{"cached_results":{}},"metadata":{}}`,
	}, {
		ID: "sw4rm/completed-call", Severity: finding.Warning,
		Summary: "An active call already has a result, in a tool message or in the cached results.",
		Why:     "The specification's on_handoff_received resumes every active call, so the receiver would run the call a second time. Remove it from active_calls.",
		Bad:     `{"conversation_history":[{"role":"tool","tool_call_id":"call_1","content":"7"}],"tool_state":{"active_calls":[{"call_id":"call_1"}]},"metadata":{}}`,
		Good:    `{"conversation_history":[{"role":"tool","tool_call_id":"call_1","content":"7"}],"tool_state":{"active_calls":[{"call_id":"call_2"}]},"metadata":{}}`,
	}, {
		ID: "sw4rm/context-size", Severity: finding.Warning,
		Summary: "The serialized context is larger than 100 KB.",
		Why:     "The specification recommends gzip above this size; use handoff compress. The size is measured before compression, and a KB is 1000 bytes.",
	}, {
		ID: "sw4rm/embedded-binary", Severity: finding.Warning,
		Summary: "The context embeds binary data: a data URL, or a long string of base64.",
		Why:     "The specification recommends references, such as URLs and identifiers. A model reads the encoded characters as text, and cannot use them.",
		Bad:     `{"conversation_history":[{"role":"user","content":"data:image/gif;base64,R0lGODlhAQABAAAAACw="}],"tool_state":{},"metadata":{}}`,
		Good:    `{"conversation_history":[{"role":"user","content":"https://example.com/picture.gif"}],"tool_state":{},"metadata":{}}`,
	}}
}

func answerRules() []finding.Rule {
	return []finding.Rule{{
		ID:      "sw4rm/response-status",
		Summary: "The status contradicts the member accepted.",
		Why:     "An agent that reads one of them hands its task over, and an agent that reads the other keeps it, so the task is done twice or not at all.",
		Bad:     `{"accepted":true,"handoff_id":"6f9619ff-8b86-4d01-b42d-00cf4fc964ff","status":"REJECTED"}`,
		Good:    `{"accepted":true,"handoff_id":"6f9619ff-8b86-4d01-b42d-00cf4fc964ff","status":"ACCEPTED"}`,
	}, {
		ID: "sw4rm/rejection-reason", Severity: finding.Warning,
		Summary: "A rejection has no rejection_reason, or an acceptance has one.",
		Why:     "The specification's clients print the reason and choose the next agent by it. A response with the status PENDING is not a rejection.",
		Bad:     `{"accepted":false,"handoff_id":"6f9619ff-8b86-4d01-b42d-00cf4fc964ff","status":"REJECTED"}`,
		Good:    `{"accepted":false,"handoff_id":"6f9619ff-8b86-4d01-b42d-00cf4fc964ff","status":"REJECTED","rejection_reason":"Agent busy: RUNNING"}`,
	}}
}

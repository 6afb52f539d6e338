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
		Why:     "The snapshot is bytes, which JSON carries as base64 in the standard alphabet with padding, on one line. Nothing of the context can be read. Put the serialized context there in base64, or as an object.",
		Bad:     `{"from_agent":"planner","to_agent":"reviewer","reason":"review","context_snapshot":"{\"conversation_history\":[]}"}`,
		Good:    snapshot(emptyContext),
	}, {
		ID:      "sw4rm/snapshot-json",
		Summary: "What the context_snapshot holds is not JSON, or not an object.",
		Why:     "deserialize_context raises an error for invalid JSON and for invalid UTF-8; member names that occur twice are rejected as well, since readers differ in what they make of them. It does not read gzip: compress the request as a whole.",
		Bad:     snapshot(`{"conversation_history":[],"tool_state":{},"metadata":`),
		Good:    snapshot(emptyContext),
	}, {
		ID:      "sw4rm/context-member",
		Summary: "The context lacks a member that is required.",
		Why:     "deserialize_context raises an error for missing required fields: conversation_history, tool_state and metadata, and role and content in each message. The SDK's from_dict fills them in, so that one agent goes on with what another rejects. Write them, be they empty.",
		Bad:     snapshot(`{"conversation_history":[],"metadata":{}}`),
		Good:    snapshot(emptyContext),
	}, {
		ID:      "sw4rm/context-type",
		Summary: "A member of the context in the snapshot is of another type than the document's JSON Schema says.",
		Why:     "The receiver goes on with a conversation history that is no list, or a timestamp that is no time. Timestamps are ISO 8601 strings, not seconds since 1970.",
		Bad:     snapshot(`{"conversation_history":[{"role":"user","content":"Hello","timestamp":1736937000}],"tool_state":{},"metadata":{}}`),
		Good:    snapshot(`{"conversation_history":[{"role":"user","content":"Hello","timestamp":"2025-01-15T10:30:00Z"}],"tool_state":{},"metadata":{}}`),
	}, {
		ID: "sw4rm/preserve-history", Severity: finding.Warning,
		Summary: "preserve_history is false, but the snapshot has a conversation history.",
		Why:     "The request says that the history is not passed on, and yet it is: perhaps to an agent that it was not meant for. Empty conversation_history, or preserve it.",
		Bad:     `{"from_agent":"planner","to_agent":"reviewer","reason":"review","preserve_history":false,"context_snapshot":` + oneMessage + `}`,
		Good:    `{"from_agent":"planner","to_agent":"reviewer","reason":"review","preserve_history":true,"context_snapshot":` + oneMessage + `}`,
	}, {
		ID: "sw4rm/to-agent", Severity: finding.Warning,
		Summary: "The request has an empty to_agent.",
		Why:     "The wire service rejects it as an invalid argument. Only a router takes such a request, and chooses the agent by its capabilities: handoff sw4rm route fills it in.",
		Bad:     `{"from_agent":"planner","to_agent":"","reason":"review"}`,
		Good:    `{"from_agent":"planner","to_agent":"reviewer","reason":"review"}`,
	}}
}

func contextRules() []finding.Rule {
	return []finding.Rule{{
		ID: "sw4rm/role", Severity: finding.Warning,
		Summary: "A message has a role other than user, assistant, system and tool.",
		Why:     "The document names these four. A receiver that maps them to those of its model drops the message or rejects the history.",
		Bad:     `{"conversation_history":[{"role":"human","content":"Hello"}],"tool_state":{},"metadata":{}}`,
		Good:    oneMessage,
	}, {
		ID: "sw4rm/tool-call-id", Severity: finding.Warning,
		Summary: "A tool's message has no tool_call_id.",
		Why:     "It says which call the message answers. Without it a result cannot be matched with its call, and most models reject the history.",
		Bad:     `{"conversation_history":[{"role":"tool","name":"query","content":"7"}],"tool_state":{},"metadata":{}}`,
		Good:    `{"conversation_history":[{"role":"tool","name":"query","tool_call_id":"call_1","content":"7"}],"tool_state":{},"metadata":{}}`,
	}, {
		ID: "sw4rm/history-length", Severity: finding.Warning,
		Summary: "The conversation history has more than 50 messages.",
		Why:     "The document's guidance on size is the last 50 messages that matter. handoff sw4rm prepare cuts the rest, handoff trim makes a summary of it.",
	}, {
		ID: "sw4rm/cached-results", Severity: finding.Warning,
		Summary: "The tool state has cached results.",
		Why:     "The document's guidance on size is to include active and pending calls only, not completed ones. handoff sw4rm prepare leaves them out.",
		Bad:     `{"conversation_history":[],"tool_state":{"cached_results":{"call_1":{"total":7}}},"metadata":{}}`,
		Good:    `{"conversation_history":[],"tool_state":{"cached_results":{}},"metadata":{}}`,
	}, {
		ID: "sw4rm/completed-call", Severity: finding.Warning,
		Summary: "An active call has a result already, in a tool's message or in the cached results.",
		Why:     "The document's on_handoff_received resumes every active call: the receiver would run it a second time. Take it out of active_calls.",
		Bad:     `{"conversation_history":[{"role":"tool","tool_call_id":"call_1","content":"7"}],"tool_state":{"active_calls":[{"call_id":"call_1"}]},"metadata":{}}`,
		Good:    `{"conversation_history":[{"role":"tool","tool_call_id":"call_1","content":"7"}],"tool_state":{"active_calls":[{"call_id":"call_2"}]},"metadata":{}}`,
	}, {
		ID: "sw4rm/context-size", Severity: finding.Warning,
		Summary: "The serialized context is larger than 100 KB.",
		Why:     "The document's guidance on size is to consider gzip from there on: handoff compress. Sizes are those before compression, a KB is 1000 bytes.",
	}, {
		ID: "sw4rm/embedded-binary", Severity: finding.Warning,
		Summary: "The context embeds binary data: a data URL, or a long string of base64.",
		Why:     "The document's guidance on size is to use references, such as URLs and identifiers. A model reads the characters and gets nothing from them.",
		Bad:     `{"conversation_history":[{"role":"user","content":"data:image/gif;base64,R0lGODlhAQABAAAAACw="}],"tool_state":{},"metadata":{}}`,
		Good:    `{"conversation_history":[{"role":"user","content":"https://example.com/picture.gif"}],"tool_state":{},"metadata":{}}`,
	}}
}

func answerRules() []finding.Rule {
	return []finding.Rule{{
		ID:      "sw4rm/response-status",
		Summary: "The status contradicts accepted.",
		Why:     "An agent that looks at one of them hands its task over, another keeps it: it is done twice or not at all.",
		Bad:     `{"accepted":true,"handoff_id":"6f9619ff-8b86-4d01-b42d-00cf4fc964ff","status":"REJECTED"}`,
		Good:    `{"accepted":true,"handoff_id":"6f9619ff-8b86-4d01-b42d-00cf4fc964ff","status":"ACCEPTED"}`,
	}, {
		ID: "sw4rm/rejection-reason", Severity: finding.Warning,
		Summary: "A rejection has no rejection_reason, or an acceptance has one.",
		Why:     "The document's clients print the reason and choose the next agent by it. A response whose status is PENDING rejects nothing.",
		Bad:     `{"accepted":false,"handoff_id":"6f9619ff-8b86-4d01-b42d-00cf4fc964ff","status":"REJECTED"}`,
		Good:    `{"accepted":false,"handoff_id":"6f9619ff-8b86-4d01-b42d-00cf4fc964ff","status":"REJECTED","rejection_reason":"Agent busy: RUNNING"}`,
	}}
}

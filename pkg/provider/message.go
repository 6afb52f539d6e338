package provider

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The roles of messages sent to providers.
const (
	system    = "system"
	user      = "user"
	assistant = "assistant"
	tool      = "tool" // results; "user" for providers without this role
)

// A message is one message of a provider's API. It has a turn, a part of one, or several turns.
type message struct {
	role  string
	turn  conversation.Turn // the first of its turns
	parts []part
}

// A part is a part of a message.
type part struct {
	conversation.Part
	turn conversation.Turn
}

// onlyResults reports whether all parts of the message are results.
func (m *message) onlyResults() bool {
	for _, p := range m.parts {
		if p.Kind != conversation.Result {
			return false
		}
	}
	return len(m.parts) > 0
}

// calls reports whether the message calls a tool that the provider does not run.
func (m *message) calls() bool {
	return slices.ContainsFunc(m.parts, func(p part) bool { return p.Kind == conversation.Call && !p.Hosted })
}

// has reports whether the message has a part of a kind.
func (m *message) has(kind conversation.PartKind) bool {
	for _, p := range m.parts {
		if p.Kind == kind {
			return true
		}
	}
	return false
}

// read returns the provider's messages for turns.
func (c *checker) read(turns []conversation.Turn) []message {
	r := reader{checker: c}
	lastUser := -1
	for i, turn := range turns {
		if roleOf(turn) == user {
			lastUser = i
		}
	}
	for i, turn := range turns {
		r.passed, r.last = c.stretch.more || i < lastUser, !c.stretch.more && i == len(turns)-1
		if !turn.IsContext() || turn.Role == user {
			r.add(turn)
		}
	}
	return r.messages
}

// A reader converts turns to messages.
type reader struct {
	*checker
	messages     []message
	passed, last bool // a user turn follows the current turn; no turn does
	resumed      bool // the last turn had only approvals
	approvals    approvals
}

// approvals are the calls of the AI SDK in a list of parts that have a request for an approval or a result there.
type approvals struct {
	list            jsonstream.Value
	asked, answered map[string]bool // by call id
}

// add adds a turn. Its results become a separate message before the rest, unless the provider itself has
// them among the other parts of a user turn.
func (r *reader) add(turn conversation.Turn) {
	role := roleOf(turn)
	if role == "model" && r.native && r.provider == Gemini { // a turn without parts, recognised by its role
		role = assistant
	}
	rest, results := message{role: role, turn: turn}, message{role: tool, turn: turn}
	steps, split, approval := false, false, false
	for p := range conversation.Parts(turn.Value) {
		if p.Kind == conversation.Other && p.Value.Get("type").Text() == "step-start" { // the AI SDK: a UIMessage has several steps
			if steps {
				r.put(rest)
				r.put(results)
				rest.parts, results.parts, steps, split = nil, nil, false, true
			}
			continue
		}
		if p.Kind == conversation.Other && isAside(p.Value.Get("type").Text()) {
			continue
		}
		if r.readApproval(p) {
			approval = true
			continue
		}
		if p.Kind == conversation.Reasoning && r.client.OmitsReasoning && r.is(Anthropic, BedrockConverse) && !hasProof(p.Value, r.provider) {
			continue // @ai-sdk/anthropic 4.0.105 and @ai-sdk/amazon-bedrock 5.0.101 send none without their own signature
		}
		switch at := (part{p, turn}); {
		case p.Kind == conversation.Call && role != assistant && !r.native && p.Value.Parent().Name() == "tool_calls":
			// LangChain messages of other types have no calls: calls in them are not sent.
		case p.Kind == conversation.Call && isInvalid(p) && !r.is(OpenAIChat, OpenAIResponses):
			// LangChain sends them to no other API.
		case p.Kind != conversation.Result || p.Hosted || r.native && role == user:
			rest.parts = append(rest.parts, at)
		default:
			results.parts = append(results.parts, at)
			steps = role == assistant
		}
	}
	switch {
	case len(results.parts) == 0:
		item := turn.Role == "" && !r.native // of OpenAI, such as a compaction
		if len(rest.parts) > 0 || !split && !approval && !item {
			r.put(rest)
		}
		r.resumed = approval && len(rest.parts) == 0
	case role == assistant:
		r.put(rest)
		r.put(results)
	default:
		r.put(results)
		if len(rest.parts) > 0 {
			r.put(rest)
		}
	}
}

// isInvalid reports whether a call is one that LangChain could not read. Of its integrations, only the one for
// OpenAI in Python sends such calls (@langchain/anthropic 1.5.11, @langchain/google-genai 2.3.2, @langchain/aws
// 1.4.5 and @langchain/openai 1.6.0 send none).
func isInvalid(call conversation.Part) bool {
	return call.Value.Parent().Name() == "invalid_tool_calls"
}

// isAside reports whether a type of the AI SDK is of parts that no model gets, or only the one that made them.
func isAside(kind string) bool {
	return kind == "custom" || kind == "source-url" || kind == "source-document" || strings.HasPrefix(kind, "data-")
}

// readApproval reads a part about an approval of the AI SDK or of Agent Framework, which is not sent, and records
// the calls whose result the SDK makes from the response. It returns false for any other part. A call is such a
// part if the user went on without a response, if its input did not arrive whole, or if the provider runs its tool
// after the approval; its result is one, too.
func (r *reader) readApproval(p conversation.Part) bool {
	isSent := r.provider == OpenAIResponses && (r.native || p.Value.Get("type").Text() == conversation.HostedToolCall)
	switch {
	case p.Kind == conversation.Call && p.Hosted && r.isAsked(p):
		r.unsent[p.ID.Text()] = true
		return true
	case p.Kind == conversation.Result && r.unsent[p.ID.Text()]:
		return true
	case p.Kind == conversation.Call:
		state := p.Value.Get("state").Text()
		if state == "approval-responded" && r.last && p.Value.Get("approval").Get("approved").Kind() == jsonstream.True { // the SDK calls the tool now
			r.decided[p.ID.Text()] = true
		}
		return state == "approval-requested" && r.passed || state == "input-streaming"
	case p.Kind == conversation.ApprovalRequest && !isSent:
		r.asked[p.ID.Text()] = askedID(p.Value)
		return true
	case p.Kind == conversation.ApprovalResponse && !isSent:
		if id := askedID(p.Value); id != "" {
			r.asked[p.ID.Text()] = id
		}
		// Agent Framework makes the result of a denied call. The AI SDK makes results, or calls the tools, only if the
		// answer is the last turn.
		isDenied := p.Value.Get("approved").Kind() == jsonstream.False && p.Value.Get("type").Text() != "tool-approval-response"
		if isDenied || r.last {
			r.decided[r.asked[p.ID.Text()]] = true
		}
		return true
	}
	return false
}

// askedID returns the id of the call that an approval of the AI SDK or of Agent Framework is about.
func askedID(approval jsonstream.Value) string {
	if _, id := conversation.AskedCall(approval); id.Exists() {
		return id.Text()
	}
	return approval.Get("toolCallId").Text()
}

// isAsked reports whether a call of the AI SDK waits for an approval or was denied, or its result follows the
// approval in a later message.
func (r *reader) isAsked(call conversation.Part) bool {
	if approval := call.Value.Get("approval"); approval.Exists() { // of a UIMessage
		state := call.Value.Get("state").Text()
		return state != "output-available" && state != "output-error"
	}
	a := &r.approvals
	if list := call.Value.Parent(); a.list != list {
		*a = approvals{list, map[string]bool{}, map[string]bool{}}
		for _, v := range list.Elements() {
			switch v.Get("type").Text() {
			case "tool-result":
				a.answered[v.Get("toolCallId").Text()] = true
			case "tool-approval-request":
				a.asked[v.Get("toolCallId").Text()] = true
			}
		}
	}
	id := call.ID.Text()
	return a.asked[id] && !a.answered[id]
}

// put adds a message, or adds its parts to the previous message if both are sent as one.
func (r *reader) put(m message) {
	if len(r.messages) > 0 && r.joins(&r.messages[len(r.messages)-1], &m) {
		last := &r.messages[len(r.messages)-1]
		last.parts = append(last.parts, m.parts...)
		if m.role != tool {
			last.role = m.role
		}
		return
	}
	r.messages = append(r.messages, m)
}

// joins reports whether a message is sent as one with the previous message.
func (r *reader) joins(before, m *message) bool {
	switch {
	case m.role == system || before.role == system || m.isUnknown() || before.isUnknown() || r.provider == OpenAIResponses:
		return false
	case r.replaces != nil && r.replaces(before.turn.Value, m.turn.Value) && m.onlyResults() && before.onlyResults(): // sent as one
		return true
	case r.provider == BedrockConverse && side(before) == side(m) && slices.Contains(r.client.Joins, side(m)):
		return true
	case r.provider == OpenAIChat:
		return r.divided && m.role == assistant && before.role == assistant
	case m.role == assistant || before.role == assistant:
		return m.role == before.role && (r.provider == Anthropic || r.divided || r.resumed)
	case r.provider == Anthropic, before.role == tool && before.onlyResults() && !r.native:
		return true
	default:
		return m.role == before.role && r.divided
	}
}

// isUnknown reports whether no API has the role of a message.
func (m *message) isUnknown() bool {
	return m.role != system && m.role != user && m.role != assistant && m.role != tool
}

// roleOf returns the provider's role of a turn, or the turn's own if there is no equivalent.
func roleOf(turn conversation.Turn) string {
	switch turn.Role {
	case "developer", system:
		return system
	case "function", tool:
		return tool
	case "":
		for p := range conversation.Parts(turn.Value) {
			switch {
			case p.Kind == conversation.Result && !p.Hosted, p.Kind == conversation.ApprovalResponse:
				return tool
			case p.Kind == conversation.Said && turn.Value.Kind() == jsonstream.String:
				return user
			}
			return assistant
		}
		return assistant
	}
	return turn.Role
}

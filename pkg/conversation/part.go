package conversation

import (
	"iter"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A PartKind is the kind of a part of a turn.
type PartKind int

const (
	Other            PartKind = iota // of an unknown kind
	Said                             // text
	Call                             // a tool call
	Result                           // the result of a tool call
	Reasoning                        // a model's reasoning, readable or not
	Media                            // an image, audio, video, a document
	ApprovalRequest                  // a question whether a tool may be called
	ApprovalResponse                 // the answer to it
	Setting                          // an item for the API or the program: no model reads it
)

// A Part is a part of a turn.
type Part struct {
	Kind  PartKind
	Value jsonstream.Value // the turn, part, string or call that it is
	// ID is the id of the call, in a call or result, and of the request, in an approval; absent if there is
	// none.
	ID jsonstream.Value
	// Name is the value with the name of the tool, in a call or result; absent if there is none. See
	// [Part.Tool].
	Name jsonstream.Value
	// Hosted reports that the provider runs the tool of the call or result.
	Hosted bool
}

// uiTool is the prefix of the types of tool parts in the AI SDK's UIMessage.
const uiTool = "tool-"

// Tool returns the name of the tool of a call or result, "" if there is none.
func (p Part) Tool() string {
	if p.Name.Name() == "type" { // a part of a UIMessage
		return strings.TrimPrefix(p.Name.Text(), uiTool)
	}
	return p.Name.Text()
}

// Parts yields the parts of a turn in order, of its [Item] if it is wrapped. A turn whose content is a
// string has one part, that string; an item of the Responses API that is not a message is its own only
// part. A call that a turn has twice, as LangChain writes Anthropic's calls, is yielded once.
func Parts(turn jsonstream.Value) iter.Seq[Part] {
	return func(yield func(Part) bool) { yieldParts(turn, yield) }
}

func yieldParts(turn jsonstream.Value, yield func(Part) bool) {
	if turn.Kind() == jsonstream.String {
		yield(Part{Kind: Said, Value: turn})
		return
	}
	s := shapeOf(turn)
	if text := s.summary(); text.Kind() == jsonstream.String {
		yield(Part{Kind: Said, Value: text})
		return
	}
	role := s.langChainRole()
	if copilotRole(s.kind.Text()) != "" && s.data.Exists() {
		yieldEvent(s.kind.Text(), s.data, yield)
		return
	}
	if inner := s.inner(); inner.Exists() {
		turn, s = inner, shapeOf(inner)
	}
	if role == "" {
		role = lower(s.role)
	}
	if p := s.item(turn, role); p.Kind != Other {
		yield(p)
		return
	}
	if s.content.Kind() == jsonstream.String && s.content.Text() != "" && !yield(Part{Kind: Said, Value: s.content}) {
		return
	}
	if s.refusal.Kind() == jsonstream.String && s.refusal.Text() != "" && !yield(Part{Kind: Said, Value: s.refusal}) {
		return
	}
	if p, ok := spoken(s.media); ok && role == "assistant" && !yield(p) {
		return
	}
	var called map[string]bool // the ids of calls of Agent Framework; nil before the first request for an approval
	for _, list := range [...]jsonstream.Value{s.content, s.parts, s.contents} {
		for _, v := range list.Elements() {
			part, answered := PartOf(v)
			if part.Kind == ApprovalRequest && list == s.contents {
				if called == nil {
					called = callIDs(list)
				}
				part = asCall(part, called)
			}
			if part.Kind == Result && role == "assistant" && v.Get("type").Text() == "tool-result" {
				part.Hosted = true // the AI SDK has the client's results in turns of the tool
			}
			if !yield(part) || answered && !yield(Part{Kind: Result, Value: resultIn(v), ID: part.ID, Name: part.Name, Hosted: part.Hosted}) {
				return
			}
		}
	}
	if s.isOfGeminiCLI() {
		if s.content.Kind() == jsonstream.Object {
			if part, _ := PartOf(s.content); !yield(part) {
				return
			}
		}
		s.yieldAnswered(yield)
		return
	}
	s.yieldCalls(yield)
}

// yieldCalls yields the calls listed outside the content, as in OpenAI's Chat API and LangChain.
func (s *shape) yieldCalls(yield func(Part) bool) {
	for _, list := range [...]jsonstream.Value{s.toolCalls, s.invalidCalls} {
		for _, call := range list.Elements() {
			id, name := call.Get("id"), call.Get("name")
			for _, tool := range [...]string{"function", "custom"} { // OpenAI Chat
				if !name.Exists() {
					name = call.Get(tool).Get("name")
				}
			}
			if !s.hasCall(id.Text()) && !yield(Part{Kind: Call, Value: call, ID: id, Name: name}) {
				return
			}
		}
	}
	if s.functionCall.Kind() == jsonstream.Object { // OpenAI Chat, original version
		yield(Part{Kind: Call, Value: s.functionCall, Name: s.functionCall.Get("name")})
	}
}

// hasCall reports whether a part of the content is the call with this id.
func (s *shape) hasCall(id string) bool {
	if id == "" || s.content.Kind() != jsonstream.Array {
		return false
	}
	for _, v := range s.content.Elements() {
		if p, _ := PartOf(v); p.Kind == Call && p.ID.Text() == id {
			return true
		}
	}
	return false
}

// item recognises a turn that is a single part: an item of the Responses API, or by its role the result of
// a tool.
func (s *shape) item(v jsonstream.Value, role string) Part {
	t := TypeNamed(s.kind.Text())
	switch {
	case t == nil || t.Kind == Said || t.Kind == Media || t.Kind == Setting || t.Kind == Other:
	case t.IsItem() && t.Kind != Reasoning, !s.role.Exists():
		return s.ofType(t, v)
	}
	if role == "assistant" && s.toolCallID.Exists() && s.name.Exists() && s.content.Kind() == jsonstream.String { // SW4RM
		return Part{Kind: Call, Value: v, ID: s.toolCallID, Name: s.name}
	}
	if isToolRole(role) && (s.toolCallID.Exists() || !s.holdsResults()) { // OpenAI Chat, SW4RM, LangChain; not the AI SDK
		return Part{Kind: Result, Value: v, ID: s.toolCallID, Name: s.name}
	}
	return Part{}
}

// holdsResults reports whether a tool turn has content parts that are results or approvals.
func (s *shape) holdsResults() bool {
	for _, list := range [...]jsonstream.Value{s.content, s.contents} {
		for _, v := range list.Elements() {
			if p, _ := PartOf(v); p.Kind == Result || p.Kind == ApprovalResponse {
				return true
			}
		}
	}
	return false
}

// PartOf recognises an element of a turn's content or parts. answered reports that it is both a call and
// its result.
func PartOf(v jsonstream.Value) (p Part, answered bool) {
	switch v.Kind() {
	case jsonstream.String:
		return Part{Kind: Said, Value: v}, false
	case jsonstream.Object:
		s := shapeOf(v)
		return s.part(v)
	default:
		return Part{Kind: Other, Value: v}, false
	}
}

// part recognises an object that is an element of a turn's content or parts.
func (s *shape) part(v jsonstream.Value) (p Part, answered bool) {
	kind := s.kind.Text()
	switch {
	case s.partKind.Exists():
		return s.ofPydanticAI(v), false
	case kind == "":
		return s.untyped(v), false
	case strings.HasPrefix(kind, uiTool) && s.callerID.Exists() && !s.toolName.Exists() && !s.approvalID.Exists(): // a UIMessage
		return Part{Kind: Call, Value: v, ID: s.callerID, Name: s.kind, Hosted: s.hosted.Kind() == jsonstream.True}, s.isAnswered()
	}
	if kind == "tool" && s.tool.Kind() == jsonstream.String && s.state.Kind() == jsonstream.Object { // OpenCode
		return Part{Kind: Call, Value: v, ID: s.callID, Name: s.tool}, resultIn(v) != v
	}
	t := TypeNamed(kind)
	if t == nil {
		return Part{Kind: Other, Value: v}, false
	}
	if value := v.Get("value"); kind == "non_standard" && value.Kind() == jsonstream.Object { // LangChain, of a provider
		p, answered = PartOf(value)
		p.Value = v
		return p, answered
	}
	p = s.ofType(t, v)
	if p.Kind == Call && !p.ID.Exists() && t.ID == "call_id" { // LangChain
		p.ID = s.id
	}
	return p, kind == "dynamic-tool" && s.isAnswered()
}

// ofType returns the part or item of a type.
func (s *shape) ofType(t *Type, v jsonstream.Value) Part {
	if t.Name == HostedToolCall {
		if p, ok := s.hostedApproval(v); ok {
			return p
		}
	}
	p := Part{Kind: t.Kind, Value: v}
	switch t.Kind {
	case Call, Result:
		p.Hosted, p.Name = t.Hosted || s.hosted.Kind() == jsonstream.True, s.name
		if s.toolName.Exists() {
			p.Name = s.toolName
		}
		if s.execution.Text() == "client" { // a tool search of the Responses API
			p.Hosted = false
		}
	case ApprovalRequest, ApprovalResponse:
	default:
		return p
	}
	switch t.ID {
	case "id":
		p.ID = s.id
	case "call_id":
		p.ID = s.callID
		if !p.ID.Exists() && t.Name == "local_shell_call_output" {
			p.ID = s.id // the original version
		}
	case "tool_use_id":
		p.ID = s.toolUseID
	case "toolCallId":
		if p.ID = s.callerID; !p.ID.Exists() {
			p.ID = s.toolCallID // LangChain in Python
		}
	case "approvalId":
		p.ID = s.approvalID
	case "approval_request_id", "requestId":
		p.ID = v.Get(t.ID)
	}
	return p
}

// HostedToolCall is the type of the items of hosted tools in the OpenAI Agents SDK for JavaScript.
const HostedToolCall = "hosted_tool_call"

// hostedApproval recognises a request for an approval of a tool of an MCP server, and the response to it, in the
// OpenAI Agents SDK for JavaScript. The SDK writes requests with the type of the Responses API in providerData,
// and responses with their name only.
func (s *shape) hostedApproval(v jsonstream.Value) (Part, bool) {
	data := v.Get("providerData")
	kind := data.Get("type").Text()
	if kind == "" {
		kind = s.name.Text()
	}
	switch t := TypeNamed(kind); {
	case t == nil || t.ID == "":
		return Part{}, false
	case t.Kind == ApprovalResponse:
		return Part{Kind: t.Kind, Value: v, ID: data.Get(t.ID)}, true
	case t.Kind == ApprovalRequest:
		p := Part{Kind: t.Kind, Value: v, ID: data.Get(t.ID), Name: data.Get("name")}
		if !p.ID.Exists() {
			p.ID = s.id
		}
		return p, true
	default:
		return Part{}, false
	}
}

// Decision returns the object in which an item has its data about an approval: the item itself or, in the OpenAI Agents
// SDK for JavaScript, its providerData.
func Decision(response jsonstream.Value) jsonstream.Value {
	if data := response.Get("providerData"); response.Get("type").Text() == HostedToolCall && data.Exists() {
		return data
	}
	return response
}

// AskedCall returns the call in an approval of Agent Framework and its id, absent for other parts and for a call to a
// tool that the provider runs.
func AskedCall(approval jsonstream.Value) (call, id jsonstream.Value) {
	for _, name := range [...]string{"function_call", "functionCall", "toolCall"} {
		call = approval.Get(name)
		if t := TypeNamed(call.Get("$type").Text()); t != nil && t.Hosted {
			continue
		}
		if id = callIDOf(call); id.Exists() {
			return call, id
		}
	}
	return jsonstream.Value{}, jsonstream.Value{}
}

// callIDOf returns the id of a call of Agent Framework, in Python or .NET.
func callIDOf(call jsonstream.Value) jsonstream.Value {
	if id := call.Get("call_id"); id.Exists() {
		return id
	}
	return call.Get("callId")
}

// callIDs returns the ids of the calls in the contents of a message of Agent Framework.
func callIDs(contents jsonstream.Value) map[string]bool {
	ids := map[string]bool{}
	for _, v := range contents.Elements() {
		if id := callIDOf(v); id.Exists() {
			ids[id.Text()] = true
		}
	}
	return ids
}

// asCall returns a request for an approval as the call in it, unless the message also has the call itself.
func asCall(request Part, called map[string]bool) Part {
	call, id := AskedCall(request.Value)
	if !call.Exists() || called[id.Text()] {
		return request
	}
	return Part{Kind: Call, Value: request.Value, ID: id, Name: call.Get("name")}
}

// IsMedia reports whether an element of a turn's content or parts is an image, audio, video or a
// document.
func IsMedia(v jsonstream.Value) bool {
	p, _ := PartOf(v)
	return p.Kind == Media
}

// ofPydanticAI recognises a part of Pydantic AI. A request to retry a call is its result.
func (s *shape) ofPydanticAI(v jsonstream.Value) Part {
	p := Part{Value: v}
	switch kind := s.partKind.Text(); {
	case kind == "tool-call", kind == "builtin-tool-call":
		p.Kind, p.Hosted = Call, kind == "builtin-tool-call"
	case kind == "tool-return", kind == "builtin-tool-return", kind == "retry-prompt" && s.calledName.Kind() == jsonstream.String:
		p.Kind, p.Hosted = Result, kind == "builtin-tool-return"
	case kind == "text", kind == "user-prompt", kind == "system-prompt", kind == "retry-prompt":
		p.Kind = Said
		return p
	case kind == "thinking":
		p.Kind = Reasoning
		return p
	case kind == "file":
		p.Kind = Media
		return p
	default:
		return p
	}
	p.ID, p.Name = s.toolCallID, s.calledName
	return p
}

// untyped recognises a part by a member other than its type: parts of Gemini, of A2A and of Bedrock.
func (s *shape) untyped(v jsonstream.Value) Part {
	switch {
	case s.functionCall.Kind() == jsonstream.Object:
		return Part{Kind: Call, Value: v, ID: s.functionCall.Get("id"), Name: s.functionCall.Get("name")}
	case s.functionResponse.Kind() == jsonstream.Object:
		return Part{Kind: Result, Value: v, ID: s.functionResponse.Get("id"), Name: s.functionResponse.Get("name")}
	case s.hostedCall.Kind() == jsonstream.Object: // Gemini
		return Part{Kind: Call, Value: v, ID: s.hostedCall.Get("id"), Name: s.hostedCall.Get("toolType"), Hosted: true}
	case s.hostedResult.Kind() == jsonstream.Object:
		return Part{Kind: Result, Value: v, ID: s.hostedResult.Get("id"), Name: s.hostedResult.Get("toolType"), Hosted: true}
	case s.thought.Kind() == jsonstream.True:
		return Part{Kind: Reasoning, Value: v}
	case s.text.Exists():
		return Part{Kind: Said, Value: v}
	case s.media.Exists():
		return Part{Kind: Media, Value: v}
	case s.toolUse.Kind() == jsonstream.Object: // Bedrock
		return Part{Kind: Call, Value: v, ID: s.toolUse.Get("toolUseId"), Name: s.toolUse.Get("name"), Hosted: s.toolUse.Get("type").Text() == "server_tool_use"}
	case s.toolResult.Kind() == jsonstream.Object:
		return Part{Kind: Result, Value: v, ID: s.toolResult.Get("toolUseId"), Hosted: s.toolResult.Get("type").Exists()}
	case s.reasoning.Exists():
		return Part{Kind: Reasoning, Value: v}
	case isToolRole(lower(s.role)):
		return Part{Kind: Result, Value: v, ID: s.toolCallID, Name: s.name}
	default:
		return Part{Kind: Other, Value: v}
	}
}

// isAnswered reports whether a tool part of a UIMessage has a result: its output, its error, or that a
// person denied the call.
func (s *shape) isAnswered() bool {
	return strings.HasPrefix(s.state.Text(), "output-") || s.state.Text() == "approval-responded" && s.approval.Get("approved").Kind() == jsonstream.False
}

func lower(role jsonstream.Value) string { return strings.ToLower(strings.TrimSpace(role.Text())) }

package conversation

import (
	"iter"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A PartKind is the kind of a part of a turn.
type PartKind int

const (
	Other     PartKind = iota // of an unknown kind
	Said                      // text
	Call                      // a tool call
	Result                    // the result of a tool call
	Reasoning                 // a model's reasoning, readable or not
	Media                     // an image, audio, video, a document
)

// A Part is a part of a turn.
type Part struct {
	Kind  PartKind
	Value jsonstream.Value // the turn, part, string or call that it is
	// ID is the id of the call, in a call or result; absent if there is none.
	ID jsonstream.Value
	// Name is the value with the name of the tool, in a call or result; absent if there is none. See
	// [Part.Tool].
	Name jsonstream.Value
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
	role := s.langChainRole()
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
	for _, list := range [...]jsonstream.Value{s.content, s.parts} {
		for _, v := range list.Elements() {
			part, answered := partOf(v)
			if !yield(part) || answered && !yield(Part{Kind: Result, Value: v, ID: part.ID, Name: part.Name}) {
				return
			}
		}
	}
	s.yieldCalls(yield)
}

// yieldCalls yields the calls listed outside the content, as in OpenAI's Chat API and LangChain.
func (s *shape) yieldCalls(yield func(Part) bool) {
	for _, call := range s.toolCalls.Elements() {
		id, name := call.Get("id"), call.Get("function").Get("name")
		if !name.Exists() {
			name = call.Get("name")
		}
		if !s.hasCall(id.Text()) && !yield(Part{Call, call, id, name}) {
			return
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
		if p, _ := partOf(v); p.Kind == Call && p.ID.Text() == id {
			return true
		}
	}
	return false
}

// item recognises a turn that is a single part: an item of the Responses API, or by its role the result of
// a tool.
func (s *shape) item(v jsonstream.Value, role string) Part {
	switch kind := s.kind.Text(); {
	case kind == "local_shell_call_output" && !s.callID.Exists(): // OpenAI Responses, original version
		return Part{Result, v, s.id, s.name}
	case strings.HasSuffix(kind, "_call") || kind == "program": // OpenAI Responses: function_call, computer_call, …
		return Part{Call, v, s.callID, s.name}
	case strings.HasSuffix(kind, "_output"), strings.HasSuffix(kind, "_call_result"): // function_call_output, …; in JavaScript function_call_result
		return Part{Result, v, s.callID, s.name}
	case isToolRole(role): // OpenAI Chat, SW4RM, LangChain
		if !s.toolCallID.Exists() && s.holdsResults() { // the AI SDK
			return Part{}
		}
		return Part{Result, v, s.toolCallID, s.name}
	case s.role.Exists():
	case kind == "reasoning":
		return Part{Kind: Reasoning, Value: v}
	case strings.HasSuffix(kind, "tool_use"), strings.HasSuffix(kind, "tool_result"):
		p, _ := s.part(v)
		return p
	}
	return Part{}
}

// holdsResults reports whether a tool turn has content parts that are results.
func (s *shape) holdsResults() bool {
	if s.content.Kind() != jsonstream.Array {
		return false
	}
	for _, v := range s.content.Elements() {
		if p, _ := partOf(v); p.Kind == Result {
			return true
		}
	}
	return false
}

// partOf recognises an element of a turn's content or parts. answered reports that it is both a call and
// its result.
func partOf(v jsonstream.Value) (p Part, answered bool) {
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
	switch kind {
	case "text", "input_text", "output_text", "refusal":
		return Part{Kind: Said, Value: v}, false
	case "thinking", "redacted_thinking", "reasoning", "reasoning_content":
		return Part{Kind: Reasoning, Value: v}, false
	case "tool-call":
		return Part{Call, v, s.callerID, s.toolName}, false
	case "tool-result":
		return Part{Result, v, s.callerID, s.toolName}, false
	case "dynamic-tool":
		return Part{Call, v, s.callerID, s.toolName}, isAnswered(s.state)
	case "":
		return s.untyped(v), false
	}
	switch {
	case strings.HasPrefix(kind, uiTool) && s.callerID.Exists():
		return Part{Call, v, s.callerID, s.kind}, isAnswered(s.state)
	case strings.HasSuffix(kind, "tool_use"): // Anthropic: also server_tool_use, mcp_tool_use
		return Part{Call, v, s.id, s.name}, false
	case strings.HasSuffix(kind, "tool_result"): // also web_search_tool_result, …
		return Part{Result, v, s.toolUseID, s.name}, false
	case strings.HasSuffix(kind, "_call"): // LangChain: tool_call, function_call
		id := s.callID
		if !id.Exists() {
			id = s.id
		}
		return Part{Call, v, id, s.name}, false
	case strings.HasSuffix(kind, "_output"):
		return Part{Result, v, s.callID, s.name}, false
	case strings.Contains(kind, "image"), strings.Contains(kind, "audio"), strings.Contains(kind, "file"),
		strings.Contains(kind, "video"), kind == "document", kind == "media":
		return Part{Kind: Media, Value: v}, false
	}
	return Part{Kind: Other, Value: v}, false
}

// IsMedia reports whether an element of a turn's content or parts is an image, audio, video or a
// document.
func IsMedia(v jsonstream.Value) bool {
	p, _ := partOf(v)
	return p.Kind == Media
}

// untyped recognises a part by a member other than its type: parts of Gemini, of A2A and of Bedrock.
func (s *shape) untyped(v jsonstream.Value) Part {
	switch {
	case s.functionCall.Kind() == jsonstream.Object:
		return Part{Call, v, s.functionCall.Get("id"), s.functionCall.Get("name")}
	case s.functionResponse.Kind() == jsonstream.Object:
		return Part{Result, v, s.functionResponse.Get("id"), s.functionResponse.Get("name")}
	case s.thought.Kind() == jsonstream.True:
		return Part{Kind: Reasoning, Value: v}
	case s.text.Exists():
		return Part{Kind: Said, Value: v}
	case s.media.Exists():
		return Part{Kind: Media, Value: v}
	case s.toolUse.Kind() == jsonstream.Object: // Bedrock
		return Part{Call, v, s.toolUse.Get("toolUseId"), s.toolUse.Get("name")}
	case s.toolResult.Kind() == jsonstream.Object:
		return Part{Kind: Result, Value: v, ID: s.toolResult.Get("toolUseId")}
	case s.reasoning.Exists():
		return Part{Kind: Reasoning, Value: v}
	case isToolRole(lower(s.role)):
		return Part{Result, v, s.toolCallID, s.name}
	default:
		return Part{Kind: Other, Value: v}
	}
}

// isAnswered reports whether a tool part of a UIMessage with this state has a result.
func isAnswered(state jsonstream.Value) bool { return strings.HasPrefix(state.Text(), "output-") }

func lower(role jsonstream.Value) string { return strings.ToLower(strings.TrimSpace(role.Text())) }

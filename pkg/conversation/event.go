package conversation

import (
	"iter"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// IsRunItem reports whether type is that of a run item of the OpenAI Agents SDK, such as
// handoff_call_item, which has what a model gets in its raw_item. An approval is not a run
// item: no model gets it.
func IsRunItem(kind string) bool { return strings.HasSuffix(kind, "_item") && kind != CarriedType }

// Item returns the content of a turn: the raw_item of a run item of the OpenAI Agents SDK,
// and any other turn as it is.
func Item(turn jsonstream.Value) jsonstream.Value {
	if IsRunItem(turn.Get("type").Text()) {
		if raw := turn.Get("raw_item"); raw.Kind() == jsonstream.Object {
			return raw
		}
	}
	return turn
}

// Item returns the content of the turn: see [Item].
func (t Turn) Item() jsonstream.Value { return Item(t.Value) }

// A ToolEvent is a tool call, or the result of one.
type ToolEvent struct {
	Item   jsonstream.Value // the turn, part or call that it is in
	ID     jsonstream.Value // of the call: absent where it has none
	Result bool
}

// ToolEvents yields the calls and results of one turn, in the shapes of the
// OpenAI Responses and Chat APIs, of Anthropic's Messages API and of SW4RM, and of the
// [Item] of a run item.
func ToolEvents(turn jsonstream.Value) iter.Seq[ToolEvent] {
	return func(yield func(ToolEvent) bool) {
		s := shapeOf(turn)
		if s.rawItem.Kind() == jsonstream.Object && IsRunItem(s.kind.Text()) {
			turn = s.rawItem
			s = shapeOf(turn)
		}
		if e, ok := s.toolEvent(turn); ok && !yield(e) {
			return
		}
		for _, part := range s.content.Elements() {
			s := shapeOf(part)
			if e, ok := s.toolEvent(part); ok && !yield(e) {
				return
			}
		}
		for _, call := range s.toolCalls.Elements() { // OpenAI Chat
			if !yield(ToolEvent{call, call.Get("id"), false}) {
				return
			}
		}
		if s.functionCall.Kind() == jsonstream.Object { // OpenAI Chat, as first published
			yield(ToolEvent{Item: s.functionCall})
		}
	}
}

// A shape has the members of a turn, or of a part of one, that determine its kind.
type shape struct {
	kind, role                        jsonstream.Value
	id, callID, toolUseID, toolCallID jsonstream.Value
	content, toolCalls, functionCall  jsonstream.Value
	rawItem                           jsonstream.Value
}

// shapeOf finds the members in one pass: there are many turns, and most have only role and
// content.
func shapeOf(v jsonstream.Value) (s shape) {
	for name, member := range v.Members() {
		switch name {
		case "type":
			s.kind = member
		case "role":
			s.role = member
		case "id":
			s.id = member
		case "call_id":
			s.callID = member
		case "tool_use_id":
			s.toolUseID = member
		case "tool_call_id":
			s.toolCallID = member
		case "content":
			s.content = member
		case "tool_calls":
			s.toolCalls = member
		case "function_call":
			s.functionCall = member
		case "raw_item":
			s.rawItem = member
		}
	}
	return s
}

// toolEvent recognises an item or part by its shape.
func (s *shape) toolEvent(v jsonstream.Value) (ToolEvent, bool) {
	kind := s.kind.Text()
	switch {
	case kind == "local_shell_call_output" && !s.callID.Exists(): // OpenAI Responses, as first published
		return ToolEvent{v, s.id, true}, true
	case strings.HasSuffix(kind, "_call") || kind == "program": // OpenAI Responses: function_call, computer_call, …
		return ToolEvent{v, s.callID, false}, true
	case strings.HasSuffix(kind, "_output"): // function_call_output, …
		return ToolEvent{v, s.callID, true}, true
	case strings.HasSuffix(kind, "tool_use"): // Anthropic: also server_tool_use, mcp_tool_use
		return ToolEvent{v, s.id, false}, true
	case strings.HasSuffix(kind, "tool_result"): // also web_search_tool_result, …
		return ToolEvent{v, s.toolUseID, true}, true
	case isToolRole(strings.ToLower(strings.TrimSpace(s.role.Text()))): // OpenAI Chat, SW4RM
		return ToolEvent{v, s.toolCallID, true}, true
	default:
		return ToolEvent{}, false
	}
}

// toolTypes are the types that remove_all_tools of OpenAI's Agents SDK names.
var toolTypes = []string{
	"function_call", "function_call_output", "computer_call", "computer_call_output", "file_search_call",
	"tool_search_call", "tool_search_output", "web_search_call", "mcp_call", "mcp_list_tools",
	"mcp_approval_request", "mcp_approval_response", "reasoning", "code_interpreter_call", "image_generation_call",
	"local_shell_call", "local_shell_call_output", "shell_call", "shell_call_output", "apply_patch_call",
	"apply_patch_call_output", "custom_tool_call", "custom_tool_call_output", "hosted_tool_call", "program", "program_output",
}

// IsToolItem reports whether an item of the OpenAI Responses API is of a type that the
// Agents SDK removes as a tool.
func IsToolItem(item jsonstream.Value) bool {
	return slices.Contains(toolTypes, item.Get("type").Text())
}

// isToolRole reports whether a role is that of a tool; function is an older name.
func isToolRole(role string) bool { return role == "tool" || role == "function" }

// IsTool reports whether a turn, or a part of one, is about a tool and nothing
// else.
func IsTool(item jsonstream.Value) bool {
	item = Item(item)
	if IsToolItem(item) || isApproval(item) {
		return true
	}
	s := shapeOf(item)
	_, ok := s.toolEvent(item)
	return ok
}

// isApproval reports whether an item is one by which the Agents SDK asks for the
// approval of a call.
func isApproval(item jsonstream.Value) bool {
	return item.Get("type").Text() == CarriedType && item.Get("name").Text() != CarriedName
}

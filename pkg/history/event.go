package history

import (
	"iter"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A ToolEvent is a tool call, or the result of one.
type ToolEvent struct {
	Item   jsonstream.Value // the turn, part or call that it stands in
	ID     jsonstream.Value // of the call: absent where it has none
	Result bool
}

// ToolEvents yields the calls and results of one turn, in the shapes of the
// OpenAI Responses and Chat APIs, of Anthropic's Messages API and of SW4RM.
func ToolEvents(turn jsonstream.Value) iter.Seq[ToolEvent] {
	return func(yield func(ToolEvent) bool) {
		if e, ok := asToolEvent(turn); ok && !yield(e) {
			return
		}
		for _, part := range turn.Get("content").Elements() {
			if e, ok := asToolEvent(part); ok && !yield(e) {
				return
			}
		}
		for _, call := range turn.Get("tool_calls").Elements() { // OpenAI Chat
			if !yield(ToolEvent{call, call.Get("id"), false}) {
				return
			}
		}
		if call := turn.Get("function_call"); call.Kind() == jsonstream.Object { // OpenAI Chat, as first published
			yield(ToolEvent{Item: call})
		}
	}
}

// asToolEvent recognises an item or part by its shape.
func asToolEvent(item jsonstream.Value) (ToolEvent, bool) {
	kind := item.Get("type").Text()
	switch {
	case kind == "local_shell_call_output" && !item.Get("call_id").Exists(): // OpenAI Responses, as first published
		return ToolEvent{item, item.Get("id"), true}, true
	case strings.HasSuffix(kind, "_call") || kind == "program": // OpenAI Responses: function_call, computer_call, …
		return ToolEvent{item, item.Get("call_id"), false}, true
	case strings.HasSuffix(kind, "_output"): // function_call_output, …
		return ToolEvent{item, item.Get("call_id"), true}, true
	case strings.HasSuffix(kind, "tool_use"): // Anthropic: also server_tool_use, mcp_tool_use
		return ToolEvent{item, item.Get("id"), false}, true
	case strings.HasSuffix(kind, "tool_result"): // also web_search_tool_result, …
		return ToolEvent{item, item.Get("tool_use_id"), true}, true
	case isToolRole(roleOf(item)): // OpenAI Chat, SW4RM
		return ToolEvent{item, item.Get("tool_call_id"), true}, true
	default:
		return ToolEvent{}, false
	}
}

// toolTypes are the types of the items of the OpenAI Responses API that its
// Agents SDK takes for tools when it removes them.
var toolTypes = []string{
	"function_call", "function_call_output", "computer_call", "computer_call_output", "file_search_call",
	"tool_search_call", "tool_search_output", "web_search_call", "mcp_call", "mcp_list_tools",
	"mcp_approval_request", "mcp_approval_response", "reasoning", "code_interpreter_call", "image_generation_call",
	"local_shell_call", "local_shell_call_output", "shell_call", "shell_call_output", "apply_patch_call",
	"apply_patch_call_output", "custom_tool_call", "custom_tool_call_output", "hosted_tool_call", "program", "program_output",
}

// isToolRole reports whether a role is that of a tool; function is an older name.
func isToolRole(role string) bool { return role == "tool" || role == "function" }

// IsTool reports whether a turn, or a part of one, is about a tool and nothing
// else.
func IsTool(item jsonstream.Value) bool {
	if slices.Contains(toolTypes, item.Get("type").Text()) || isApproval(item) {
		return true
	}
	_, ok := asToolEvent(item)
	return ok
}

// isApproval reports whether an item is one by which the Agents SDK asks for the
// approval of a call.
func isApproval(item jsonstream.Value) bool {
	return item.Get("type").Text() == CarriedType && item.Get("name").Text() != CarriedName
}

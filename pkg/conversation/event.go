package conversation

import (
	"iter"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// IsRunItem reports whether kind is the type of a run item of the OpenAI Agents SDK, such as
// handoff_call_item. Its raw_item, or rawItem, is the item that a model receives. An approval is not a run
// item: no model receives it.
func IsRunItem(kind string) bool { return strings.HasSuffix(kind, "_item") && kind != CarriedType }

// Item returns the content of a wrapped turn: the raw_item of a run item of the OpenAI Agents SDK, the
// kwargs or data of a message serialised by LangChain, the content of an event of Google's ADK, the message
// or payload of a line of a coding agent's session. Other turns are their own content.
func Item(turn jsonstream.Value) jsonstream.Value {
	s := shapeOf(turn)
	if inner := s.inner(); inner.Exists() {
		return inner
	}
	return turn
}

// Item returns the content of the turn: see [Item].
func (t Turn) Item() jsonstream.Value { return Item(t.Value) }

// ToolEvents yields the calls and results among the [Parts] of a turn.
func ToolEvents(turn jsonstream.Value) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		yieldParts(turn, func(p Part) bool { return p.Kind != Call && p.Kind != Result || yield(p) })
	}
}

// toolTypes are the types in remove_all_tools of OpenAI's Agents SDK, and in removeAllTools of its
// JavaScript version.
var toolTypes = []string{
	"function_call", "function_call_output", "computer_call", "computer_call_output", "file_search_call",
	"tool_search_call", "tool_search_output", "web_search_call", "mcp_call",
	"mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "reasoning", "code_interpreter_call", "image_generation_call",
	"local_shell_call", "local_shell_call_output", "shell_call", "shell_call_output", "apply_patch_call",
	"apply_patch_call_output", "custom_tool_call", "custom_tool_call_output", "hosted_tool_call", "program", "program_output",
	"function_call_result", "computer_call_result", // of JavaScript
}

// IsToolItem reports whether the Agents SDK removes an item of the OpenAI Responses API as a tool item.
func IsToolItem(item jsonstream.Value) bool {
	return slices.Contains(toolTypes, item.Get("type").Text())
}

// isToolRole reports whether a role is a tool's; "function" is the older name.
func isToolRole(role string) bool { return role == "tool" || role == "function" }

// IsTool reports whether a turn, or a part of one, is only about a tool.
func IsTool(item jsonstream.Value) bool {
	s := shapeOf(item)
	if copilotRole(s.kind.Text()) == "tool" {
		return true
	}
	role := s.langChainRole()
	if inner := s.inner(); inner.Exists() {
		item, s = inner, shapeOf(inner)
	}
	if IsToolItem(item) || isApproval(item) {
		return true
	}
	if role == "" {
		role = lower(s.role)
	}
	p := s.item(item, role)
	if p.Kind == Other {
		p, _ = s.part(item)
	}
	return p.Kind == Call || p.Kind == Result
}

// isApproval reports whether an item is a request of the Agents SDK for the approval of a call.
func isApproval(item jsonstream.Value) bool {
	return item.Get("type").Text() == CarriedType && item.Get("name").Text() != CarriedName
}

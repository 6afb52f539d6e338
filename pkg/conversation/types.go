package conversation

import (
	"slices"
	"strings"
)

// A Type is a type of parts or items in the unions of the SDKs.
type Type struct {
	Name string // the value of the member type
	Kind PartKind
	// Hosted reports that the provider runs the tool, so that the client never answers the call.
	Hosted bool
	// Results are the types of the results of a call, separated by spaces; "" if the part has its own
	// result. ID is the member with the id that a call and its results share, "" if they have none.
	Results, ID string
	// Formats are the formats whose unions have the type, separated by spaces.
	Formats string
}

// types has a row for every type of the unions that TestUnions reads, in the order of their names. A type
// without a row is [Other]: in particular, it is never a call.
var types = []Type{
	{Name: "additional_tools", Kind: Setting, Formats: "openai-responses"},
	{Name: "advisor_tool_result", Kind: Result, Hosted: true, ID: "tool_use_id", Formats: "anthropic"},
	{Name: "agent_message", Formats: "openai-responses codex"}, // of the beta version
	{Name: "apply_patch_call", Kind: Call, Results: "apply_patch_call_output", ID: "call_id", Formats: "openai-responses openai-js"},
	{Name: "apply_patch_call_output", Kind: Result, ID: "call_id", Formats: "openai-responses openai-js"},
	{Name: "audio", Kind: Media, Formats: "openai-js langchain"},
	{Name: "bash_code_execution_tool_result", Kind: Result, Hosted: true, ID: "tool_use_id", Formats: "anthropic"},
	{Name: "browser_state", Formats: "anthropic"},
	{Name: "code_execution_tool_result", Kind: Result, Hosted: true, ID: "tool_use_id", Formats: "anthropic"},
	{Name: "code_interpreter_call", Kind: Call, Hosted: true, Formats: "openai-responses"},
	{Name: "code_interpreter_tool_call", Kind: Call, Hosted: true, Results: "code_interpreter_tool_result", ID: "call_id", Formats: "agent-framework"},
	{Name: "code_interpreter_tool_result", Kind: Result, Hosted: true, ID: "call_id", Formats: "agent-framework"},
	{Name: "compaction", Formats: "anthropic openai-responses openai-js"},
	{Name: "compaction_trigger", Kind: Setting, Formats: "openai-responses"},
	{Name: "computer_call", Kind: Call, Results: "computer_call_output computer_call_result", ID: "call_id", Formats: "openai-responses openai-js"},
	{Name: "computer_call_output", Kind: Result, ID: "call_id", Formats: "openai-responses"},
	{Name: "computer_call_result", Kind: Result, ID: "call_id", Formats: "openai-js"},
	{Name: "computer_screenshot", Kind: Media, Formats: "openai-responses"},
	{Name: "configuration_update", Kind: Setting, Formats: "openai-responses"},
	{Name: "container_upload", Formats: "anthropic"},
	{Name: "context_compaction", Formats: "codex"},
	{Name: "custom", Formats: "ai-sdk"},
	{Name: "custom_tool_call", Kind: Call, Results: "custom_tool_call_output", ID: "call_id", Formats: "openai-responses"},
	{Name: "custom_tool_call_output", Kind: Result, ID: "call_id", Formats: "openai-responses"},
	{Name: "data", Kind: Media, Formats: "agent-framework"},
	{Name: "document", Kind: Media, Formats: "anthropic"},
	{Name: "dynamic-tool", Kind: Call, ID: "toolCallId", Formats: "ai-sdk"},
	{Name: "fallback", Formats: "anthropic"},
	{Name: "file", Kind: Media, Formats: "openai-chat ai-sdk langchain"},
	{Name: "file-data", Kind: Media, Formats: "ai-sdk"}, // this and the next in results
	{Name: "file-id", Kind: Media, Formats: "ai-sdk"},
	{Name: "file-reference", Kind: Media, Formats: "ai-sdk"},
	{Name: "file-url", Kind: Media, Formats: "ai-sdk"},
	{Name: "file_search_call", Kind: Call, Hosted: true, Formats: "openai-responses"},
	{Name: "functionApprovalRequest", Kind: ApprovalRequest, ID: "id", Formats: "agent-framework"},
	{Name: "functionApprovalResponse", Kind: ApprovalResponse, ID: "id", Formats: "agent-framework"},
	{Name: "functionCall", Kind: Call, Results: "functionResult", ID: "call_id", Formats: "agent-framework"},
	{Name: "functionResult", Kind: Result, ID: "call_id", Formats: "agent-framework"},
	{Name: "function_approval_request", Kind: ApprovalRequest, ID: "id", Formats: "agent-framework"},
	{Name: "function_approval_response", Kind: ApprovalResponse, ID: "id", Formats: "agent-framework"},
	{Name: "function_call", Kind: Call, Results: "function_call_output function_call_result function_result", ID: "call_id", Formats: "openai-responses openai-js agent-framework"},
	{Name: "function_call_output", Kind: Result, ID: "call_id", Formats: "openai-responses"},
	{Name: "function_call_result", Kind: Result, ID: "call_id", Formats: "openai-js"},
	{Name: "function_result", Kind: Result, ID: "call_id", Formats: "agent-framework"},
	{Name: "ghost_snapshot", Kind: Setting, Formats: "codex"},
	{Name: "hosted_file", Kind: Media, Formats: "agent-framework"},
	{Name: "hosted_tool_call", Kind: Call, Hosted: true, Formats: "openai-js"},
	{Name: "image", Kind: Media, Formats: "anthropic openai-js ai-sdk langchain"},
	{Name: "image-data", Kind: Media, Formats: "ai-sdk"},
	{Name: "image-file-id", Kind: Media, Formats: "ai-sdk"},
	{Name: "image-file-reference", Kind: Media, Formats: "ai-sdk"},
	{Name: "image-url", Kind: Media, Formats: "ai-sdk"},
	{Name: "image_generation_call", Kind: Call, Hosted: true, Formats: "openai-responses"},
	{Name: "image_url", Kind: Media, Formats: "openai-chat"},
	{Name: "input_audio", Kind: Media, Formats: "openai-chat"},
	{Name: "input_file", Kind: Media, Formats: "openai-responses openai-js"},
	{Name: "input_image", Kind: Media, Formats: "openai-responses openai-js"},
	{Name: "input_text", Kind: Said, Formats: "openai-responses openai-js"},
	{Name: "invalid_tool_call", Kind: Call, Results: "tool", ID: "id", Formats: "langchain"},
	{Name: "item_reference", Formats: "openai-responses"},
	{Name: "local_shell_call", Kind: Call, Results: "local_shell_call_output function_call_output", ID: "call_id", Formats: "openai-responses"},
	{Name: "local_shell_call_output", Kind: Result, ID: "call_id", Formats: "openai-responses"},
	{Name: "mcpServerToolCall", Kind: Call, Hosted: true, Results: "mcpServerToolResult", ID: "call_id", Formats: "agent-framework"},
	{Name: "mcpServerToolResult", Kind: Result, Hosted: true, ID: "call_id", Formats: "agent-framework"},
	{Name: "mcp_approval_request", Kind: ApprovalRequest, ID: "id", Formats: "openai-responses"},
	{Name: "mcp_approval_response", Kind: ApprovalResponse, ID: "approval_request_id", Formats: "openai-responses"},
	{Name: "mcp_call", Kind: Call, Hosted: true, Formats: "openai-responses"},
	{Name: "mcp_list_tools", Formats: "openai-responses"},
	{Name: "mcp_server_tool_call", Kind: Call, Hosted: true, Results: "mcp_server_tool_result", ID: "call_id", Formats: "agent-framework"},
	{Name: "mcp_server_tool_result", Kind: Result, Hosted: true, ID: "call_id", Formats: "agent-framework"},
	{Name: "mcp_tool_listing", Formats: "anthropic"},
	{Name: "mcp_tool_result", Kind: Result, Hosted: true, ID: "tool_use_id", Formats: "anthropic"},
	{Name: "mcp_tool_use", Kind: Call, Hosted: true, Results: "mcp_tool_result", ID: "id", Formats: "anthropic"},
	{Name: "media", Kind: Media, Formats: "langchain"},
	{Name: "message", Formats: "openai-responses openai-js"},
	{Name: "multi_agent_call", Kind: Call, Hosted: true, Results: "multi_agent_call_output", ID: "call_id", Formats: "openai-responses"},
	{Name: "multi_agent_call_output", Kind: Result, Hosted: true, ID: "call_id", Formats: "openai-responses"},
	{Name: "non_standard", Formats: "langchain"},
	{Name: "output_text", Kind: Said, Formats: "openai-responses openai-js"},
	{Name: "program", Kind: Call, Hosted: true, Results: "program_output", ID: "call_id", Formats: "openai-responses openai-js"},
	{Name: "program_output", Kind: Result, Hosted: true, ID: "call_id", Formats: "openai-responses openai-js"},
	{Name: "reasoning", Kind: Reasoning, Formats: "openai-responses openai-js ai-sdk langchain agent-framework"},
	{Name: "reasoning-file", Kind: Reasoning, Formats: "ai-sdk"},
	{Name: "reasoning_content", Kind: Reasoning, Formats: "langchain"},
	{Name: "redacted_thinking", Kind: Reasoning, Formats: "anthropic"},
	{Name: "refusal", Kind: Said, Formats: "openai-chat openai-responses openai-js langchain"},
	{Name: "search_result", Formats: "anthropic"},
	{Name: "server_tool_call", Kind: Call, Hosted: true, Results: "server_tool_call_result server_tool_result", ID: "id", Formats: "langchain"},
	{Name: "server_tool_call_chunk", Kind: Call, Hosted: true, Results: "server_tool_call_result server_tool_result", ID: "id", Formats: "langchain"},
	{Name: "server_tool_call_result", Kind: Result, Hosted: true, ID: "toolCallId", Formats: "langchain"},
	{Name: "server_tool_result", Kind: Result, Hosted: true, ID: "toolCallId", Formats: "langchain"}, // of Python
	{Name: "server_tool_use", Kind: Call, Hosted: true, Results: "advisor_tool_result bash_code_execution_tool_result code_execution_tool_result text_editor_code_execution_tool_result tool_search_tool_result web_fetch_tool_result web_search_tool_result", ID: "id", Formats: "anthropic"},
	{Name: "shell_call", Kind: Call, Results: "shell_call_output", ID: "call_id", Formats: "openai-responses openai-js"},
	{Name: "shell_call_output", Kind: Result, ID: "call_id", Formats: "openai-responses openai-js"},
	{Name: "source-document", Formats: "ai-sdk"},
	{Name: "source-url", Formats: "ai-sdk"},
	{Name: "steering-message", Formats: "ai-sdk"},
	{Name: "step-start", Formats: "ai-sdk"},
	{Name: "text", Kind: Said, Formats: "anthropic openai-chat ai-sdk langchain agent-framework"},
	{Name: "text-plain", Kind: Media, Formats: "langchain"},
	{Name: "text_editor_code_execution_tool_result", Kind: Result, Hosted: true, ID: "tool_use_id", Formats: "anthropic"},
	{Name: "text_reasoning", Kind: Reasoning, Formats: "agent-framework"},
	{Name: "thinking", Kind: Reasoning, Formats: "anthropic"},
	{Name: "tool-approval-request", Kind: ApprovalRequest, ID: "approvalId", Formats: "ai-sdk"},
	{Name: "tool-approval-response", Kind: ApprovalResponse, ID: "approvalId", Formats: "ai-sdk"},
	{Name: "tool-call", Kind: Call, Results: "tool-result", ID: "toolCallId", Formats: "ai-sdk"},
	{Name: "tool-result", Kind: Result, ID: "toolCallId", Formats: "ai-sdk"},
	{Name: "toolApprovalRequest", Kind: ApprovalRequest, ID: "requestId", Formats: "agent-framework"}, // since version 1 for .NET
	{Name: "toolApprovalResponse", Kind: ApprovalResponse, ID: "requestId", Formats: "agent-framework"},
	{Name: "tool_addition", Formats: "anthropic"},
	{Name: "tool_call", Kind: Call, Results: "tool", ID: "id", Formats: "langchain"},
	{Name: "tool_call_chunk", Kind: Call, Results: "tool", ID: "id", Formats: "langchain"},
	{Name: "tool_reference", Formats: "anthropic"},
	{Name: "tool_removal", Formats: "anthropic"},
	{Name: "tool_result", Kind: Result, ID: "tool_use_id", Formats: "anthropic"},
	{Name: "tool_search_call", Kind: Call, Hosted: true, Results: "tool_search_output", ID: "call_id", Formats: "openai-responses openai-js"},
	{Name: "tool_search_output", Kind: Result, Hosted: true, ID: "call_id", Formats: "openai-responses openai-js"},
	{Name: "tool_search_tool_result", Kind: Result, Hosted: true, ID: "tool_use_id", Formats: "anthropic"},
	{Name: "tool_use", Kind: Call, Results: "tool_result", ID: "id", Formats: "anthropic"},
	{Name: "unknown", Formats: "openai-js"},
	{Name: "uri", Kind: Media, Formats: "agent-framework"},
	{Name: "video", Kind: Media, Formats: "langchain"},
	{Name: "video_url", Kind: Media, Formats: "openai-chat"},
	{Name: "web_fetch_tool_result", Kind: Result, Hosted: true, ID: "tool_use_id", Formats: "anthropic"},
	{Name: "web_search_call", Kind: Call, Hosted: true, Formats: "openai-responses"},
	{Name: "web_search_tool_result", Kind: Result, Hosted: true, ID: "tool_use_id", Formats: "anthropic"},
}

// members has a row for every member of the parts of Gemini and Bedrock, which have no type. A part has one
// member of a kind other than [Other], or Gemini's thought besides its text.
var members = []Type{
	{Name: "audio", Kind: Media, Formats: "bedrock-converse"},
	{Name: "audioTranscription", Formats: "gemini"},
	{Name: "cachePoint", Formats: "bedrock-converse"},
	{Name: "citationsContent", Kind: Said, Formats: "bedrock-converse"},
	{Name: "codeExecutionResult", Kind: Result, Hosted: true, Formats: "gemini"},
	{Name: "document", Kind: Media, Formats: "bedrock-converse"},
	{Name: "executableCode", Kind: Call, Hosted: true, Results: "codeExecutionResult", Formats: "gemini"},
	{Name: "fileData", Kind: Media, Formats: "gemini"},
	{Name: "functionCall", Kind: Call, Results: "functionResponse", ID: "id", Formats: "gemini"},
	{Name: "functionResponse", Kind: Result, ID: "id", Formats: "gemini"},
	{Name: "guardContent", Formats: "bedrock-converse"},
	{Name: "image", Kind: Media, Formats: "bedrock-converse"},
	{Name: "inlineData", Kind: Media, Formats: "gemini"},
	{Name: "json", Formats: "bedrock-converse"},
	{Name: "mediaProcessing", Formats: "gemini"},
	{Name: "mediaResolution", Formats: "gemini"},
	{Name: "partMetadata", Formats: "gemini"},
	{Name: "reasoningContent", Kind: Reasoning, Formats: "bedrock-converse"},
	{Name: "searchResult", Formats: "bedrock-converse"},
	{Name: "speechMetadata", Formats: "gemini"},
	{Name: "text", Kind: Said, Formats: "gemini bedrock-converse"},
	{Name: "thought", Kind: Reasoning, Formats: "gemini"},
	{Name: "thoughtSignature", Formats: "gemini"},
	{Name: "toolAddition", Formats: "bedrock-converse"},
	{Name: "toolCall", Kind: Call, Hosted: true, Results: "toolResponse", ID: "id", Formats: "gemini"},
	{Name: "toolRemoval", Formats: "bedrock-converse"},
	{Name: "toolResponse", Kind: Result, Hosted: true, ID: "id", Formats: "gemini"},
	{Name: "toolResult", Kind: Result, ID: "toolUseId", Formats: "bedrock-converse"},
	{Name: "toolUse", Kind: Call, Results: "toolResult", ID: "toolUseId", Formats: "bedrock-converse"},
	{Name: "video", Kind: Media, Formats: "bedrock-converse"},
	{Name: "videoMetadata", Formats: "gemini"},
}

// TypeNamed returns the row of a type, nil if there is none.
func TypeNamed(name string) *Type { return row(types, name) }

func row(types []Type, name string) *Type {
	i, ok := slices.BinarySearchFunc(types, name, func(t Type, name string) int { return strings.Compare(t.Name, name) })
	if !ok {
		return nil
	}
	return &types[i]
}

// ServerToolResult returns the type of the results of a server tool of Anthropic.
func ServerToolResult(tool string) string {
	if strings.HasPrefix(tool, "tool_search_tool_") {
		return "tool_search_tool_result"
	}
	return tool + "_tool_result"
}

// Is reports whether the union of a format has the type.
func (t *Type) Is(format string) bool { return slices.Contains(strings.Fields(t.Formats), format) }

// IsItem reports whether the type is one of items of OpenAI's Responses API or Agents SDK.
func (t *Type) IsItem() bool {
	return strings.Contains(t.Formats, "openai-responses") || strings.Contains(t.Formats, "openai-js")
}

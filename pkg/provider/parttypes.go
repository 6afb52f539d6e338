package provider

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
)

// partTypes are the types of content parts that APIs accept, by the role of the turn; "" stands for every
// other role.
var partTypes = map[Provider]map[string][]string{
	OpenAIChat: {
		"":        {"text"},
		user:      {"text", "image_url", "input_audio", "file"},
		assistant: {"text", "refusal"},
	},
	OpenAIResponses: {
		"":        {"input_text", "input_image", "input_file", "input_audio", "computer_screenshot", "summary_text"},
		assistant: {"output_text", "refusal"},
	},
	Anthropic: {
		"": {"text", "image", "document", "search_result", "thinking", "redacted_thinking", "container_upload", "compaction",
			"tool_use", "tool_result", "server_tool_use", "mcp_tool_use", "mcp_tool_result"},
	},
}

// foreignPartTypes are part types that only messages of the AI SDK and of LangChain have.
var foreignPartTypes = []string{"tool-call", "tool-result", "tool_call", "reasoning", "image", "audio", "video"}

// isPartType reports whether an API or SDK is known to have parts of a type. Other types may be newer.
func isPartType(kind string) bool {
	for _, roles := range partTypes {
		for _, types := range roles {
			if slices.Contains(types, kind) {
				return true
			}
		}
	}
	return slices.Contains(foreignPartTypes, kind)
}

// checkPartTypes reports parts that the API does not accept in a turn of that role, but that another API or
// SDK has.
func (c *checker) checkPartTypes(t conversation.Turn) {
	roles := partTypes[c.provider]
	role := roleOf(t)
	types, ok := roles[role]
	if !ok {
		types = roles[""]
	}
	if types == nil {
		return
	}
	for _, part := range t.Item().Get("content").Elements() {
		if kind := part.Get("type"); !slices.Contains(types, kind.Text()) && isPartType(kind.Text()) {
			c.report("shape", kind, "the API does not accept this type of part from the %s: found %s; use one of %s", role, finding.QuoteValue(kind), strings.Join(types, ", "))
		}
	}
}

// Package responses supports the items of OpenAI's Responses API: as an array, in a request
// body, or in a response.
package responses

import (
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes the items of the Responses API.
var Format = format.Descriptor{
	Name:   format.OpenAIResponses,
	System: "openai-responses",
	Title:  "OpenAI Responses",
	Kind:   "OpenAI Responses items",

	Members: []string{"input", "output", "instructions", "previous_response_id", "max_output_tokens", "include", "truncation", "background"},
	Known:   &format.Elements{List: format.ListIn(turns...), Fit: fit, Whole: whole},
	Needs:   turns,

	Schema:   schemas.OpenAIResponses,
	Profile:  profile,
	Provider: "openai-responses",
	Divided:  true,
	Turns:    turns,
	Sections: true,

	Keys: []format.Key{
		{Arrays: [][]string{{}, {"input"}, {"output"}}, Members: []string{"type", "call_id"}},
		{Arrays: [][]string{{}, {"input"}, {"output"}}, Members: []string{"type", "id"}},
	},

	Exchange: codec,
}

var turns = []string{"input", "output"}

// whole recognises a request body whose input is a text of the user.
func whole(root jsonstream.Value) format.Fit {
	if root.Get("input").Kind() == jsonstream.String && root.Get("model").Kind() == jsonstream.String {
		return format.Typical
	}
	return format.Foreign
}

// fit classifies a value as an item.
func fit(v jsonstream.Value) format.Fit {
	var kind, role, content jsonstream.Value
	best := format.Possible
	for name, member := range v.Members() {
		switch name {
		case "type":
			kind = member
		case "role":
			role = member
		case "content":
			content = member
		case "tool_calls", "tool_call_id", "function_call", "parts", "lc", "kwargs", "data", "raw_item", "payload", "uuid", "callId", "providerData":
			return format.Foreign
		}
	}
	if kind := kind.Text(); kind != "" && kind != "message" {
		return fitItem(kind, role, v)
	}
	switch role.Text() {
	case "system", "developer", "user", "assistant":
	default:
		if v.Len() == 1 && v.Get("id").Exists() { // a reference
			return best
		}
		return format.Foreign
	}
	if kind.Exists() && content.Kind() == jsonstream.String {
		best = format.Typical
	}
	for _, part := range content.Elements() {
		switch part.Get("type").Text() {
		case "input_text", "output_text", "input_image", "input_file", "input_audio", "summary_text", "computer_screenshot":
			best = format.Typical
		case "refusal":
		default:
			return format.Foreign
		}
	}
	return best
}

// fitItem classifies an item other than a message by its type.
func fitItem(kind string, role, v jsonstream.Value) format.Fit {
	switch {
	case kind == "additional_tools", kind == "compaction_trigger":
		return format.Typical
	case role.Exists():
		return format.Foreign
	case kind == "reasoning" && (v.Get("summary").Exists() || v.Get("encrypted_content").Exists()),
		kind == "item_reference", kind == "compaction", kind == "program",
		strings.HasPrefix(kind, "mcp_"), strings.HasSuffix(kind, "_call"), strings.HasSuffix(kind, "_output"):
		return format.Typical
	default:
		return format.Foreign
	}
}

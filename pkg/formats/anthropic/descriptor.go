// Package anthropic supports the messages of Anthropic's Messages API: as an array, in an
// object with the member messages, or in a request body.
package anthropic

import (
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes the messages of the Messages API.
var Format = format.Descriptor{
	Name:   format.Anthropic,
	System: "anthropic",
	Title:  "Anthropic Messages",
	Kind:   "Anthropic messages",

	Members: []string{"system", "stop_sequences", "anthropic_version", "anthropic_beta", "output_config", "mcp_servers", "top_k"},
	Known:   &format.Elements{List: format.ListIn("messages"), Fit: fit, Later: later, Tells: tells},
	Needs:   []string{"messages"},

	Schema:   schemas.Anthropic,
	Profile:  profile,
	Provider: "anthropic",
	Turns:    []string{"messages"},
	Sections: true,

	UserFirst: true,

	Exchange: codec,
}

// tells reports whether the model or the tools of a request body indicate the API.
func tells(root jsonstream.Value) bool {
	if strings.HasPrefix(root.Get("model").Text(), "claude") && root.Get("max_tokens").Exists() {
		return true
	}
	for _, tool := range root.Get("tools").Elements() {
		if tool.Get("input_schema").Exists() {
			return true
		}
	}
	return false
}

// later reports whether a message is one of the system, which other APIs have first.
func later(v jsonstream.Value) bool { return v.Get("role").Text() == "system" }

// fit classifies a value as a message.
func fit(v jsonstream.Value) format.Fit {
	var role, content jsonstream.Value
	best := format.Possible
	for name, member := range v.Members() {
		switch name {
		case "role":
			role = member
		case "content":
			content = member
		case "type":
			if member.Text() != "message" {
				return format.Foreign
			}
		case "stop_reason":
			best = format.Typical
		case "tool_calls", "tool_call_id", "function_call", "parts", "lc", "toolInvocations":
			return format.Foreign
		}
	}
	if role.Text() == "" || content.Kind() != jsonstream.String && content.Kind() != jsonstream.Array {
		return format.Foreign
	}
	for _, block := range content.Elements() {
		switch f := fitBlock(block); f {
		case format.Foreign:
			return f
		case format.Typical:
			best = f
		}
	}
	switch role.Text() {
	case "user", "assistant", "system":
		return best
	}
	if best == format.Typical { // only the role is invalid in the API
		return best
	}
	return format.Foreign
}

// fitBlock classifies a value as a content block.
func fitBlock(v jsonstream.Value) format.Fit {
	switch kind := v.Get("type").Text(); {
	case kind == "text":
		switch {
		case v.Get("providerOptions").Exists():
			return format.Foreign
		case v.Get("cache_control").Exists(), v.Get("citations").Exists():
			return format.Typical
		}
		return format.Possible
	case kind == "thinking", kind == "redacted_thinking", kind == "container_upload", kind == "search_result",
		kind == "compaction", kind == "fallback", kind == "browser_state", kind == "tool_addition", kind == "tool_removal",
		strings.HasSuffix(kind, "tool_use"), strings.HasSuffix(kind, "tool_result"):
		return format.Typical
	case (kind == "image" || kind == "document") && v.Get("source").Exists():
		return format.Typical
	default:
		return format.Foreign
	}
}

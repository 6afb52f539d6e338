// Package openaichat supports the messages of OpenAI's Chat Completions API: as an array, in an
// object with the member messages, or in a request body.
package openaichat

import (
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes the messages of the Chat Completions API.
var Format = format.Descriptor{
	Name:   format.OpenAIChat,
	System: "openai-chat",
	Title:  "OpenAI Chat Completions",
	Kind:   "OpenAI Chat Completions messages",

	Members: []string{"max_completion_tokens", "stream_options", "logit_bias", "parallel_tool_calls", "response_format", "frequency_penalty", "presence_penalty", "reasoning_effort"},
	Known:   &format.Elements{List: format.ListIn("messages"), Fit: fit, Tells: tells, Plain: true},
	Needs:   []string{"messages"},

	Schema:   schemas.OpenAIChat,
	Profile:  profile,
	Provider: "openai-chat",
	Turns:    []string{"messages"},
	Sections: true,

	Keys: []format.Key{{Arrays: [][]string{{}, {"messages"}}, Members: []string{"tool_call_id"}}},

	Exchange: codec,
}

// tells reports whether the tools of a request body indicate the API.
func tells(root jsonstream.Value) bool {
	for _, tool := range root.Get("tools").Elements() {
		if tool.Get("function").Exists() || tool.Get("custom").Exists() {
			return true
		}
	}
	return false
}

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
		case "tool_calls":
			for _, call := range member.Elements() {
				if !call.Get("function").Exists() && !call.Get("custom").Exists() {
					return format.Foreign
				}
				best = format.Typical
			}
		case "tool_call_id", "function_call", "refusal", "audio", "annotations":
			best = format.Typical
		case "parts", "type", "lc", "toolInvocations":
			return format.Foreign
		}
	}
	switch role.Text() {
	case "tool": // the AI SDK has an array of results instead
		if !v.Get("tool_call_id").Exists() && content.Kind() != jsonstream.String {
			return format.Foreign
		}
	case "function":
		best = format.Typical
	case "":
		return format.Foreign
	} // the API rejects other roles
	unknown := false
	for _, part := range content.Elements() {
		switch part.Get("type").Text() {
		case "text":
			if part.Get("citations").Exists() || part.Get("providerOptions").Exists() {
				return format.Foreign
			}
		case "image_url", "input_audio", "video_url", "refusal":
			best = format.Typical
		case "file":
			if !part.Get("file").Exists() {
				return format.Foreign
			}
			best = format.Typical
		case "tool-call", "tool-result", "tool_use", "tool_result", "reasoning", "thinking":
			return format.Foreign
		default: // a newer type, or none, if the rest of the message fits
			unknown = true
		}
	}
	if unknown && best != format.Typical {
		return format.Foreign
	}
	return best
}

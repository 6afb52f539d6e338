// Package aisdk supports the AI SDK's ModelMessages and UIMessages, as an array or in an object
// with the member messages.
package aisdk

import (
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes the messages of the AI SDK.
var Format = format.Descriptor{
	Name:   format.AISDK,
	System: "ai-sdk",
	Title:  "AI SDK",
	Kind:   "AI SDK messages",

	Members: []string{"providerOptions", "toolChoice", "experimental_context"},
	Known:   &format.Elements{List: format.ListIn("messages"), Fit: fit, Tells: tells},
	Needs:   []string{"messages"},

	Schema:  schemas.AISDK,
	Rules:   rules.All,
	Reasons: []finding.Reason{InvalidPrompt},
	Check:   rules.Check,

	Turns:    []string{"messages"},
	Sections: true,
	Profile:  profile,

	// ai 7.0.173, @ai-sdk/anthropic 4.0.105, @ai-sdk/amazon-bedrock 5.0.101
	Client: format.Client{OmitsReasoning: true, OmitsEmpty: true, OmitsBlank: true, Joins: []string{"user", "assistant"}, Waits: true},

	Keys: []format.Key{{Arrays: [][]string{{}, {"messages"}}, Members: []string{"id"}}}, // of UIMessages

	Say: say,

	Exchange: codec,
}

// say returns a UIMessage that contains text if like is one, and otherwise a ModelMessage.
func say(like jsonstream.Value, role, text string) []byte {
	if like.Get("parts").Exists() {
		return format.Fill(`{"id":%,"role":%,"parts":[{"type":"text","text":%}]}`, format.MadeID(text), role, text)
	}
	return format.Fill(`{"role":%,"content":%}`, role, text)
}

// tells reports whether the object has the option system, which OpenAI's Chat API does not have.
func tells(root jsonstream.Value) bool { return root.Get("system").Exists() }

// fit classifies a value as a message of either kind.
func fit(v jsonstream.Value) format.Fit {
	var role, content, parts jsonstream.Value
	best := format.Possible
	for name, member := range v.Members() {
		switch name {
		case "role":
			role = member
		case "content":
			content = member
		case "parts":
			parts = member
		case "providerOptions", "toolInvocations", "experimental_attachments":
			best = format.Typical
		case "tool_calls", "tool_call_id", "function_call", "lc", "type", "messageId":
			return format.Foreign
		}
	}
	switch role.Text() {
	case "system", "user", "assistant":
	case "tool":
		if content.Kind() != jsonstream.Array {
			return format.Foreign
		}
	default:
		return format.Foreign
	}
	if parts.Kind() == jsonstream.Array {
		for _, part := range parts.Elements() {
			if !part.Get("type").Exists() {
				return format.Foreign
			}
		}
		return format.Typical
	}
	for _, part := range content.Elements() {
		switch fitPart(part) {
		case format.Foreign:
			return format.Foreign
		case format.Typical:
			best = format.Typical
		}
	}
	if !content.Exists() {
		return format.Foreign
	}
	return best
}

// fitPart classifies a value as a part of a ModelMessage.
func fitPart(v jsonstream.Value) format.Fit {
	switch v.Get("type").Text() {
	case "text":
		switch {
		case v.Get("cache_control").Exists(), v.Get("citations").Exists():
			return format.Foreign
		case v.Get("providerOptions").Exists():
			return format.Typical
		}
		return format.Possible
	case "reasoning", "tool-call", "tool-result", "tool-approval-request", "tool-approval-response", "reasoning-file", "custom":
		return format.Typical
	case "image":
		if v.Get("image").Exists() {
			return format.Typical
		}
	case "file":
		if v.Get("data").Exists() || v.Get("mediaType").Exists() {
			return format.Typical
		}
	}
	return format.Foreign
}

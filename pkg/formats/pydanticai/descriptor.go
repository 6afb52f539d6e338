// Package pydanticai supports the message histories of Pydantic AI: an array of its requests and
// responses, as all_messages_json writes it.
package pydanticai

import (
	_ "embed"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Format describes the messages of Pydantic AI.
var Format = format.Descriptor{
	Name:   format.PydanticAI,
	System: "pydantic-ai",
	Title:  "Pydantic AI",
	Kind:   "Pydantic AI messages",

	Known: &format.Elements{List: format.ListIn("messages"), Fit: fit},
	Needs: []string{"messages"},

	Sections:   true,
	SchemaText: schema,

	Turns: []string{"messages"},
	Say:   say,

	// models/anthropic.py, bedrock.py and google.py of August 2026
	Client: format.Client{OmitsEmpty: true, Joins: []string{"user"}, Begins: true, KeepsOrder: true},

	Exchange: codec,
}

//go:embed schema.json
var schema []byte

// say returns a message that contains text.
func say(_ jsonstream.Value, role, text string) []byte {
	switch role {
	case "assistant":
		return format.Fill(`{"kind":"response","parts":[{"part_kind":"text","content":%}]}`, text)
	case "system":
		return format.Fill(`{"kind":"request","parts":[{"part_kind":"system-prompt","content":%}]}`, text)
	default:
		return format.Fill(`{"kind":"request","parts":[{"part_kind":"user-prompt","content":%}]}`, text)
	}
}

// fit classifies a value as a message.
func fit(v jsonstream.Value) format.Fit {
	kind, parts := v.Get("kind").Text(), v.Get("parts")
	if kind != "request" && kind != "response" || parts.Kind() != jsonstream.Array {
		return format.Foreign
	}
	for _, part := range parts.Elements() {
		if part.Get("part_kind").Kind() != jsonstream.String {
			return format.Foreign
		}
	}
	return format.Typical
}

// Package bedrock supports the messages of the Converse API of Amazon Bedrock: as an array or in
// a request body.
package bedrock

import (
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes the messages of the Converse API.
var Format = format.Descriptor{
	Name:   format.BedrockConverse,
	System: "bedrock-converse",
	Title:  "Amazon Bedrock Converse",
	Kind:   "Amazon Bedrock Converse messages",

	Members: []string{"modelId", "inferenceConfig", "guardrailConfig", "additionalModelRequestFields"},
	Known:   &format.Elements{List: format.ListIn("messages"), Fit: fit},
	Needs:   []string{"messages"},

	Schema:   schemas.BedrockConverse,
	Turns:    []string{"messages"},
	Sections: true,
	Provider: "bedrock-converse",

	Say:       say,
	UserFirst: true,

	Exchange: codec,
}

// say returns a message that contains text.
func say(_ jsonstream.Value, role, text string) []byte {
	return format.Fill(`{"role":%,"content":[{"text":%}]}`, role, text)
}

// fit classifies a value as a message.
func fit(v jsonstream.Value) format.Fit {
	role, content := v.Get("role").Text(), v.Get("content")
	if role != "user" && role != "assistant" && role != "system" || content.Kind() != jsonstream.Array {
		return format.Foreign
	}
	best := format.Possible
	for _, block := range content.Elements() {
		if block.Kind() != jsonstream.Object || block.Get("type").Exists() {
			return format.Foreign
		}
		best = format.Typical
	}
	return best
}

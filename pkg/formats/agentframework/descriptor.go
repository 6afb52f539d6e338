// Package agentframework supports the chat messages of Microsoft's Agent Framework, as its versions for
// Python and .NET serialize them.
package agentframework

import (
	_ "embed"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Format describes the messages of Agent Framework.
var Format = format.Descriptor{
	Name:   format.AgentFramework,
	System: "agent-framework",
	Title:  "Agent Framework",
	Kind:   "Agent Framework messages",

	Known: &format.Elements{List: format.ListIn("messages"), Fit: fit},
	Needs: []string{"messages"},

	Sections:   true,
	SchemaText: schema,

	Turns: []string{"messages"},
	Say:   say,

	Exchange: codec,
}

//go:embed schema.json
var schema []byte

// say returns a message that contains text, in the spelling of like.
func say(like jsonstream.Value, role, text string) []byte {
	if like.Get("contents").First().Get("$type").Exists() {
		return format.Fill(`{"role":%,"contents":[{"$type":"text","text":%}]}`, role, text)
	}
	return format.Fill(`{"role":%,"contents":[{"type":"text","text":%}]}`, role, text)
}

// fit classifies a value as a message.
func fit(v jsonstream.Value) format.Fit {
	contents := v.Get("contents")
	if conversation.Role(v) == "" || contents.Kind() != jsonstream.Array || v.Get("content").Exists() {
		return format.Foreign
	}
	for _, c := range contents.Elements() {
		if !c.Get("type").Exists() && !c.Get("$type").Exists() {
			return format.Foreign
		}
	}
	return format.Typical
}

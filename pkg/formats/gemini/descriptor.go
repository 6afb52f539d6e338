// Package gemini supports the Gemini API: its contents, as an array or in a request body,
// and the events of Google ADK sessions, which wrap contents.
package gemini

import (
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes the contents of the Gemini API.
var Format = format.Descriptor{
	Name:   format.Gemini,
	System: "gemini",
	Title:  "Gemini",
	Kind:   "Gemini contents",

	Members: []string{"contents", "generationConfig", "safetySettings", "systemInstruction", "system_instruction", "cachedContent", "appName", "userId", "lastUpdateTime"},
	Known:   &format.Elements{List: turnsIn, Fit: fit, Trail: newTrail},
	Needs:   turns,

	Schema:  schemas.Gemini,
	Rules:   rules.All,
	Reasons: []finding.Reason{InvalidArgument},
	Check:   rules.Check,

	Provider:  "gemini",
	Replaces:  isReplaced,
	Turns:     turns,
	Sections:  true,
	Exchange:  codec,
	Say:       say,
	UserFirst: true,
	Profile:   profile,
}

var turns = []string{"contents", "events", "history"}

// turnsIn returns the contents or events of a document.
func turnsIn(root jsonstream.Value) jsonstream.Value { return format.ListIn(turns...)(root) }

// fit classifies a value as a content or an event.
func fit(v jsonstream.Value) format.Fit {
	var role, parts, author, content jsonstream.Value
	for name, member := range v.Members() {
		switch name {
		case "role":
			role = member
		case "parts":
			parts = member
		case "author":
			author = member
		case "content":
			content = member
		case "messageId", "kind", "type", "lc":
			return format.Foreign
		}
	}
	if author.Kind() == jsonstream.String && (content.Get("parts").Exists() || v.Get("invocationId").Exists() || v.Get("actions").Exists()) {
		if !content.Get("parts").Exists() {
			return format.Beside
		}
		return format.Typical
	}
	switch role.Text() {
	case "", "user", "model", "function":
	default:
		return format.Foreign
	}
	if parts.Kind() != jsonstream.Array {
		return format.Foreign
	}
	for _, part := range parts.Elements() {
		if part.Kind() != jsonstream.Object || part.Get("type").Exists() || part.Get("kind").Exists() {
			return format.Foreign
		}
	}
	return format.Typical
}

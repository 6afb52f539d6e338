package geminicli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// IsDescription reports whether a value describes a session: the first line, or the whole session of the first
// versions.
func IsDescription(v jsonstream.Value) bool {
	return v.Get("sessionId").Kind() == jsonstream.String && v.Get("projectHash").Kind() == jsonstream.String
}

// isMessage reports whether a line is a message, and not the line of another agent.
func isMessage(v jsonstream.Value) bool {
	var id, kind, at jsonstream.Value
	for name, member := range v.Members() {
		switch name {
		case "id":
			id = member
		case "type":
			kind = member
		case "timestamp":
			at = member
		case "payload", "uuid", "sessionId", "leafUuid", "record_type", "role", "call_id":
			return false
		}
	}
	return id.Kind() == jsonstream.String && (kind.Text() != "" || !at.Exists())
}

// IsCommand reports whether a text of the user is a command to the program, or one that the program added in
// the user's name.
func IsCommand(text string) bool {
	text = strings.TrimSpace(text)
	return slices.ContainsFunc([]string{"/", "?", "<session_context>", "<hook_context>"}, func(mark string) bool { return strings.HasPrefix(text, mark) })
}

// Text returns a copy of the text of a content: a string, a part or an array of parts.
func Text(content jsonstream.Value) string {
	if content.Kind() != jsonstream.Array {
		return strings.Clone(partText(content))
	}
	var texts []string
	for _, p := range content.Elements() {
		if text := partText(p); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Clone(strings.Join(texts, "\n"))
}

// partText returns the text of a part, "" for thoughts, calls and results.
func partText(p jsonstream.Value) string {
	switch {
	case p.Kind() == jsonstream.String:
		return p.Text()
	case p.Get("thought").Kind() == jsonstream.True:
		return ""
	case p.Get("inlineData").Exists(), p.Get("fileData").Exists():
		return fmt.Sprintf("[file of %d bytes]", len(p.Raw()))
	default:
		return p.Get("text").Text()
	}
}

// hasPart reports whether a content has a part with a member.
func hasPart(content jsonstream.Value, name string) bool {
	for _, p := range content.Elements() {
		if p.Get(name).Exists() {
			return true
		}
	}
	return content.Get(name).Exists()
}

// ResultText returns a copy of the text of a tool's result: a string, or parts with function responses.
func ResultText(result jsonstream.Value) string {
	var texts []string
	for v := range result.All() {
		if response := v.Get("functionResponse"); response.Exists() {
			texts = append(texts, ResponseText(response.Get("response")))
		}
	}
	if texts == nil {
		return Text(result)
	}
	for _, p := range result.Elements() { // files beside the responses
		if text := partText(p); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Clone(strings.Join(texts, "\n"))
}

// ResponseText returns the output or the error of a function response, or all of it if it has more.
func ResponseText(response jsonstream.Value) string {
	for _, name := range [...]string{"output", "error"} {
		if text := response.Get(name); text.Kind() == jsonstream.String && response.Len() == 1 {
			return strings.Clone(text.Text())
		}
	}
	return string(jsonstream.AppendCompact(nil, response.Raw()))
}

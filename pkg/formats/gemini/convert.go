package gemini

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// codec converts contents and sessions.
var codec = (&chat.Form{
	At:          []string{"/contents", "/events", "/history"},
	Known:       known,
	InOrder:     func(elements []tree.Node) bool { return !slices.ContainsFunc(elements, isEvent) },
	System:      "/systemInstruction",
	Systems:     []string{"/system_instruction"},
	Developer:   true,
	ReadSystem:  readSystem,
	WriteSystem: writeSystem,
	Style:       style,
	Reading:     func() func(dst []tree.Node, element tree.Node) []tree.Node { return (&reader{}).read },
	Write:       write,
}).Codec()

// The style of an element is a space-separated list of these words. New contents have no
// style.
const (
	styleContent = "content" // an original content
	styleEvent   = "event"   // of ADK
	styleSnake   = "snake"   // snake_case names
	styleMillis  = "ms"      // event times in milliseconds
)

// style returns the style of an element, or "" if it is not evident.
func style(element tree.Node) string {
	snake := false
	content := element
	if isEvent(element) {
		content = element.Get("content")
		snake = element.HasAny("invocation_id", "long_running_tool_ids")
	}
	plain := true
	for _, p := range tree.Elements(content.Get("parts")) {
		for m := p.Children(); m.Next(); {
			snake = snake || strings.Contains(m.Name, "_")
			plain = plain && m.Name == "text"
		}
	}
	var is []string
	switch {
	case isEvent(element):
		is = append(is, styleEvent)
	case plain:
		return ""
	default:
		is = append(is, styleContent)
	}
	if snake {
		is = append(is, styleSnake)
	}
	if at := element.Get("timestamp"); isEvent(element) && isMillis(at) {
		is = append(is, styleMillis)
	}
	return strings.Join(is, " ")
}

// isEvent reports whether an element is an event of ADK.
func isEvent(element tree.Node) bool {
	return tree.IsString(element.Get("author")) || element.HasAny("content", "invocationId", "invocation_id")
}

// eitherNode returns the member with the first name, or else with the second; nothing if it is
// null.
func eitherNode(n tree.Node, camel, snake string) tree.Node {
	if v := n.Get(camel); v != tree.None && !v.Is(jsonstream.Null) {
		return v
	}
	if v := n.Get(snake); !v.Is(jsonstream.Null) {
		return v
	}
	return tree.None
}

// readSystem returns the texts of a system instruction: a content, its parts, one part, or a text.
func readSystem(value tree.Node) tree.Node {
	if tree.IsString(value) {
		return value
	}
	parts := value
	switch {
	case value.Get("parts") != tree.None:
		parts = value.Get("parts")
	case tree.IsString(value.Get("text")):
		parts = tree.Array(value)
	}
	if parts.Is(jsonstream.Object) {
		parts = tree.Array(parts)
	}
	var content []tree.Node
	for _, p := range tree.Elements(parts) {
		text := p
		if !tree.IsString(p) {
			text = p.Get("text")
		}
		if !tree.IsString(text) {
			return tree.None
		}
		content = append(content, chat.Object("type", tree.String("text"), "text", text))
	}
	switch len(content) {
	case 0:
		return tree.None
	case 1:
		return content[0].Get("text")
	default:
		return tree.Array(content...)
	}
}

// writeSystem is the inverse of readSystem.
func writeSystem(content tree.Node) tree.Node {
	var parts []tree.Node
	for _, p := range chat.Of(chat.Object("role", tree.String("system"), "content", content)).Parts {
		switch {
		case p.Kind != chat.Text:
			return tree.None
		case p.Text.Text() != "":
			parts = append(parts, chat.Object("text", p.Text))
		}
	}
	if len(parts) == 0 {
		return tree.None
	}
	return chat.Object("parts", tree.Array(parts...))
}

package aisdk

import (
	"strings"
	"unicode"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// isHosted reports whether a part is a call to a tool that the provider runs. A call that waits for an
// approval is read like other calls, since a person may deny it.
func isHosted(part, content tree.Node) bool {
	if part.Get("type").Text() != "tool-call" || !part.Get("providerExecuted").Is(jsonstream.True) || !tree.IsString(part.Get("toolCallId")) {
		return false
	}
	asked := false
	for c := content.Children(); c.Next(); {
		if !tree.Same(c.Value.Get("toolCallId"), part.Get("toolCallId")) {
			continue
		}
		switch c.Value.Get("type").Text() {
		case "tool-result":
			return true
		case "tool-approval-request":
			asked = true
		}
	}
	return !asked
}

// hostedParts returns the call and the result of a tool part of a UIMessage that the provider ran, as parts
// of a ModelMessage.
func hostedParts(part, id, name tree.Node) []chat.Part {
	input := part.Get("input")
	if input == tree.None {
		input = tree.Object()
	}
	call := chat.Object("type", tree.String("tool-call"), "toolCallId", id, "toolName", name, "input", input,
		"providerExecuted", tree.Bool(true), "providerOptions", part.Get("callProviderMetadata"))
	parts := []chat.Part{{Kind: chat.Other, Value: call}}
	kind, value := "", tree.None
	switch part.Get("state").Text() {
	case "output-available":
		kind, value = "json", part.Get("output")
		if tree.IsString(value) {
			kind = "text"
		}
	case "output-error":
		kind, value = "error-json", part.Get("errorText")
	}
	if value != tree.None {
		output, metadata := chat.Object("type", tree.String(kind), "value", value), part.Get("resultProviderMetadata")
		if metadata == tree.None {
			metadata = part.Get("callProviderMetadata")
		}
		result := chat.Object("type", tree.String("tool-result"), "toolCallId", id, "toolName", name, "output", output, "providerOptions", metadata)
		parts = append(parts, chat.Part{Kind: chat.Other, Value: result})
	}
	return parts
}

// A hostedWriter writes calls to tools that the provider runs, and their results.
type hostedWriter map[string]tree.Node // the calls written, by id

// write returns the part of a ModelMessage for a hosted call or result; None for other parts.
func (w hostedWriter) write(part tree.Node) tree.Node {
	h, ok := chat.HostedOf(part)
	switch kind := part.Get("type").Text(); {
	case !ok || h.ID == tree.None:
		return tree.None
	case kind == "tool-call" || kind == "tool-result":
		w[h.ID.Text()] = part
		return part
	case h.Result:
		return w.result(h, part)
	case h.Name == tree.None:
		return tree.None
	}
	name, input, options := h.Name, h.Value, tree.None
	if input == tree.None { // the SDK requires one
		input = tree.Object()
	}
	switch name.Text() {
	case "bash_code_execution", "text_editor_code_execution": // one tool of the SDK
		input, name = input.With("type", name), tree.String("code_execution")
	}
	if server := part.Get("server_name"); server != tree.None {
		options = chat.Object("anthropic", chat.Object("type", tree.String("mcp-tool-use"), "serverName", server))
	}
	call := chat.Object("type", tree.String("tool-call"), "toolCallId", h.ID, "toolName", name, "input", input,
		"providerExecuted", tree.Bool(true), "providerOptions", options)
	w[h.ID.Text()] = call
	return call
}

func (w hostedWriter) result(h chat.Hosted, part tree.Node) tree.Node {
	call := w[h.ID.Text()]
	name, value, kind := call.Get("toolName"), h.Value, "json"
	if name == tree.None {
		name = tree.String(strings.TrimSuffix(part.Get("type").Text(), "_tool_result"))
	}
	if part.Get("is_error").Is(jsonstream.True) || strings.HasSuffix(value.Get("type").Text(), "_error") {
		kind = "error-json"
	}
	if call.Get("providerOptions") == tree.None && (name.Text() != "code_execution" || kind == "error-json") {
		value = camelCase(value)
	}
	if references := value.Get("toolReferences"); references != tree.None { // of a tool search
		value = references
	}
	output := chat.Object("type", tree.String(kind), "value", value)
	return chat.Object("type", tree.String("tool-result"), "toolCallId", h.ID, "toolName", name, "output", output,
		"providerOptions", call.Get("providerOptions"))
}

// camelCase returns a result of Anthropic with the names of members that the SDK expects.
func camelCase(v tree.Node) tree.Node {
	switch v.Kind() {
	case jsonstream.Array:
		var elements []tree.Node
		for c := v.Children(); c.Next(); {
			elements = append(elements, camelCase(c.Value))
		}
		return tree.Array(elements...)
	case jsonstream.Object:
		var members []tree.Member
		for c := v.Children(); c.Next(); {
			members = append(members, tree.Member{Name: camel(c.Name), Value: camelCase(c.Value)})
		}
		object := tree.Object(members...)
		switch kind := v.Get("type").Text(); {
		case kind == "web_search_result" && object.Get("pageAge") == tree.None: // required
			return object.With("pageAge", tree.Null())
		case kind == "web_fetch_result" && object.Get("retrievedAt") == tree.None:
			return object.With("retrievedAt", tree.Null())
		}
		return object
	default:
		return v
	}
}

func camel(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = string(unicode.ToUpper(rune(word[0]))) + word[1:]
		}
	}
	return strings.Join(words, "")
}

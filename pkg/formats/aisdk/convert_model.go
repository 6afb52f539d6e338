package aisdk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// isPlain reports whether a message equals its canonical turn: a role and a text.
func isPlain(message tree.Node) bool {
	return tree.IsString(message.Get("content")) && message.Length() == 2 &&
		slices.Contains([]string{"system", "user", "assistant"}, message.Get("role").Text())
}

// model appends the turns of a ModelMessage.
func (r *reader) model(dst []tree.Node, message tree.Node) []tree.Node {
	content := message.Get("content")
	t := chat.Turn{Role: message.Get("role").Text()}
	switch {
	case isPlain(message):
		return append(dst, message)
	case t.Role != "" && tree.IsString(content):
		t.Parts, t.Plain = []chat.Part{{Kind: chat.Text, Text: content}}, true
		return append(dst, t.Canonical()...)
	case t.Role == "" || !exchange.IsParts(content):
		return append(dst, exchange.CanonicalTurn(message))
	case content.Empty():
		return append(dst, t.Canonical()...)
	}
	flush := func() {
		if len(t.Parts) > 0 {
			t.Plain = t.Parts[0].Kind == chat.Text && len(t.Parts) > 1 && t.Parts[1].Kind == chat.Call
			dst = append(dst, t.Canonical()...)
		}
		t.Parts = nil
	}
	for c := content.Children(); c.Next(); {
		switch kind := c.Value.Get("type").Text(); {
		case kind == "tool-approval-request":
			r.request(c.Value.Get("approvalId"), c.Value.Get("toolCallId"))
		case kind == "tool-approval-response":
			flush()
			dst = r.respond(dst, c.Value)
		case kind == "tool-result" && r.hosted[c.Value.Get("toolCallId").Text()]:
			p := chat.Part{Kind: chat.Other, Value: c.Value}
			if t.Role == "assistant" {
				t.Parts = append(t.Parts, p)
			} else {
				flush()
				dst = append(dst, chat.Turn{Role: "assistant", Parts: []chat.Part{p}}.Canonical()...)
			}
		case kind == "tool-result" && tree.IsString(c.Value.Get("toolCallId")):
			flush()
			dst = r.result(dst, readResult(c.Value).Canonical())
		case kind == "custom", kind == "reasoning-file": // only for the provider that made it
		case t.Role == "assistant" && isHosted(c.Value, content):
			r.host(c.Value)
			t.Parts = append(t.Parts, chat.Part{Kind: chat.Other, Value: c.Value})
		default:
			p := readPart(c.Value)
			if p.Kind == chat.Call {
				r.call(p, c.Value)
			}
			t.Parts = append(t.Parts, p)
		}
	}
	flush()
	return dst
}

// readPart reads a part other than a result.
func readPart(part tree.Node) chat.Part {
	switch part.Get("type").Text() {
	case "text":
		if p, ok := readText(part, "providerOptions"); ok {
			return p
		}
	case "image":
		p := readFile(part.Get("image"), part.Get("mediaType"), tree.None)
		if p.Kind == chat.File {
			p.Media.Type = "image"
			if kind := imageType(p.Media.Data); p.Media.MediaType == tree.None && kind != "" {
				p.Media.MediaType = tree.String(kind)
			}
		}
		return p
	case "file":
		return readFile(part.Get("data"), part.Get("mediaType"), part.Get("filename"))
	case "reasoning":
		return readReasoning(part, "providerOptions")
	case "tool-call":
		id, name := part.Get("toolCallId"), part.Get("toolName")
		if tree.IsString(id) && tree.IsString(name) {
			return withProof(chat.Part{Kind: chat.Call, ID: id, Name: name, Arguments: argumentsOf(part.Get("input"))}, part.Get("providerOptions"))
		}
	}
	return chat.Part{Kind: chat.Other, Value: part}
}

// argumentsOf returns the input of a call as a text.
func argumentsOf(input tree.Node) tree.Node {
	if input == tree.None {
		return tree.String("{}")
	}
	return chat.TextOf(input)
}

// inputOf is the inverse of argumentsOf.
func inputOf(arguments tree.Node) tree.Node {
	if arguments.Empty() {
		return tree.Object()
	}
	return chat.Value(arguments)
}

// readResult returns the turn of a result.
func readResult(part tree.Node) chat.Turn {
	output := part.Get("output")
	kind, value := output.Get("type").Text(), output.Get("value")
	p := chat.Part{Kind: chat.Result, ID: part.Get("toolCallId"), Name: text(part.Get("toolName")), Failed: strings.HasPrefix(kind, "error-")}
	switch kind {
	case "text", "error-text":
		return toolResult(p, text(value), value)
	case "content":
		if parts, ok := outputParts(value); ok {
			p.Output = parts
			return chat.Turn{Parts: []chat.Part{p}}
		}
	case "execution-denied":
		return denial(p, output.Get("reason"))
	case "json", "error-json":
		return toolResult(p, tree.None, value)
	}
	return toolResult(p, text(output), output)
}

// writeModel writes ModelMessages. Adjacent results form one message, as in a model's prompt.
func writeModel(turns []tree.Node, w *chat.Writing) []tree.Node {
	messages := make([]tree.Node, 0, len(turns))
	names := map[string]tree.Node{} // tool names by call id
	hosted := hostedWriter{}
	var results []tree.Node
	flush := func() {
		if len(results) > 0 {
			messages = append(messages, chat.Object("role", tree.String("tool"), "content", tree.Array(results...)))
		}
		results = nil
	}
	for turn, joined := range chat.Joined(turns) {
		if joined == nil && isPlain(turn) {
			flush()
			messages = append(messages, turn)
			continue
		}
		t := turnOf(turn, joined)
		if len(t.Parts) > 0 && t.Parts[0].Kind == chat.Result {
			p := t.Parts[0]
			if p.Name == tree.None || p.Name.Empty() {
				p.Name = names[p.ID.Text()]
			}
			if p.Name == tree.None {
				p.Name = w.Up(len(messages), fmt.Sprintf("content/%d/toolName", len(results)), tree.String(unknownTool), "the tool is not known")
			}
			results = append(results, writeResult(p, t.IsJSON()))
			continue
		}
		flush()
		messages = append(messages, writeMessage(t, w, hosted))
		for _, p := range t.Parts {
			if p.Kind == chat.Call {
				names[p.ID.Text()] = p.Name
			}
		}
	}
	flush()
	return messages
}

// turnOf returns the turn as joined by [chat.Joined].
func turnOf(turn tree.Node, joined *chat.Turn) chat.Turn {
	if joined != nil {
		return *joined
	}
	return chat.Of(turn)
}

// unknownTool is the name of a tool whose name is unknown.
const unknownTool = "unknown"

// writeMessage writes the message of a turn without results.
func writeMessage(t chat.Turn, w *chat.Writing, hosted hostedWriter) tree.Node {
	role := messageRole(t.Role)
	var content []tree.Node
	for _, p := range t.Parts {
		switch {
		case role == "system":
		case p.Kind == chat.File:
			content = append(content, writeFile(p.Media, role == "user" && (w.Style == styleImage || p.Media.MediaType == tree.None)))
		case p.Kind == chat.Reasoning && role == "assistant":
			content = append(content, writeReasoning(p, "providerOptions"))
		case p.Kind == chat.Call:
			content = append(content, chat.Object("type", tree.String("tool-call"), "toolCallId", p.ID, "toolName", p.Name, "input", inputOf(p.Arguments), "providerOptions", proofOf(p)))
		case p.Kind == chat.Text && isTextPart(p.Value):
			content = append(content, p.Value)
		default:
			part := tree.None
			if p.Kind == chat.Other && role == "assistant" {
				part = hosted.write(p.Value)
			}
			if part == tree.None {
				part = said(p).With("providerOptions", proofOf(p))
			}
			content = append(content, part)
		}
	}
	message := tree.Array(content...)
	switch {
	case role == "system" || len(t.Parts) == 0:
		message = tree.String(chat.Say(t.Parts))
	case t.Plain && len(t.Parts) == 1:
		message = t.Parts[0].Text
	}
	return chat.Object("role", tree.String(role), "content", message)
}

// isTextPart reports whether a part has the form of a text part of the SDK.
func isTextPart(part tree.Node) bool {
	return part.Get("type").Text() == "text" && part.Length() == 2
}

// messageRole returns the message role for the role of a turn.
func messageRole(role string) string {
	switch role {
	case "system", "user", "assistant":
		return role
	case "developer":
		return "system"
	default:
		return "user"
	}
}

// writeResult writes the result of a call, with JSON or text output.
func writeResult(p chat.Part, isJSON bool) tree.Node {
	kind, value := "text", outputText(p)
	if v := chat.Value(value); isJSON && p.Plain && (!tree.IsString(v) || !tree.Same(v, value)) {
		kind, value = "json", v
	}
	hasFiles := slices.ContainsFunc(p.Output, func(o chat.Part) bool { return o.Kind == chat.File })
	if p.Failed && !hasFiles { // an error has no files
		kind = "error-" + kind
	} else if !p.Plain {
		parts := make([]tree.Node, len(p.Output))
		for i, o := range p.Output {
			parts[i] = writeOutput(o)
		}
		kind, value = "content", tree.Array(parts...)
	}
	output := chat.Object("type", tree.String(kind), "value", value)
	return chat.Object("type", tree.String("tool-result"), "toolCallId", p.ID, "toolName", p.Name, "output", output)
}

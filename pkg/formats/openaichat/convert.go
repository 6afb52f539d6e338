package openaichat

import (
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// codec converts messages. Their turns are canonical turns.
var codec = (&chat.Form{
	At:    []string{"/messages"},
	Read:  func(dst []tree.Node, message tree.Node) []tree.Node { return append(dst, message) },
	Write: write,
}).Codec()

// roles are the roles of the API.
var roles = []string{"developer", "system", "user", "assistant", "tool"}

func write(turns []tree.Node, _ *chat.Writing) []tree.Node {
	messages := make([]tree.Node, 0, len(turns))
	for _, turn := range chat.PlaceResults(turns) {
		made := []tree.Node{turn}
		if !isMessage(turn) {
			made = messagesOf(turn)
		} else if turn.Get("tool_calls") != tree.None && turn.Get("content").Empty() {
			made[0] = turn.With("content", tree.Null()) // as in the API
		}
		for _, message := range made {
			message = fitted(message)
			if last := len(messages) - 1; last >= 0 && areOne(messages[last], message) {
				messages[last] = joined(messages[last], message)
			} else {
				messages = append(messages, message)
			}
		}
	}
	return messages
}

// maxCallID is the maximum length of a call id, in characters.
const maxCallID = 40

// fitted returns a message with call ids, tool names and media that the API accepts.
func fitted(message tree.Node) tree.Node {
	if content := message.Get("content"); content.Is(jsonstream.Array) && message.Get("role").Text() == "user" {
		return message.With("content", chat.FitMedia(content, true))
	}
	fit := func(id tree.Node) tree.Node { return chat.FitCallID(id, maxCallID) }
	if message.Get("role").Text() == "tool" {
		return message.Mapped("tool_call_id", fit)
	}
	calls := slices.Clone(tree.Elements(message.Get("tool_calls")))
	for i, c := range calls {
		f := c.Get("function")
		if fitting := f.Mapped("name", chat.FitToolName); fitting != f {
			calls[i] = c.With("function", fitting)
		}
		if id := c.Get("id"); fit(id) != id {
			calls[i] = calls[i].With("id", fit(id))
		}
	}
	if len(calls) == 0 || slices.Equal(calls, tree.Elements(message.Get("tool_calls"))) {
		return message
	}
	return message.With("tool_calls", tree.Array(calls...))
}

// areOne reports whether two messages of the assistant must be merged because of calls: the API
// requires results right after a message with calls.
func areOne(message, next tree.Node) bool {
	return message.Get("role").Text() == "assistant" && next.Get("role").Text() == "assistant" &&
		(message.Get("tool_calls") != tree.None || next.Get("tool_calls") != tree.None)
}

// joined merges two messages.
func joined(message, next tree.Node) tree.Node {
	calls := slices.Concat(tree.Elements(message.Get("tool_calls")), tree.Elements(next.Get("tool_calls")))
	message = message.With("tool_calls", tree.Array(calls...))
	switch content, further := message.Get("content"), next.Get("content"); {
	case further.Empty():
	case content.Empty():
		message = message.With("content", further)
	default:
		message = message.With("content", tree.Array(slices.Concat(parts(content), parts(further))...))
	}
	return message
}

// parts returns the parts of content.
func parts(content tree.Node) []tree.Node {
	if tree.IsString(content) {
		return []tree.Node{chat.Object("type", tree.String("text"), "text", content)}
	}
	return tree.Elements(content)
}

// isMessage reports whether the API accepts a turn unchanged.
func isMessage(turn tree.Node) bool {
	role := turn.Get("role").Text()
	if !slices.Contains(roles, role) || role == "tool" && !tree.IsString(turn.Get("tool_call_id")) {
		return false
	}
	for m := turn.Children(); m.Next(); {
		switch m.Name {
		case "role", "content":
		case "name":
			if !conversation.IsName(m.Value.Text()) || role == "tool" {
				return false
			}
		case "tool_calls":
			if role != "assistant" || exchange.CallsOf(turn) == nil || slices.ContainsFunc(tree.Elements(m.Value), chat.IsSigned) {
				return false
			}
		case "refusal", "annotations", "audio":
			if role != "assistant" {
				return false
			}
		case "tool_call_id":
			if role != "tool" {
				return false
			}
		default:
			return false
		}
	}
	content := turn.Get("content")
	if tree.IsString(content) {
		return true
	}
	return content.Is(jsonstream.Array) && content.Length() > 0 && tree.All(content, func(p tree.Node) bool {
		switch p.Get("type").Text() {
		case "text":
			return tree.IsString(p.Get("text")) && p.Length() == 2 // other parts have more members
		case "image_url", "input_audio", "file":
			return role == "user" && p.Length() == 2 && isMedia(p)
		}
		return false
	})
}

// isRefusal reports whether a part is a refusal.
func isRefusal(p tree.Node) bool {
	return p.Get("type").Text() == "refusal" && tree.IsString(p.Get("refusal")) && p.Length() == 2
}

// isMedia reports whether a part has the members that the API requires, all of them strings.
func isMedia(p tree.Node) bool {
	kind := p.Get("type").Text()
	value := p.Get(kind)
	for _, name := range map[string][]string{"image_url": {"url"}, "input_audio": {"data", "format"}}[kind] {
		if value.Get(name) == tree.None {
			return false
		}
	}
	return value.Is(jsonstream.Object) && tree.All(value, tree.IsString)
}

// messagesOf returns the messages for a turn. The API has no reasoning, and accepts only text in
// tool and instruction messages.
func messagesOf(turn tree.Node) []tree.Node {
	t := chat.Of(turn)
	if !slices.Contains(roles, t.Role) || t.Role == "tool" && (len(t.Parts) == 0 || t.Parts[0].Kind != chat.Result) {
		t.Role = "user"
	}
	var content, calls []tree.Node
	for _, p := range t.Parts {
		switch p.Kind {
		case chat.Result:
			output := tree.String(chat.Say(p.Output))
			return []tree.Node{chat.Object("role", tree.String("tool"), "tool_call_id", p.ID, "content", output)}
		case chat.Text:
			if isRefusal(p.Value) && t.Role == "assistant" {
				content = append(content, p.Value)
				continue
			}
			content = append(content, chat.Object("type", tree.String("text"), "text", p.Text))
		case chat.Call:
			calls = append(calls, chat.Object("id", p.ID, "type", tree.String("function"),
				"function", chat.Object("name", p.Name, "arguments", p.Arguments)))
		case chat.File:
			if t.Role == "user" {
				if p.Media.Type != "file" && p.Media.FileID == tree.None {
					p.Media.Name = tree.None // only files have one
				}
				content = append(content, p.Media.Part())
				continue
			}
			content = append(content, chat.Object("type", tree.String("text"), "text", tree.String(chat.Say([]chat.Part{p}))))
		case chat.Other:
			content = append(content, chat.Object("type", tree.String("text"), "text", tree.String(chat.Say([]chat.Part{p}))))
		}
	}
	if len(content)+len(calls) == 0 && len(t.Parts) > 0 {
		return nil // only reasoning
	}
	message := chat.Object("role", tree.String(t.Role), "content", tree.Array(content...))
	switch {
	case len(content) == 1 && isRefusal(content[0]) && len(calls) == 0:
		message = message.With("content", tree.Null()).With("refusal", content[0].Get("refusal"))
	case t.Plain && len(content) == 1:
		message = message.With("content", content[0].Get("text"))
	case len(content) == 0:
		message = message.With("content", tree.String(""))
	}
	for _, m := range t.Further {
		if m.Name == "name" && conversation.IsName(m.Value.Text()) {
			message = message.With("name", m.Value)
		}
	}
	if len(calls) > 0 && t.Role == "assistant" {
		message = message.With("tool_calls", tree.Array(calls...))
		if len(content) == 0 {
			message = message.With("content", tree.Null())
		}
	}
	return []tree.Node{message}
}

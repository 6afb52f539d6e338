package chat

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ItemTurn returns the canonical turn of an item of OpenAI's Responses API or a run item of its
// Agents SDK. An item of another type keeps its members and gets a role and a content that describe
// it.
func ItemTurn(item tree.Node) tree.Node {
	kind := item.Get("type").Text()
	switch {
	case conversation.IsRunItem(kind) && item.Get("raw_item").Is(jsonstream.Object):
		return ItemTurn(item.Get("raw_item"))
	case kind == "" || kind == "message":
		return item
	case kind == "function_call":
		c := exchange.Call{ID: item.Get("call_id"), Name: item.Get("name"), Arguments: item.Get("arguments")}
		if tree.IsString(c.ID) && tree.IsString(c.Name) && tree.IsString(c.Arguments) && !item.HasAny("role", "content", "tool_calls", "tool_call_id") {
			return exchange.CallTurn(c, item.Without("type", "call_id", "name", "arguments"))
		}
	case kind == "function_call_output":
		output := item.Get("output")
		if tree.IsString(item.Get("call_id")) && (tree.IsString(output) || exchange.IsParts(output)) && !item.HasAny("role", "content", "tool_calls", "tool_call_id") {
			return tree.Object(append([]tree.Member{
				{Name: "role", Value: tree.String("tool")},
				{Name: "tool_call_id", Value: item.Get("call_id")},
				{Name: "content", Value: output},
			}, item.Without("type", "call_id", "output")...)...)
		}
	}
	if t := itemTurn(item); t != tree.None {
		return t
	}
	return describe(item)
}

// AppendItemTurn appends the turn of an item: see [ItemTurn]. A setting has none.
func AppendItemTurn(turns []tree.Node, item tree.Node) []tree.Node {
	if t := conversation.TypeNamed(item.Get("type").Text()); t != nil && t.Kind == conversation.Setting {
		return turns
	}
	return append(turns, ItemTurn(item))
}

// itemMember is the member of a canonical turn with the item that it was read from, of a type that the Chat
// API does not have.
const itemMember = "item"

// itemTurn returns the turn of a call other than a function call, of its output, or of a message from another agent;
// None for other items.
func itemTurn(item tree.Node) tree.Node {
	kind := item.Get("type").Text()
	if kind == conversation.AgentMessage && exchange.IsParts(item.Get("content")) && item.Get("role") == tree.None {
		return agentMessageTurn(item)
	}
	t := conversation.TypeNamed(kind)
	id := item.Get("call_id")
	if kind == "local_shell_call_output" && id == tree.None {
		id = item.Get("id") // the original version
	}
	if t == nil || t.Hosted || t.ID != "call_id" || strings.HasPrefix(kind, "function_call") || !tree.IsString(id) || item.HasAny("role", "content", "tool_calls", "tool_call_id") {
		return tree.None
	}
	further := []tree.Member{{Name: itemMember, Value: item}}
	switch t.Kind {
	case conversation.Call:
		c := exchange.Call{ID: id, Name: stringOr(item.Get("name")), Arguments: tree.String("{}")}
		if c.Name == tree.None {
			c.Name = tree.String(strings.TrimSuffix(kind, "_call"))
		}
		for _, name := range []string{"input", "action", "actions", "operation", "arguments"} {
			switch v := item.Get(name); {
			case v.Is(jsonstream.Object):
				c.Arguments = tree.String(string(v.AppendPlain(nil)))
			case tree.IsString(v), v.Is(jsonstream.Array):
				c.Arguments = tree.String(string(Object(name, v).AppendPlain(nil)))
			}
		}
		return exchange.CallTurn(c, further)
	case conversation.Result:
		content := item.Get("output")
		if content.Get("type").Text() == "computer_screenshot" {
			content = tree.Array(content.With("type", tree.String("input_image")))
		}
		isKnown := func(p tree.Node) bool { return partOf(p).Kind != Other }
		if !tree.IsString(content) && !(exchange.IsParts(content) && tree.All(content, isKnown)) {
			content = tree.String(readable(content))
		}
		if item.Get("status").Text() == "failed" { // of a patch
			further = append([]tree.Member{{Name: "is_error", Value: tree.Bool(true)}}, further...)
		}
		return tree.Object(append([]tree.Member{
			{Name: "role", Value: tree.String("tool")}, {Name: "tool_call_id", Value: id}, {Name: "content", Value: content},
		}, further...)...)
	}
	return tree.None
}

// agentMessageTurn returns the turn of a message from another agent: the author and the text, and then the media.
func agentMessageTurn(item tree.Node) tree.Node {
	var said []string
	var media []tree.Node
	for c := item.Get("content").Children(); c.Next(); {
		switch p := partOf(c.Value); p.Kind {
		case Text:
			said = append(said, p.Text.Text())
		case File:
			media = append(media, c.Value)
		default:
			said = append(said, Say([]Part{p}))
		}
	}
	content := tree.String(conversation.FromAgent(firstText(item, "author"), strings.Join(said, "\n")))
	if len(media) > 0 {
		content = tree.Array(append([]tree.Node{Object("type", tree.String("text"), "text", content)}, media...)...)
	}
	return Object("role", tree.String("user"), "content", content, itemMember, item)
}

// itemOf returns the item that an unchanged turn was read from, None if there is none.
func itemOf(t tree.Node) tree.Node {
	item := t.Get(itemMember)
	if item == tree.None || !tree.Same(itemTurn(item), t) {
		return tree.None
	}
	return item
}

// DescribedItem returns a message with the text of an item, for a receiver that does not know the item's type; None if
// the item has no text.
func DescribedItem(item tree.Node) tree.Node {
	text := describedText(item)
	if text == "" {
		return tree.None
	}
	return Object("role", describe(item).Get("role"), "content", tree.String(text))
}

// describe makes a turn from an item that is not a message: role and content describe it for
// receivers that do not know its type.
func describe(item tree.Node) tree.Node {
	kind := item.Get("type").Text()
	if item.Get("content") == tree.None {
		content := "[" + kind + "]"
		if text := describedText(item); text != "" {
			content = text
		}
		if summary := item.Get("summary").Flat(); kind == "reasoning" && summary != "" {
			content = summary
		}
		item = item.With("content", tree.String(content))
	}
	if item.Get("role") == tree.None {
		role := "assistant"
		if t := conversation.TypeNamed(kind); t != nil && t.Kind == conversation.ApprovalResponse {
			role = "user"
		} else if t != nil && t.Kind == conversation.Result && !t.Hosted {
			role = "tool"
		}
		item = item.With("role", tree.String(role))
	}
	return item
}

// undescribed returns the original item of a turn made by describe, or nil.
func undescribed(t tree.Node) tree.Node {
	if kind := t.Get("type"); !tree.IsString(kind) || kind.Text() == "message" || kind.Text() == "" {
		return tree.None
	}
	for _, added := range [][]string{{"role", "content"}, {"content"}, {"role"}, {}} {
		if item := tree.Object(t.Without(added...)...); tree.Same(describe(item), t) {
			return item
		}
	}
	return tree.None
}

// AppendItems appends the Responses API items of a canonical turn. The API rejects unknown members
// and the reasoning of other providers.
func AppendItems(items []tree.Node, t tree.Node) []tree.Node {
	if item := itemOf(t); item != tree.None {
		return append(items, item)
	}
	if item := undescribed(t); item != tree.None && (ResponsesKinds.Whole(item) || !strings.HasPrefix(item.Get("type").Text(), "function_call")) {
		content := item.Get("content")
		if !tree.IsString(item.Get("role")) || content != tree.None && !tree.IsString(content) && !content.Is(jsonstream.Array) {
			item = tree.Object(item.Without("role")...)
		}
		return append(items, item)
	}
	t = exchange.CanonicalTurn(t)
	role, content := t.Get("role").Text(), t.Get("content")
	further := t.Only("id", "status")
	if id := t.Get("tool_call_id"); role == "tool" && tree.IsString(id) {
		return append(items, tree.Object(append([]tree.Member{
			{Name: "type", Value: tree.String("function_call_output")},
			{Name: "call_id", Value: id},
			{Name: "output", Value: itemParts(content, role)},
		}, further...)...))
	}
	calls := exchange.CallsOf(t)
	if content.Is(jsonstream.Array) && slices.ContainsFunc(tree.Elements(content), isReasoning) {
		var rest []tree.Node
		for _, p := range tree.Elements(content) {
			if !isReasoning(p) {
				rest = append(rest, p)
			} else if p.Get("provider").Text() == "openai" {
				items = append(items, reasoningItem(partOf(p)))
			}
		}
		content = tree.Array(rest...)
		t = t.With("content", content)
		if len(rest) == 0 && len(calls) == 0 {
			return items
		}
	}
	if role != "assistant" || len(calls) == 0 {
		return append(items, messageItem(t))
	}
	if content.Flat() != "" {
		items, further = append(items, messageItem(t)), nil
	} else if len(calls) > 1 {
		further = nil
	}
	for _, c := range calls {
		items = append(items, tree.Object(append([]tree.Member{
			{Name: "type", Value: tree.String("function_call")},
			{Name: "call_id", Value: c.ID},
			{Name: "name", Value: c.Name},
			{Name: "arguments", Value: c.Arguments},
		}, further...)...))
	}
	return items
}

// messageNames are the members of a message item.
var messageNames = []string{"type", "role", "content", "name", "id", "status"}

// messageItem returns the message item of a turn.
func messageItem(t tree.Node) tree.Node {
	role := t.Get("role").Text()
	switch role {
	case "user", "assistant", "system", "developer":
	default:
		role = "user"
	}
	if role != t.Get("role").Text() {
		t = t.With("role", tree.String(role))
	}
	if content := t.Get("content"); content != tree.None {
		if parts := itemParts(content, role); parts != content {
			t = t.With("content", parts)
		}
	}
	if kind := t.Get("type"); kind != tree.None && kind.Text() != "message" {
		t = t.With("type", tree.None)
	}
	for c := t.Children(); c.Next(); {
		if !c.IsOneOf(messageNames) {
			return tree.Object(t.Only(messageNames...)...)
		}
	}
	return t
}

// itemParts returns texts and media as parts of the Responses API.
func itemParts(parts tree.Node, role string) tree.Node {
	if !parts.Is(jsonstream.Array) {
		return parts
	}
	name := "input_text"
	if role == "assistant" {
		name = "output_text"
	}
	out := slices.Clone(tree.Elements(parts))
	for i, p := range out {
		if IsSigned(p) {
			p = p.With(extra, tree.None)
		}
		switch kind := p.Get("type").Text(); kind {
		case "text":
			out[i] = p.With("type", tree.String(name))
		case "image_url", "file", "input_audio":
			if m, ok := mediaIn(p); ok {
				out[i] = inputPart(m, p)
			}
		}
	}
	if slices.Equal(out, tree.Elements(parts)) {
		return parts
	}
	return tree.Array(out...)
}

// inputPart returns the Responses API part for a part of the Chat API. Audio is the same in both.
func inputPart(m Media, p tree.Node) tree.Node {
	url := m.URL
	if m.Data != tree.None && m.Type != "audio" {
		url = m.DataURL()
	}
	switch m.Type {
	case "image":
		return Object("type", tree.String("input_image"), "image_url", url, "file_id", m.FileID, "detail", p.At("/image_url/detail"))
	case "file":
		part := Object("type", tree.String("input_file"), "file_id", m.FileID, "filename", m.Name)
		if m.Data != tree.None {
			return part.With("file_data", url)
		}
		return part.With("file_url", m.URL)
	default:
		return p
	}
}

func isReasoning(part tree.Node) bool { return part.Get("type").Text() == "reasoning" }

// reasoningItem returns the item for reasoning by a model of OpenAI.
func reasoningItem(p Part) tree.Node {
	summary := tree.Array()
	if p.Text != tree.None && !p.Text.Empty() {
		summary = tree.Array(Object("type", tree.String("summary_text"), "text", p.Text))
	}
	return Object("type", tree.String("reasoning"), "id", p.ID, "summary", summary, "encrypted_content", p.Signature)
}

// isCall reports whether a type of item is a call.
func isCall(kind string) bool {
	t := conversation.TypeNamed(kind)
	return t != nil && t.Kind == conversation.Call
}

// MissingCall records the calls among the items of a turn. If a result among them has no call, it
// returns a call for it, since the API rejects such a result; otherwise it returns None.
func MissingCall(items []tree.Node, t tree.Node, called map[string]bool) tree.Node {
	for _, item := range items {
		id := item.Get("call_id").Text()
		switch kind := item.Get("type").Text(); {
		case isCall(kind):
			called[id] = true
		case kind == "function_call_output":
			if id == "" || called[id] {
				continue
			}
			called[id] = true
			name := t.Get("name")
			if name.Text() == "" {
				name = tree.String("unknown")
			}
			return tree.Object(
				tree.Member{Name: "type", Value: tree.String("function_call")},
				tree.Member{Name: "call_id", Value: item.Get("call_id")},
				tree.Member{Name: "name", Value: name},
				tree.Member{Name: "arguments", Value: tree.String("{}")},
			)
		}
	}
	return tree.None
}

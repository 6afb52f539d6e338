package openai

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// fromOpenAI reads an item.
func fromOpenAI(item tree.Node) tree.Node {
	kind := item.Get("type").Text()
	switch {
	case conversation.IsRunItem(kind) && item.Get("raw_item").Is(jsonstream.Object):
		return fromOpenAI(item.Get("raw_item"))
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
	return describe(item)
}

// describe makes a turn of an item that is not a message: role and content describe it for
// receivers that do not know its type.
func describe(item tree.Node) tree.Node {
	kind := item.Get("type").Text()
	if item.Get("content") == tree.None {
		content := "[" + kind + "]"
		if summary := item.Get("summary").Flat(); kind == "reasoning" && summary != "" {
			content = summary
		}
		item = item.With("content", tree.String(content))
	}
	if item.Get("role") == tree.None {
		role := "assistant"
		if strings.HasSuffix(kind, "_output") {
			role = "tool"
		}
		item = item.With("role", tree.String(role))
	}
	return item
}

// undescribed returns the item that describe made a turn of, or nil.
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

// toOpenAI appends the items that a turn becomes: at least one. The Responses API rejects
// unknown members.
func toOpenAI(items []tree.Node, t tree.Node) []tree.Node {
	if item := undescribed(t); item != tree.None {
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
			{Name: "output", Value: openAIParts(content, role)},
		}, further...)...))
	}
	calls := exchange.CallsOf(t)
	if role != "assistant" || len(calls) == 0 {
		return append(items, toMessage(t))
	}
	if content.Flat() != "" {
		items, further = append(items, toMessage(t)), nil
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

// toMessage writes a message item of a turn.
func toMessage(t tree.Node) tree.Node {
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
		if parts := openAIParts(content, role); parts != content {
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

// openAIParts names text parts as the Responses API does.
func openAIParts(parts tree.Node, role string) tree.Node {
	if !parts.Is(jsonstream.Array) {
		return parts
	}
	name := "input_text"
	if role == "assistant" {
		name = "output_text"
	}
	out := slices.Clone(tree.Elements(parts))
	for i, p := range out {
		if p.Get("type").Text() == "text" {
			out[i] = p.With("type", tree.String(name))
		}
	}
	if slices.Equal(out, tree.Elements(parts)) {
		return parts
	}
	return tree.Array(out...)
}

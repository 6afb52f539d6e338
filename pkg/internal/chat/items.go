package chat

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Items appends the Responses API items for a canonical turn, with valid ids and names, and with a
// made-up call before a result that has none.
func (w *Writing) Items(items []tree.Node, turn tree.Node, kinds ItemKinds) []tree.Node {
	first := len(items)
	items = appendTaken(items, turn, kinds)
	for i, item := range items[first:] {
		items[first+i] = fitItem(item, w.ids)
	}
	if call := MissingCall(items[first:], turn, w.called); call != tree.None && w.Maker != nil {
		call = call.Mapped("name", FitToolName)
		w.Maker.Calls = append(w.Maker.Calls, call)
		items = slices.Insert(items, first, call)
	}
	return items
}

// appendTaken appends the Responses API items for a canonical turn, with the parts that the API
// accepts in an item of its role: others become texts that describe them. Each assistant text from
// another format becomes its own message, in the form the API accepts from clients: without the ids
// and annotations of its own output. An incomplete item of one of the kinds becomes a message with
// its type.
func appendTaken(items []tree.Node, turn tree.Node, kinds ItemKinds) []tree.Node {
	if turn.Get("timestamp") != tree.None {
		turn = turn.With("timestamp", tree.None) // items do not have one
	}
	if item := itemOf(turn); item != tree.None && kinds.Whole(item) && kinds[item.Get("type").Text()] != "" {
		return append(items, item)
	}
	turn = turn.With(itemMember, tree.None)
	item := undescribed(turn)
	if item.Get("content").Is(jsonstream.Null) && !kinds.Whole(item) { // written by Codex
		item = item.With("content", tree.None)
		turn = describe(item)
	}
	switch {
	case item == tree.None:
	case kinds.Whole(item) && item.Get("type").Text() != conversation.CarriedType: // an item of the Agents SDK
		return AppendItems(items, turn)
	case kinds[item.Get("type").Text()] == "", item.Get("type").Text() == "reasoning":
		return items
	default:
		turn = turn.With("type", tree.None)
	}
	turn = exchange.CanonicalTurn(turn)
	content := turn.Get("content")
	switch role := turn.Get("role").Text(); {
	case tree.IsString(content) && turn.Get("annotations").Is(jsonstream.Array): // of the Chat API
		turn = turn.With("content", sourcesOf(content, turn)).With("annotations", tree.None)
	case !content.Is(jsonstream.Array):
	case role == "assistant":
		return append(items, spokenItems(turn)...)
	default:
		parts := slices.Clone(tree.Elements(content))
		for i, p := range parts {
			parts[i] = givenPart(partOf(p))
		}
		if role != "tool" {
			parts = slices.DeleteFunc(parts, isReasoning) // output of a model only
		}
		if !slices.Equal(parts, tree.Elements(content)) {
			turn = turn.With("content", tree.Array(parts...))
		}
	}
	return AppendItems(items, turn)
}

// givenPart returns a part as model input.
func givenPart(p Part) tree.Node {
	kind := p.Value.Get("type").Text()
	switch {
	case p.Kind == Text && kind == "input_text":
		return p.Value
	case p.Kind == Text:
		return Object("type", tree.String("input_text"), "text", p.Text)
	case p.Kind == File && strings.HasPrefix(kind, "input_") && isInput(p.Value), kind == "computer_screenshot", kind == "encrypted_content":
		return p.Value
	case p.Kind == File && p.Media.Type == "image":
		part := inputPart(p.Media, p.Value)
		if !tree.IsString(part.Get("detail")) {
			part = part.With("detail", tree.String("auto")) // required by the SDK's type
		}
		return part
	case p.Kind == File && p.Media.Type == "file":
		return inputPart(p.Media, p.Value)
	case p.Kind == Reasoning:
		return p.canonical()
	default:
		return Object("type", tree.String("input_text"), "text", tree.String(Say([]Part{p})))
	}
}

// isInput reports whether a part has the members of a Responses API part.
func isInput(part tree.Node) bool {
	audio := part.Get("input_audio")
	if audio != tree.None {
		return tree.IsString(audio.Get("data")) && tree.IsString(audio.Get("format"))
	}
	for c := part.Children(); c.Next(); {
		switch c.Name {
		case "image_url", "file_id", "detail", "file_data", "file_url", "filename":
			if !tree.IsString(c.Value) && !c.Value.Is(jsonstream.Null) {
				return false
			}
		}
	}
	return true
}

// spokenItems returns the items of an assistant turn with these parts.
func spokenItems(turn tree.Node) []tree.Node {
	calls := turn.Get("tool_calls")
	if exchange.CallsOf(turn) == nil {
		calls = tree.None
	}
	content := turn.Get("content")
	var items, own []tree.Node // own are parts of one message of the API
	said := turn.With("tool_calls", tree.None)
	single := tree.All(content, func(p tree.Node) bool { return isOwnText(p) })
	if !single {
		said = tree.Object(said.Without("id", "status", "type")...)
	}
	flush := func() {
		if len(own) > 0 {
			items = AppendItems(items, said.With("content", tree.Array(own...)))
			own = nil
		}
	}
	for c := content.Children(); c.Next(); {
		if isOwnText(c.Value) {
			own = append(own, c.Value)
			continue
		}
		flush()
		p := partOf(c.Value)
		switch id := p.Value.Get("id"); {
		case p.Kind == Reasoning:
			items = AppendItems(items, said.With("content", tree.Array(p.canonical())))
		case p.Kind == Text && strings.HasPrefix(id.Text(), "msg"):
			text := Object("type", tree.String("output_text"), "text", p.Text, "annotations", tree.Array())
			items = append(items, Object("type", tree.String("message"), "id", id, "role", tree.String("assistant"),
				"status", tree.String("completed"), "content", tree.Array(text)))
		case p.Kind == Text:
			items = AppendItems(items, said.With("content", p.Text))
		default:
			items = AppendItems(items, said.With("content", tree.String(Say([]Part{p}))))
		}
	}
	flush()
	switch {
	case calls != tree.None:
		rest := turn.With("content", tree.String(""))
		if len(items) > 0 {
			rest = tree.Object(rest.Without("id", "status")...)
		}
		items = AppendItems(items, rest)
	case content.Empty():
		items = AppendItems(items, said)
	}
	return items
}

// isOwnText reports whether a part is an assistant text in the form of the Responses API.
func isOwnText(p tree.Node) bool {
	switch p.Get("type").Text() {
	case "output_text":
		return tree.IsString(p.Get("text"))
	case "refusal":
		return tree.IsString(p.Get("refusal"))
	}
	return false
}

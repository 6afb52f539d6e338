package responses

import (
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

var codec = (&chat.Form{
	At:          []string{"/input", "/output"},
	Text:        "/input",
	Items:       true,
	System:      "/instructions",
	ReadSystem:  instructions,
	WriteSystem: instructions,
	Read:        read,
	Write:       write,
}).Codec()

// instructions returns value if it is a text. The API also accepts items, which are ignored
// here.
func instructions(value tree.Node) tree.Node {
	if tree.IsString(value) {
		return value
	}
	return tree.None
}

// read appends the turn of an item. An item with only an id is a reference.
func read(dst []tree.Node, item tree.Node) []tree.Node {
	if tree.IsString(item.Get("id")) && item.Length() == 1 {
		item = item.With("type", tree.String("item_reference"))
	}
	return chat.AppendItemTurn(dst, item)
}

func write(turns []tree.Node, w *chat.Writing) []tree.Node {
	items := make([]tree.Node, 0, len(turns))
	for _, turn := range turns {
		items = w.Items(items, turn, chat.ResponsesKinds)
	}
	for i, item := range items {
		for _, name := range []string{"content", "output"} {
			if parts := item.Get(name); parts.Is(jsonstream.Array) {
				items[i] = item.With(name, chat.FitMedia(parts, false))
			}
		}
	}
	lost := chat.Lost(items)
	if lost == nil {
		return items
	}
	kept := make([]tree.Node, 0, len(items))
	for i, item := range items {
		if !lost[i] {
			kept = append(kept, item)
		}
	}
	return kept
}

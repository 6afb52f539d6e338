package anthropic

import (
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// codec converts messages and the instructions next to them.
var codec = (&chat.Form{
	At:          []string{"/messages"},
	System:      "/system",
	ReadSystem:  readSystem,
	WriteSystem: writeSystem,
	Developer:   true,
	Read:        chat.AppendMessage,
	Write: func(turns []tree.Node, _ *chat.Writing) []tree.Node {
		var messages []tree.Node
		for _, m := range chat.Blocks.Messages(turns) {
			messages = append(messages, chat.MessageOf(m))
		}
		return messages
	},
}).Codec()

func readSystem(value tree.Node) tree.Node {
	if tree.IsString(value) || value.Is(jsonstream.Array) && tree.All(value, isText) {
		return value
	}
	return tree.None
}

// isText reports whether a block is a text block.
func isText(block tree.Node) bool {
	return block.Get("type").Text() == "text" && tree.IsString(block.Get("text"))
}

// writeSystem returns instructions in the form that the API accepts: only texts, none of them
// empty.
func writeSystem(content tree.Node) tree.Node {
	if tree.IsString(content) {
		if content.IsBlank() {
			return tree.None
		}
		return content
	}
	blocks, ok := chat.TextBlocks(content)
	if !ok {
		return tree.None
	}
	return tree.Array(blocks...)
}

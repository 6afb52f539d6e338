package chat

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// briefLabel marks the brief in a user turn (EAAPL-MAG006, section 10.1).
const briefLabel = conversation.ContextLabel + "\n"

// briefIn returns the brief in a turn and the turn without it, None if that is empty. If adjacent
// user turns were merged, the brief is the first part of the turn.
func briefIn(turn tree.Node) (brief, rest tree.Node, ok bool) {
	if turn.Get("role").Text() != "user" {
		return tree.None, tree.None, false
	}
	text := turn.Get("content")
	if parts := tree.Elements(text); text.Is(jsonstream.Array) && len(parts) > 1 && parts[0].Get("type").Text() == "text" {
		text = parts[0].Get("text")
		content := tree.Array(parts[1:]...)
		if parts[1].Get("type").Text() == "text" && parts[1].Length() == 2 && len(parts) == 2 && tree.IsString(parts[1].Get("text")) {
			content = parts[1].Get("text")
		}
		rest = turn.With("content", content)
	}
	brief, ok = text.Unlabelled(briefLabel)
	return brief, rest, ok && exchange.IsBrief(brief)
}

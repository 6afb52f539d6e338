package chat

import (
	"iter"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// Joined yields turns for formats in which one assistant turn has all reasoning, texts and calls
// before the results. Two consecutive assistant turns are joined if either has calls, or the first
// has only reasoning or is an item other than a message. The canonical turn is the first of the joined ones. The
// Turn is nil for a single canonical turn, otherwise the joined turn as [Of] would return it.
func Joined(turns []tree.Node) iter.Seq2[tree.Node, *Turn] {
	return func(yield func(tree.Node, *Turn) bool) {
		for i := 0; i < len(turns); {
			end := i + 1
			for end < len(turns) && areOne(turns[end-1], turns[end]) {
				end++
			}
			var joined *Turn
			if end > i+1 {
				joined = join(turns[i:end])
			}
			if !yield(turns[i], joined) {
				return
			}
			i = end
		}
	}
}

// areOne reports whether two consecutive turns belong to one assistant turn.
func areOne(turn, next tree.Node) bool {
	return turn.Get("role").Text() == "assistant" && next.Get("role").Text() == "assistant" &&
		(calls(turn) || calls(next) || isReasoning(turn) || isItem(turn))
}

// isItem reports whether a turn is an item of the Responses API other than a message, such as a call of a tool
// that the provider runs, or the list of such tools.
func isItem(turn tree.Node) bool {
	t := conversation.TypeNamed(turn.Get("type").Text())
	return t != nil && t.Name != "message"
}

func calls(turn tree.Node) bool { return len(tree.Elements(turn.Get("tool_calls"))) > 0 }

// join joins assistant turns.
func join(turns []tree.Node) *Turn {
	joined := Of(turns[0])
	var parts []Part
	for _, turn := range turns {
		for _, p := range Of(turn).Parts {
			if p.Kind != Text || !p.Text.Empty() {
				parts = append(parts, p)
			}
		}
	}
	joined.Parts = parts
	joined.Plain = len(parts) > 0 && parts[0].Kind == Text && (len(parts) == 1 || parts[1].Kind == Call)
	return &joined
}

package chat

import (
	"iter"

	"github.com/eaapl/handoff/pkg/internal/tree"
)

// Joined yields turns as formats have them in which a turn of the assistant has all that it thinks,
// says and calls before the results come: turns of the assistant that follow each other are one
// if there are calls among them, or nothing but thoughts. The turn is nil where a canonical turn
// is one alone, and else what [Of] would return; the canonical turn is the first of those that it joins.
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

// areOne reports whether two turns that follow each other are one of the assistant.
func areOne(turn, next tree.Node) bool {
	return turn.Get("role").Text() == "assistant" && next.Get("role").Text() == "assistant" &&
		(calls(turn) || calls(next) || isReasoning(turn))
}

func calls(turn tree.Node) bool { return len(tree.Elements(turn.Get("tool_calls"))) > 0 }

// join returns turns of the assistant as one.
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

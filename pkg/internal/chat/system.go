package chat

import (
	"slices"

	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

func isInstruction(turn tree.Node) bool {
	role := turn.Get("role").Text()
	return role == "system" || role == "developer"
}

// takeSystem reads the instructions outside the turns and returns their place, "" if there are
// none.
func (f *Form) takeSystem(m *exchange.Meaning, view tree.Node) string {
	if f.System == "" {
		return ""
	}
	for _, place := range append([]string{f.System}, f.Systems...) {
		if value := view.At("/rest" + place); value != tree.None {
			if content := f.ReadSystem(value); content != tree.None && f.WriteSystem(content) != tree.None {
				m.Turns = append(m.Turns, Object("role", tree.String("system"), "content", content))
				return place
			}
		}
	}
	return ""
}

// amongTurns in a shape means that the instructions are turns although the message has a place for
// them.
const amongTurns = "turn"

// isSystem reports whether a turn can move to the place of instructions.
func (f *Form) isSystem(turn tree.Node) bool {
	role := turn.Get("role").Text()
	return (role == "system" || role == "developer" && f.Developer) && !turn.HasAny("tool_calls", "tool_call_id")
}

// instructions returns the number of leading instruction turns that move to the place of
// instructions, and the value of that place; 0 if it has no form for them.
func (f *Form) instructions(turns []tree.Node) (n int, value tree.Node) {
	for n < len(turns) && f.isSystem(turns[n]) {
		n++
	}
	if f.System == "" || n == 0 {
		return 0, tree.None
	}
	content := turns[0].Get("content")
	if n > 1 {
		var parts []tree.Node
		for _, t := range turns[:n] {
			for _, p := range Of(t).Parts {
				parts = append(parts, p.canonical())
			}
		}
		content = tree.Array(parts...)
	}
	if value = f.WriteSystem(content); value == tree.None {
		return 0, tree.None
	}
	return n, value
}

// putSystem moves the leading instructions of the turns to their own place.
func (f *Form) putSystem(rest tree.Node, turns []tree.Node, shape tree.Node) (tree.Node, []tree.Node) {
	at := shape.Get("system").Text()
	if at == amongTurns {
		return rest, turns
	}
	if !slices.Contains(f.Systems, at) {
		at = f.System
	}
	n, value := f.instructions(turns)
	if n == 0 {
		return rest, turns
	}
	return rest.Set(at, value), turns[n:]
}

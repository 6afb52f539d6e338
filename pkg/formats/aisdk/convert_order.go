package aisdk

import (
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// inTime moves results to before the next turn of the user or system after their calls, where
// the SDK checks for calls without a result. Other systems accept later results.
func inTime(turns []tree.Node) []tree.Node {
	late := map[int][]tree.Node{} // by the index of the turn that they must precede
	moved := map[int]bool{}
	ends := map[string]int{} // that index, by the id of a call without a result there
	var open []string        // ids of calls before that turn
	isOpen := map[string]bool{}
	for i, turn := range turns {
		switch turn.Get("role").Text() {
		case "tool":
			id := turn.Get("tool_call_id").Text()
			if end, ok := ends[id]; ok && !isOpen[id] {
				late[end] = append(late[end], turn)
				moved[i] = true
				delete(ends, id)
			}
			delete(isOpen, id)
		case "assistant":
			for _, c := range exchange.CallsOf(turn) {
				open = append(open, c.ID.Text())
				isOpen[c.ID.Text()] = true
			}
		default:
			for _, id := range open {
				if isOpen[id] {
					ends[id] = i
				}
			}
			open, isOpen = nil, map[string]bool{}
		}
	}
	if len(moved) == 0 {
		return turns
	}
	out := make([]tree.Node, 0, len(turns))
	for i, turn := range turns {
		out = append(out, late[i]...)
		if !moved[i] {
			out = append(out, turn)
		}
	}
	return out
}

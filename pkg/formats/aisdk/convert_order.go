package aisdk

import (
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// inTime returns turns with all results before the next turn of the user or system after their
// calls: there, the SDK looks for calls without one. Other systems take results that come later.
func inTime(turns []tree.Node) []tree.Node {
	late := map[int][]tree.Node{} // by the index of the turn that they have to be before
	moved := map[int]bool{}
	ends := map[string]int{} // that index, by the ids of calls that ended without a result
	var open []string        // ids of calls before that
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

package chat

import "github.com/eaapl/handoff/pkg/internal/tree"

// PlaceResults returns canonical turns with every result directly after the turns of the assistant with its call, as
// most APIs require. In some formats, such as OpenAI's Responses API, turns of the user may be between them.
func PlaceResults(turns []tree.Node) []tree.Node {
	calls := map[string]int{}     // for calls without a result so far, where the turns of the assistant begin
	late := map[int][]tree.Node{} // results to move, by the begin of those turns
	moved := make([]bool, len(turns))
	begins := make([]bool, len(turns)) // where other turns, or other turns of the assistant, begin
	begin, goesOn := -1, false         // goesOn: the turn before is of the assistant
	for i, t := range turns {
		role := t.Get("role").Text()
		if role == "tool" {
			id := t.Get("tool_call_id").Text()
			if call, ok := calls[id]; ok && call != begin {
				late[call], moved[i] = append(late[call], t), true
			}
			delete(calls, id)
			goesOn = false
			continue
		}
		if begins[i] = role != "assistant" || !goesOn; begins[i] {
			begin = i
		}
		goesOn = role == "assistant"
		for _, c := range tree.Elements(t.Get("tool_calls")) {
			calls[c.Get("id").Text()] = begin
		}
	}
	if len(late) == 0 {
		return turns
	}
	placed := make([]tree.Node, 0, len(turns))
	begin = -1
	for i, t := range turns {
		if begins[i] {
			placed = append(placed, late[begin]...)
			begin = i
		}
		if !moved[i] {
			placed = append(placed, t)
		}
	}
	return append(placed, late[begin]...)
}

package claudecode

// Visible reports for each entry of a conversation whether it is a message: by the user or an
// assistant of the main chain, and not a note of the program. Text that the user typed while
// the agent worked is an attachment, which is a message only if a reply follows. path and end
// are the results of [Tree.Conversation].
func (t *Tree[K]) Visible(path []int, end int) []bool {
	visible := make([]bool, len(path))
	var none K
	taken := map[K]bool{}
	for _, n := range path {
		taken[t.nodes[n].UUID] = true
	}
	replied := make([]bool, len(path))
	reply := false
	for i := len(path) - 1; i >= 0; i-- {
		replied[i] = reply
		switch e := t.nodes[path[i]]; {
		case e.Kind == "assistant" || e.Answers || e.Interruption:
			reply = true
		case e.Kind == "user" && !e.Meta && !e.Summary:
			reply = false
		}
	}
	for i, n := range path {
		e := t.nodes[n]
		visible[i] = e.Speaks() && !e.Meta && !e.Sidechain && !e.Team
		if e.Queued && (replied[i] || i >= end) && !e.Sidechain && !e.Team {
			visible[i] = e.Source == none || !taken[e.Source]
			taken[e.Source] = true
		}
	}
	return visible
}

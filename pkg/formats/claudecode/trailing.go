package claudecode

import (
	"slices"
)

// trailing returns the text that the user typed after the last entry of the conversation, while
// the agent worked: queued commands that follow that entry, without another speaker in between
// and without a later speaker outside the conversation.
func (t *Tree[K]) trailing(path []int, leaf int) []int {
	on := make([]bool, len(t.nodes))
	for _, n := range path {
		on[n] = true
	}
	passed := t.passed(on)
	children := map[K][]int{}
	for n, e := range t.nodes {
		if e.Speaks() {
			continue
		}
		children[e.Parent] = append(children[e.Parent], n)
		if parent := t.parent(n); parent != e.Parent {
			children[parent] = append(children[parent], n)
		}
	}
	var found []int
	for stack := []int{leaf}; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n != leaf {
			if on[n] {
				continue
			}
			on[n] = true
			if t.nodes[n].AttachedCommand && !passed[n] {
				found = append(found, n)
			}
		}
		next := slices.Clone(children[t.nodes[n].UUID])
		slices.SortStableFunc(next, func(a, b int) int { return t.nodes[a].Time.compare(t.nodes[b].Time) })
		for _, child := range slices.Backward(next) {
			if !on[child] {
				stack = append(stack, child)
			}
		}
	}
	return found
}

// passed returns the entries that have a descendant outside the conversation by a speaker of
// the main chain.
func (t *Tree[K]) passed(on []bool) map[int]bool {
	passed := map[int]bool{}
	for n, e := range t.nodes {
		if !e.Speaks() || e.Sidechain || e.Team || on[n] {
			continue
		}
		for {
			parent, known := t.of(e.Parent)
			if !known || on[parent] || passed[parent] {
				break
			}
			passed[parent] = true
			e = t.nodes[parent]
		}
	}
	return passed
}

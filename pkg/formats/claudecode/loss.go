package claudecode

import (
	"slices"

	"github.com/eaapl/handoff/pkg/format"
)

// An orphan is a reply beside a path, and the entry of the path that would follow it.
type orphan struct {
	reply []int
	child int
}

// withReplies adds to a path the replies that retries left beside it. When a request fails and is made
// again, Claude Code may attach the note of the failure and the reply to the same entry, and the following
// lines to the note. A branch that the user left ends in another way: the next request of the user is
// beside it.
func (t *Tree[K]) withReplies(path []int) []int {
	if !slices.ContainsFunc(path, func(n int) bool { return t.nodes[n].Retry }) {
		return path
	}
	on := make([]bool, len(t.nodes))
	for _, n := range path {
		on[n] = true
	}
	children := map[int][]int{}
	for n, e := range t.nodes {
		if p := t.Up(n); p >= 0 && !on[n] && e.isMain() && e.Speaks() {
			children[p] = append(children[p], n)
		}
	}
	var all []int
	for i, n := range path {
		if e := t.nodes[n]; i > 0 && e.Kind == "user" && !e.Answers && !e.Meta {
			if o, ok := t.replyBefore(path[:i], n, children); ok {
				t.orphans = append(t.orphans, o)
				all = append(all, o.reply...)
			}
		}
		all = append(all, n)
	}
	return all
}

// replyBefore returns the reply beside the end of a path, up to its last speaker, if a request failed
// there. next is the user's next request.
func (t *Tree[K]) replyBefore(path []int, next int, children map[int][]int) (o orphan, ok bool) {
	retried, child := false, next
	for _, n := range slices.Backward(path) {
		retried = retried || t.nodes[n].Retry
		for _, first := range children[n] {
			reply := t.reply(first, children)
			if reply != nil && t.order(reply) < t.nodes[next].Order && (!ok || t.order(reply) > t.order(o.reply)) {
				o, ok = orphan{reply, child}, true
			}
		}
		if t.nodes[n].Speaks() {
			break
		}
		child = n
	}
	return o, ok && retried
}

// reply returns the entries from one of the assistant to the last, nil if a request of the user is among
// them.
func (t *Tree[K]) reply(n int, children map[int][]int) (reply []int) {
	for seen := map[int]bool{}; !seen[n]; {
		if e := t.nodes[n]; len(reply) == 0 && e.Kind != "assistant" || e.Kind == "user" && !e.Answers {
			return nil
		}
		seen[n] = true
		reply = append(reply, n)
		if more := children[n]; len(more) > 0 {
			n = more[len(more)-1]
		}
	}
	return reply
}

// Cut returns the nodes of the conversation that went before a path in the file, oldest first, if the path
// begins with an entry whose parent is missing. seen reports the nodes of earlier paths, none of which is returned,
// so that the cut of a cut, with the same seen, ends in time; it may be nil. Cut returns it with the nodes of path.
func (t *Tree[K]) Cut(path []int, seen []bool) (cut []int, now []bool) {
	if seen == nil {
		seen = make([]bool, len(t.nodes))
	}
	for _, n := range path {
		seen[n] = true
	}
	return t.cut(path, seen), seen
}

func (t *Tree[K]) cut(path []int, seen []bool) []int {
	var none K
	if len(path) == 0 || t.parent(path[0]) == none || t.Up(path[0]) >= 0 {
		return nil
	}
	first, leaf := t.nodes[path[0]].Order, -1
	for n, e := range t.nodes {
		if e.Order < first && !seen[n] && e.isMain() && e.Speaks() && (leaf < 0 || t.nodes[leaf].Order < e.Order) {
			leaf = n
		}
	}
	if leaf < 0 {
		return nil
	}
	return t.withReplies(t.spread(t.path(leaf, seen)))
}

// losses returns the turns that Claude Code does not find from the last entry.
func (t *Tree[K]) losses() []format.Loss {
	var all []format.Loss
	known := make([]bool, len(t.nodes))
	var seen []bool
	for path, _ := t.Conversation(); ; {
		for _, n := range slices.Concat(path, t.Before(path)) {
			known[n] = true
		}
		for _, o := range t.orphans {
			all = append(all, format.Loss{Cause: format.Orphaned, At: t.nodes[o.reply[0]].Order, Turns: t.Said(o.reply), Child: t.nodes[o.child].Order, Parent: t.order(o.reply)})
		}
		t.orphans = nil
		var cut []int
		if cut, seen = t.Cut(path, seen); len(cut) == 0 {
			return append(all, t.detached(known)...)
		}
		first := t.nodes[path[0]].Order
		all = append(all, format.Loss{Cause: format.Dangling, At: first, Turns: t.Said(cut), Child: first, Parent: t.order(cut)})
		path = cut
	}
}

// Detached returns the first entry of the branch of each node, -1 for a node that leads to a root or to a known
// node. The first entry has a parent that is missing, or is one of a circle.
func (t *Tree[K]) Detached(known []bool) []int {
	const unseen = -2
	var none K
	begins := slices.Repeat([]int{unseen}, len(t.nodes))
	for n := range t.nodes {
		var way []int
		for begins[n] == unseen {
			begins[n] = n // in a circle
			way = append(way, n)
			if known[n] {
				begins[n] = -1
			} else if up := t.Up(n); up >= 0 {
				n = up
			} else if t.parent(n) == none {
				begins[n] = -1
			}
		}
		for _, m := range way {
			begins[m] = begins[n]
		}
	}
	return begins
}

// detached returns the losses of branches that lead to no known node and to no root.
func (t *Tree[K]) detached(known []bool) (all []format.Loss) {
	at := map[int]int{}
	for n, begin := range t.Detached(known) {
		e := t.nodes[n]
		if begin < 0 || !e.isMain() || !e.Speaks() && !e.Queued || e.Meta {
			continue
		}
		i, ok := at[begin]
		if !ok {
			i = len(all)
			at[begin] = i
			all = append(all, format.Loss{Cause: format.Detached, At: e.Order})
		}
		all[i].At = min(all[i].At, e.Order)
		all[i].Turns++
	}
	return all
}

// order returns the position of the last of some nodes in the file.
func (t *Tree[K]) order(nodes []int) int {
	last := -1
	for _, n := range nodes {
		last = max(last, t.nodes[n].Order)
	}
	return last
}

// Said returns the number of messages among nodes.
func (t *Tree[K]) Said(nodes []int) (count int) {
	for _, n := range nodes {
		if e := t.nodes[n]; e.Speaks() && !e.Meta && !e.Summary {
			count++
		}
	}
	return count
}

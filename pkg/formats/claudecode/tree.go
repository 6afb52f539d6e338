package claudecode

import (
	"cmp"
	"slices"
)

// A Tree holds the entries of a session by uuid. If several entries have the same uuid, the
// last one takes the place of the first. K is the type of their texts: see [Entry].
type Tree[K comparable] struct {
	nodes  []*Entry[K]
	byUUID map[K]int32
	// group is the group of each entry; the root of the group has the entry's parent. It is nil if
	// no compaction kept entries: then each entry has its own parent.
	group []*group[K]
	// orphans are the replies that retries left beside the paths read so far: see withReplies.
	orphans []orphan
}

// A group is a set of entries with a common parent, which can be changed for all of them at
// once. A group that was merged into another has the parent of that group.
type group[K comparable] struct {
	parent K
	into   *group[K]
}

func (g *group[K]) root() *group[K] {
	for g.into != nil {
		if g.into.into != nil {
			g.into = g.into.into
		}
		g = g.into
	}
	return g
}

// NewTree returns the tree of entries, given in parts. The parts must not change afterwards.
func NewTree[K comparable](parts ...[]Entry[K]) *Tree[K] {
	count, kept := 0, false
	for _, entries := range parts {
		count += len(entries)
	}
	t := &Tree[K]{byUUID: make(map[K]int32, count), nodes: make([]*Entry[K], 0, count)}
	for _, entries := range parts {
		for i := range entries {
			e := &entries[i]
			kept = kept || e.Compaction && e.Kept != nil
			if n, known := t.byUUID[e.UUID]; known {
				t.nodes[n] = e
				continue
			}
			t.byUUID[e.UUID] = int32(len(t.nodes))
			t.nodes = append(t.nodes, e)
		}
	}
	if kept {
		t.relinkAll()
	}
	return t
}

// relinkAll moves the entries that compactions kept to their new places.
func (t *Tree[K]) relinkAll() {
	children := map[K]*group[K]{}
	t.group = make([]*group[K], len(t.nodes))
	for n, e := range t.nodes {
		g := children[e.Parent]
		if g == nil {
			g = &group[K]{parent: e.Parent}
			children[e.Parent] = g
		}
		t.group[n] = g
	}
	for _, e := range t.nodes {
		if e.Compaction && e.Kept != nil {
			t.relink(e.Kept, children)
		}
	}
}

// relink moves the entries that a compaction kept to between its summary and the next entry.
func (t *Tree[K]) relink(k *Kept[K], children map[K]*group[K]) {
	// move changes the parent of one entry.
	move := func(uuid, parent K) {
		if n, known := t.byUUID[uuid]; known {
			g := &group[K]{parent: parent}
			t.group[n] = g
			adopt(children, g)
		}
	}
	head, tail := k.Head, k.Tail
	if !k.Segment {
		for _, uuid := range k.UUIDs {
			if _, known := t.byUUID[uuid]; !known {
				return
			}
		}
		if len(k.UUIDs) == 0 {
			return
		}
		head, tail = k.UUIDs[0], k.UUIDs[len(k.UUIDs)-1]
		parent := k.Anchor
		for _, uuid := range k.UUIDs {
			move(uuid, parent)
			parent = uuid
		}
	} else {
		move(head, k.Anchor)
	}
	n, known := t.byUUID[head]
	stays := known && t.parent(int(n)) == k.Anchor
	if g := children[k.Anchor]; g != nil && tail != k.Anchor {
		delete(children, k.Anchor)
		g.parent = tail
		adopt(children, g)
	}
	if stays {
		move(head, k.Anchor)
	}
}

// adopt adds a group to the children of its parent.
func adopt[K comparable](children map[K]*group[K], g *group[K]) {
	if siblings := children[g.parent]; siblings != nil {
		g.into = siblings
		return
	}
	children[g.parent] = g
}

func (t *Tree[K]) parent(n int) K {
	if t.group == nil {
		return t.nodes[n].Parent
	}
	return t.group[n].root().parent
}

// of returns the node with a uuid, or false if there is none or uuid is "".
func (t *Tree[K]) of(uuid K) (n int, known bool) {
	var none K
	at, known := t.byUUID[uuid]
	return int(at), known && uuid != none
}

// Up returns the parent of a node after all compactions; -1 if there is none.
func (t *Tree[K]) Up(n int) int {
	if p, known := t.of(t.parent(n)); known {
		return p
	}
	return -1
}

// Conversation returns the nodes of the conversation, oldest first: the path from the root to
// the last leaf, with the parts of responses and the results that branch off from it. The nodes
// from index end on are commands that the user typed after the last entry.
func (t *Tree[K]) Conversation() (path []int, end int) {
	return t.conversation(t.leaf(nil))
}

// Branch is [Tree.Conversation] for the branch with an entry: it goes on to the last leaf below the entry. It
// returns false if no entry has the uuid.
func (t *Tree[K]) Branch(uuid K) (path []int, end int, ok bool) {
	n, known := t.of(uuid)
	if !known {
		return nil, 0, false
	}
	below := make([]bool, len(t.nodes))
	read := make([]bool, len(t.nodes))
	for leaf := range t.nodes {
		var way []int
		at := leaf
		for at >= 0 && !read[at] {
			read[at] = true
			way = append(way, at)
			if at == n {
				below[at] = true
				break
			}
			at = t.Up(at)
		}
		for _, node := range way {
			below[node] = at >= 0 && below[at]
		}
	}
	path, end = t.conversation(t.leaf(below))
	return path, end, true
}

func (t *Tree[K]) conversation(leaf int) (path []int, end int) {
	t.orphans = nil
	if leaf < 0 {
		return nil, 0
	}
	path = t.withReplies(t.spread(t.path(leaf, make([]bool, len(t.nodes)))))
	return append(path, t.trailing(path, leaf)...), len(path)
}

// isMain reports whether an entry belongs to the main chain.
func (e *Entry[K]) isMain() bool {
	return !e.Sidechain && !e.Team && e.Kind != "progress" && !e.Briefing
}

// Before returns the nodes that the compaction at the root of path summarises, oldest first,
// including the nodes that earlier compactions summarise.
func (t *Tree[K]) Before(path []int) []int {
	seen := make([]bool, len(t.nodes))
	for _, n := range path {
		seen[n] = true
	}
	var all [][]int
	for len(path) > 0 && t.nodes[path[0]].Compaction {
		leaf, known := t.byUUID[t.nodes[path[0]].LogicalParent]
		if !known {
			break
		}
		path = t.path(int(leaf), seen)
		all = append(all, path)
	}
	slices.Reverse(all)
	return t.spread(slices.Concat(all...))
}

// path returns the nodes to a leaf, from the root or from below a node that is already in seen. It
// stops at a cycle. It adds the nodes to seen.
func (t *Tree[K]) path(leaf int, seen []bool) []int {
	var path []int
	for n := leaf; n >= 0 && !seen[n]; n = t.Up(n) {
		seen[n] = true
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}

// Entry returns the entry of a node, as returned by [Tree.Conversation].
func (t *Tree[K]) Entry(n int) *Entry[K] { return t.nodes[n] }

// Speaks reports whether the entry is by the user or an assistant.
func (e *Entry[K]) Speaks() bool { return e.Kind == "user" || e.Kind == "assistant" }

// leaf returns the last entry of the conversation by the user or an assistant: the one
// nearest to the last leaf of the main chain. It returns -1 if there is none. If among is not nil, only leaves
// in it count.
func (t *Tree[K]) leaf(among []bool) int {
	continued, any := make([]bool, len(t.nodes)), make([]bool, len(t.nodes))
	for n, e := range t.nodes {
		if parent := t.Up(n); parent >= 0 {
			any[parent] = true
			continued[parent] = continued[parent] || e.isMain()
		}
	}
	var leaves, ends []int
	for n, e := range t.nodes {
		if among != nil && !among[n] {
			continue
		}
		if e.isMain() && !continued[n] {
			leaves = append(leaves, n)
		}
		if !any[n] {
			ends = append(ends, n)
		}
	}
	slices.SortStableFunc(leaves, func(a, b int) int { return cmp.Compare(t.nodes[b].Order, t.nodes[a].Order) })
	silent := map[int]bool{} // nodes without a speaker up to the root
	for _, leaf := range leaves {
		if n := t.speaker(leaf, silent); n >= 0 {
			return n
		}
	}
	// There are only sidechains: use the last one, preferably the user's own.
	best, main := -1, -1
	later := func(a, b int) bool { return b < 0 || t.nodes[a].Order > t.nodes[b].Order }
	found := map[int]int{}
	for _, leaf := range ends {
		n := t.speakerOf(leaf, found)
		if n < 0 {
			continue
		}
		if later(n, best) {
			best = n
		}
		if e := t.nodes[n]; !e.Sidechain && !e.Team && !e.Meta && later(n, main) {
			main = n
		}
	}
	if main >= 0 {
		return main
	}
	return best
}

// speaker returns the nearest entry by the user or an assistant from a node towards the root,
// or -1. It skips paths in silent, which lead to no such entry, and adds to them.
func (t *Tree[K]) speaker(n int, silent map[int]bool) int {
	for ; n >= 0 && !silent[n]; n = t.Up(n) {
		if t.nodes[n].Speaks() {
			return n
		}
		silent[n] = true
	}
	return -1
}

// speakerOf is like speaker, but for leaves that share paths: found caches the result for each
// node.
func (t *Tree[K]) speakerOf(leaf int, found map[int]int) int {
	result := -1
	var way []int
	for n := leaf; n >= 0; n = t.Up(n) {
		if known, ok := found[n]; ok {
			result = known
			break
		}
		found[n] = -1 // in case of a cycle
		way = append(way, n)
		if t.nodes[n].Speaks() {
			result = n
			break
		}
	}
	for _, n := range way {
		found[n] = result
	}
	return result
}

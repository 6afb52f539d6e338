package chain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
)

// Tasks checks all messages and returns their tasks, by the time of their first
// message, then by id.
func (c *Checker) Tasks() []*Task {
	f := c.plant()
	c.connect(f)
	f.sort()
	tasks := c.group(f)
	for _, n := range f.order {
		if n.Parent != nil {
			n.soFar = n.Parent.soFar
		}
		n.soFar = n.after(n.soFar, n.stated)
	}
	for _, n := range slices.Backward(f.order) {
		n.fan = c.newFan(n, f)
		n.tip = f.tipOf(n)
	}
	for _, n := range f.order {
		n.count()
	}
	for _, n := range f.order {
		c.checkBelow(n, f.below[n.index])
	}
	for _, t := range tasks {
		c.checkLoops(t)
	}
	total(tasks, f)
	for i := range f.nodes {
		c.sortFindings(f.nodes[i].Findings)
	}
	return tasks
}

// A forest is the trees of all tasks.
type forest struct {
	nodes  []Node // by time, then by handoffId
	parent []int  // by the index of a node: the index of its parent, or one of the constants below
	below  [][]*Node
	order  []*Node // all, parents before children
}

// Special values of forest.parent.
const (
	isFirst = -1 - iota // parentHandoffId is null
	isAbsent
	isCut // a cycle
)

// foldID returns the normal form of an id: UUIDs are equal in either case.
func foldID(id string) string { return strings.ToLower(id) }

func byTime(a, b *Message) int {
	return cmp.Or(
		a.Time.Compare(b.Time),
		cmp.Compare(a.HandoffID, b.HandoffID),
		cmp.Compare(a.checksum, b.checksum),
		cmp.Compare(a.Place.Source, b.Place.Source),
		cmp.Compare(a.Place.Index, b.Place.Index),
	)
}

// plant makes the nodes, one for each message without its copies, and finds their parents.
func (c *Checker) plant() *forest {
	type key struct {
		id     string
		digest uint64
	}
	messages := slices.SortedStableFunc(slices.Values(c.messages), byTime)
	f := &forest{nodes: make([]Node, 0, len(messages))}
	named := make(map[string]int, len(messages)) // by ID: the first message with it
	known := make(map[key]int, len(messages))
	twins := make(map[[2]string]int) // the first of several messages with one ID, by task and ID
	copies := make(map[int][]*Message)
	for _, m := range messages {
		id := foldID(m.HandoffID)
		if i, isCopy := known[key{id, m.digest}]; isCopy {
			copies[i] = append(copies[i], m)
			continue
		}
		i := len(f.nodes)
		f.nodes = append(f.nodes, Node{Message: m, index: i})
		known[key{id, m.digest}] = i
		if first, taken := named[id]; taken {
			c.report("chain/duplicate-id", &f.nodes[i], m.at(handoffID), fmt.Sprintf(
				"the handoffId %s is also used by the message at %s; give every handoff its own id", finding.Quote(m.HandoffID), f.nodes[first].Place))
			if twin := [2]string{id, foldID(m.TaskID)}; twins[twin] == 0 {
				twins[twin] = i
			}
		} else {
			named[id] = i
		}
	}
	for i := range f.nodes {
		if found := copies[i]; len(found) > 0 {
			c.reportCopies(&f.nodes[i], found)
		}
		parent := isFirst
		if id := foldID(f.nodes[i].ParentID); id != "" {
			at, ok := named[id]
			if parent = at; !ok {
				parent = isAbsent
			} else if !f.nodes[at].sameTask(&f.nodes[i]) {
				if twin := twins[[2]string{id, foldID(f.nodes[i].TaskID)}]; twin > 0 {
					parent = twin
				}
			}
		}
		f.parent = append(f.parent, parent)
	}
	return f
}

// connect cuts the cycles, each at the smallest handoffId, and gives the nodes their
// parents and children.
func (c *Checker) connect(f *forest) {
	const unseen = -1
	walk := slices.Repeat([]int{unseen}, len(f.nodes)) // the start from which a node was first reached
	for start := range f.nodes {
		i := start
		for i >= 0 && walk[i] == unseen {
			walk[i] = start
			i = f.parent[i]
		}
		if i >= 0 && walk[i] == start {
			c.cut(f, i)
		}
	}
	sizes := make([]int, len(f.nodes))
	edges := 0
	for _, p := range f.parent {
		if p >= 0 {
			sizes[p]++
			edges++
		}
	}
	room := make([]*Node, edges) // for all children together
	f.below = make([][]*Node, len(f.nodes))
	for i, size := range sizes {
		f.below[i], room = room[:0:size], room[size:]
	}
	for i, p := range f.parent {
		if p >= 0 {
			f.nodes[i].Parent = &f.nodes[p]
			f.below[p] = append(f.below[p], &f.nodes[i])
		}
	}
	for i := range f.nodes {
		f.nodes[i].Children = sameTask(&f.nodes[i], f.below[i])
	}
}

// sameTask returns the nodes that belong to the task of n.
func sameTask(n *Node, nodes []*Node) []*Node {
	isOther := func(other *Node) bool { return !n.sameTask(other) }
	if !slices.ContainsFunc(nodes, isOther) {
		return nodes
	}
	return slices.DeleteFunc(slices.Clone(nodes), isOther)
}

func (n *Node) sameTask(other *Node) bool {
	return n.TaskID == other.TaskID || foldID(n.TaskID) == foldID(other.TaskID)
}

// cut cuts the cycle that contains the node i.
func (c *Checker) cut(f *forest, i int) {
	cycle := []int{i}
	for at := f.parent[i]; at != i; at = f.parent[at] {
		cycle = append(cycle, at)
	}
	smallest := slices.MinFunc(cycle, func(a, b int) int {
		return cmp.Compare(foldID(f.nodes[a].HandoffID), foldID(f.nodes[b].HandoffID))
	})
	n := &f.nodes[smallest]
	var ids []string
	for at := f.parent[smallest]; at != smallest && len(ids) < maxListed; at = f.parent[at] {
		ids = append(ids, f.nodes[at].HandoffID)
	}
	text := "parentHandoffId names the message itself"
	if len(ids) > 0 {
		text = fmt.Sprintf("parentHandoffId leads back to the message itself, through %s", listed(ids, len(cycle)-1))
	}
	f.parent[smallest] = isCut
	c.report("chain/cycle", n, n.at(parentID), text+"; name the handoff from which the sender got the task")
}

// sort puts parents before children, and close to them, so that their common data is still in
// the processor's cache.
func (f *forest) sort() {
	f.order = make([]*Node, 0, len(f.nodes))
	for i, p := range f.parent {
		if p >= 0 {
			continue
		}
		for todo := []*Node{&f.nodes[i]}; len(todo) > 0; {
			n := todo[len(todo)-1]
			todo = append(todo[:len(todo)-1], f.below[n.index]...)
			f.order = append(f.order, n)
		}
	}
}

// group makes the tasks and determines the first message whose costs are counted.
func (c *Checker) group(f *forest) []*Task {
	var tasks []*Task
	named := make(map[string]*Task)
	for i := range f.nodes {
		n := &f.nodes[i]
		t := named[foldID(n.TaskID)]
		if t == nil {
			t = &Task{ID: n.TaskID}
			named[foldID(n.TaskID)] = t
			tasks = append(tasks, t)
		}
		t.Messages++
		if n.Parent == nil || !n.sameTask(n.Parent) {
			t.Roots = append(t.Roots, n)
		}
	}
	for _, t := range tasks {
		c.checkLineage(t, f)
	}
	// The nodes are already sorted, so only tasks that begin at the same time are out of order.
	slices.SortStableFunc(tasks, func(a, b *Task) int {
		return cmp.Or(a.first().Time.Compare(b.first().Time), cmp.Compare(foldID(a.ID), foldID(b.ID)))
	})
	return tasks
}

// first returns the root that comes first.
func (t *Task) first() *Node { return t.Roots[0] }

// checkLineage checks the beginning of a task.
func (c *Checker) checkLineage(t *Task, f *forest) {
	var first *Node // message of the task
	hasFirst := false
	for _, n := range t.Roots {
		switch {
		case n.Parent != nil:
			hasFirst = true
		case f.parent[n.index] != isFirst:
		case first == nil:
			n.base, hasFirst, first = money|usage, true, n
		default:
			n.base = money | usage
			c.report("chain/many-roots", n, n.at(parentID), fmt.Sprintf(
				"parentHandoffId is null, but the task already begins with %s: name the handoff from which the sender got the task, or start a new task", finding.Quote(first.HandoffID)))
		}
	}
	if !hasFirst {
		t.first().base = money | usage
	}
	isUnread := func(n *Node) bool { return c.unread.messages[foldID(n.ParentID)] }
	begins := hasFirst || c.unread.tasks[foldID(t.ID)] || slices.ContainsFunc(t.Roots, isUnread) // possibly an unread one
	for _, n := range t.Roots {
		if f.parent[n.index] != isAbsent || isUnread(n) {
			continue
		}
		if begins {
			c.report("chain/missing-parent", n, n.at(parentID), fmt.Sprintf(
				"the parent %s is missing, although the first message of the task is present; add the missing messages", finding.Quote(n.ParentID)))
		} else {
			c.report("chain/orphan", n, n.at(parentID), fmt.Sprintf(
				"the parent %s and the first message of the task are missing: add the earlier messages", finding.Quote(n.ParentID)))
		}
	}
}

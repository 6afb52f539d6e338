package chain

import (
	"fmt"
	"iter"
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
)

// A fan is a fan-out: a message to several receivers, with their branches (section 14.2).
type fan struct {
	from     *Node
	branches []*Node  // the messages of the receivers
	missing  []string // the receivers without a message
	// joints are the messages that join the branches. They have one parent.
	joints []*Node
	others []*Node // the tips of the branches, without the branch of the joints' parent
	// isLoose reports that branches meet in some message, but none joins all of them.
	isLoose bool

	beside  *Cost    // the cost of the other branches; computed on first use
	last    *Node    // the latest of others; computed on first use
	results outcomes // of the subtasks that the others completed
	// done and open are the completed and the remaining subtasks that the joints must take over
	// from the others; left are the remaining subtasks that they must take over from their
	// parent.
	done, open, left inventory
}

// maxAddressed is the maximum number of agent types that are read from a tip.
const maxAddressed = 64

// maxJoined is the maximum number of nested fan-outs that a message may join.
const maxJoined = 8

// next returns the messages that continue a message: if it is a joined fan-out, the messages
// that join it, and otherwise its children.
func (f *forest) next(n *Node) []*Node {
	if n.fan != nil && len(n.fan.joints) > 0 {
		return n.fan.joints
	}
	return f.below[n.index]
}

// tipOf returns the last message in line from n. The tips of its children must be known.
func (f *forest) tipOf(n *Node) *Node {
	if next := f.next(n); len(next) == 1 {
		return next[0].tip
	}
	return n
}

// newFan returns the fan-out of a message, or nil if it has only one receiver. It must be
// called for children before their parents.
func (c *Checker) newFan(n *Node, forest *forest) *fan {
	if len(n.Receivers) == 0 {
		return nil
	}
	receivers := make(map[string]int) // how many of each type are expected
	for _, t := range n.Receivers {
		receivers[t]++
	}
	count := len(n.Receivers)
	if n.To != "" && receivers[n.To] == 0 {
		receivers[n.To]++
		count++
	}
	if count < 2 {
		return nil
	}
	f := &fan{from: n}
	answered := make(map[string]int)
	for _, child := range forest.below[n.index] {
		for _, t := range c.o.typesOf(child.From) {
			if receivers[t] > 0 {
				answered[t]++
				child.isBranch = true
			}
		}
		if child.isBranch {
			f.branches = append(f.branches, child)
		}
	}
	for t, count := range receivers {
		if answered[t] < count {
			f.missing = append(f.missing, t)
		}
	}
	slices.Sort(f.missing)
	if len(f.branches) > 0 {
		f.findJoints(&meeting{fan: f, forest: forest, c: c, receivers: receivers})
	}
	return f
}

// A meeting is the search for the messages that join a fan-out.
type meeting struct {
	*fan
	forest    *forest
	c         *Checker
	receivers map[string]int
	// addressed is the number of tips that hand to a type of agent.
	addressed map[string]int
}

// addressees returns the agent types that the last message of a branch is addressed to. If
// there is only one branch, its end is unknown, so types addressed within it count too.
func (m *meeting) addressees(branch *Node) []string {
	from := branch.tip
	if len(m.branches) == 1 {
		from = branch
	}
	return from.toTypes[:min(len(from.toTypes), maxAddressed)]
}

// handing returns the number of branches addressed to the sender of a message, without the
// message's own branch. A receiver does not join.
func (m *meeting) handing(n, branch *Node) int {
	most := 0
	for _, t := range m.c.o.typesOf(n.From) {
		count := m.addressed[t]
		if count > 0 && branch != nil && len(m.branches) > 1 && slices.Contains(m.addressees(branch), t) {
			count--
		}
		if m.receivers[t] == 0 {
			most = max(most, count)
		}
	}
	return most
}

// isAddressed reports whether a message is from an agent that its parent is addressed to, or
// joins a fan-out. If not, the chain of handoffs is broken there.
func (m *meeting) isAddressed(n *Node) bool {
	types := n.Parent.toTypes
	return len(n.joins) > 0 || len(types) > maxAddressed ||
		slices.ContainsFunc(m.c.o.typesOf(n.From), func(t string) bool { return slices.Contains(types, t) })
}

// joining returns the nodes whose sender all other branches are addressed to.
func (m *meeting) joining(nodes []*Node, branch *Node) []*Node {
	all := len(m.branches)
	if branch != nil && all > 1 {
		all--
	}
	var found []*Node
	for _, n := range nodes {
		if branch == nil && n.isBranch || len(n.joins) == maxJoined {
			continue
		}
		handing := m.handing(n, branch)
		if handing == all {
			found = append(found, n)
		}
		m.isLoose = m.isLoose || handing > 0
	}
	return found
}

// findJoints finds the messages of an agent that is not a receiver and that all branches are
// addressed to, except the branch that the messages continue. An agent that continues several
// branches, with a message for each, does not join them.
func (f *fan) findJoints(m *meeting) {
	m.addressed = make(map[string]int)
	for _, b := range f.branches {
		types := m.addressees(b)
		for i, t := range types {
			if !slices.Contains(types[:i], t) {
				m.addressed[t]++
			}
		}
	}
	var own *Node // the branch that the joints continue
	f.joints = m.joining(m.forest.below[f.from.index], nil)
	parents := min(len(f.joints), 1)
	for _, b := range f.branches {
		for at := []*Node{b}; len(at) == 1; {
			next := m.forest.next(at[0])
			if found := m.joining(next, b); len(found) > 0 {
				f.joints, own = found, b
				parents++
				break
			}
			if at = next; len(f.branches) == 1 || len(at) == 1 && !m.isAddressed(at[0]) {
				break
			}
		}
	}
	if parents != 1 {
		f.joints = nil
		isFork := func(b *Node) bool { return b.tip.fan == nil && len(m.forest.below[b.tip.index]) > 0 }
		f.isLoose = f.isLoose || slices.ContainsFunc(f.branches, isFork)
		return
	}
	f.isLoose = false
	for _, b := range f.branches {
		if b != own {
			f.others = append(f.others, b.tip)
		}
	}
	for _, n := range f.joints {
		n.joins = append(n.joins, f)
	}
	f.owe(f.joints[0])
}

// owe computes the subtasks that the joints must take over; joint is one of them.
func (f *fan) owe(joint *Node) {
	parent := joint.Parent
	// Subtasks that remained at a fan-out are listed by its branches, or were lost there.
	isFan := slices.ContainsFunc(joint.joins, func(f *fan) bool { return f.from == parent })
	var own, ownDone inventory
	if !isFan {
		own.reset(parent.subtasks)
	}
	ownDone.reset(ids(parent.Message.completed))
	for _, n := range f.others {
		for _, s := range n.Message.completed {
			f.results.add(s.id)
			f.results.note(s)
			if !ownDone.has(s.id) {
				f.done.add(s.id)
			}
		}
	}
	for _, n := range f.others {
		for _, s := range n.Message.remaining {
			if !own.has(s.id) && !ownDone.has(s.id) && !f.done.has(s.id) {
				f.open.add(s.id)
			}
		}
	}
	for _, s := range parent.Message.remaining {
		isDone := func(f *fan) bool { return f.done.has(s.id) }
		if !isFan && !slices.ContainsFunc(joint.joins, isDone) {
			f.left.add(s.id)
		}
	}
}

// Joined returns the last messages of the other branches that a message joins, without the branch of its
// parent; none if it joins nothing (EAAPL-MAG006, section 14.2).
func (n *Node) Joined() []*Node {
	var all []*Node
	for _, f := range n.joins {
		all = append(all, f.others...)
	}
	return all
}

// outer returns the outermost fan-out that a message joins, or nil.
func (n *Node) outer() *fan {
	if len(n.joins) == 0 {
		return nil
	}
	return n.joins[len(n.joins)-1]
}

// spentBeside returns the cost of the other branches.
func (f *fan) spentBeside() Cost {
	if f.beside == nil {
		f.beside = new(Cost)
		for _, n := range f.others {
			*f.beside = f.beside.Plus(n.soFar.minus(f.from.soFar))
		}
	}
	return *f.beside
}

// latest returns the last tip of the other branches, or the fan-out.
func (f *fan) latest() *Node {
	if f.last == nil {
		f.last = f.from
		for _, n := range f.others {
			if n.timed && (!f.last.timed || n.Time.After(f.last.Time)) {
				f.last = n
			}
		}
	}
	return f.last
}

// checkFanOut checks that every remaining subtask is listed by one of the branches. They share
// the work, so none has to list all of it.
func (c *Checker) checkFanOut(p *parent) {
	if len(p.fan.missing) > 0 {
		return // they may be in the missing branch
	}
	var lists []iter.Seq[string]
	for _, n := range p.fan.branches {
		lists = append(lists, n.subtasks)
	}
	first := p.fan.branches[0]
	if some, lost := p.remaining.without(p.index, lists...); lost > 0 {
		c.report("chain/subtask-lost", first, first.at(remaining), fmt.Sprintf(
			"remaining subtasks of the fan-out are missing from all branches: %s; list each in completedSubtasks or in remainingSubtasks",
			listed(some, lost)))
	}
}

// checkFanIn checks that a message that joins a fan-out lists every receiver and all their
// subtasks. Its own parent is checked elsewhere.
func (c *Checker) checkFanIn(f *fan, n *Node) {
	if len(f.missing) > 0 {
		c.report("chain/fan-in", n, n.at(whole), fmt.Sprintf(
			"the message joins the fan-out %s without a handoff from %s: wait for every receiver, or add the missing messages",
			finding.Quote(f.from.HandoffID), listed(f.missing, len(f.missing))))
	}
	if some, lost := f.done.without(n.index, ids(n.Message.completed)); lost > 0 {
		c.report("chain/fan-in", n, n.at(completed), fmt.Sprintf(
			"completed subtasks of another branch of the fan-out %s are missing: %s; take over the completed subtasks of every branch",
			finding.Quote(f.from.HandoffID), listed(some, lost)))
	}
	if some, lost := f.open.without(n.index, n.subtasks); lost > 0 {
		c.report("chain/fan-in", n, n.at(remaining), fmt.Sprintf(
			"remaining subtasks of another branch of the fan-out %s are missing: %s; take over the remaining subtasks of every branch",
			finding.Quote(f.from.HandoffID), listed(some, lost)))
	}
}

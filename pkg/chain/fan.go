package chain

import (
	"fmt"
	"iter"
	"slices"
)

// A fan is what became of a fan-out: of a message to several receivers (section 14.2).
type fan struct {
	from     *Node
	branches []*Node  // the messages of the receivers
	missing  []string // the receivers without a message
	// addressed are the types that the branches hand to.
	addressed map[string]reach
	completed map[string]bool // the subtasks that any branch has completed
	joined    Cost            // the branches together
	// joints are the messages that join the branches: by the agent that all of them
	// hand to. They have one parent.
	joints []*Node
	// done and open are the completed and the remaining subtasks that the joints have to
	// take over from other branches than their parent.
	done, open inventory
}

// A reach is how many branches hand to a type of agent, and the last of them.
type reach struct {
	branches int
	last     *Node
}

// newFan looks at the messages below a message to several receivers; nil if it is none.
func (c *Checker) newFan(n *Node) *fan {
	receivers := make(map[string]int) // how many of a type there have to be
	for _, t := range n.Receivers {
		receivers[t]++
	}
	if len(receivers) < 2 {
		return nil
	}
	f := &fan{from: n, addressed: make(map[string]reach), completed: make(map[string]bool), joined: n.sofar}
	answered := make(map[string]int)
	for _, child := range n.Children {
		for _, t := range c.o.typesOf(child.From) {
			if receivers[t] > 0 {
				answered[t]++
				child.isBranch = true
			}
		}
		if child.isBranch {
			f.addBranch(child)
		}
	}
	for t, count := range receivers {
		if answered[t] < count {
			f.missing = append(f.missing, t)
		}
	}
	slices.Sort(f.missing)
	f.findJoints(c, receivers)
	return f
}

func (f *fan) addBranch(n *Node) {
	f.branches = append(f.branches, n)
	for _, t := range n.toTypes {
		if r := f.addressed[t]; r.last != n {
			f.addressed[t] = reach{r.branches + 1, n}
		}
	}
	for _, s := range n.Message.completed {
		f.completed[s.id] = true
	}
	if n.hasCost {
		f.joined = f.joined.plus(n.Cost.minus(f.from.sofar))
	}
}

// addresses reports whether a branch hands to one of the types.
func (f *fan) addresses(types []string) bool {
	return slices.ContainsFunc(types, func(t string) bool { return f.addressed[t].branches > 0 })
}

// findJoints finds the messages of the agent that every branch hands to, if it is none
// of the receivers. One that goes on from several branches, with a message for each,
// does not join them.
func (f *fan) findJoints(c *Checker, receivers map[string]int) {
	isJoint := func(n *Node) bool {
		return !n.isBranch && slices.ContainsFunc(c.o.typesOf(n.From), func(t string) bool {
			return receivers[t] == 0 && f.addressed[t].branches == len(f.branches)
		})
	}
	if len(f.branches) == 0 {
		return
	}
	parents := 0
	for _, parent := range append(f.branches[:len(f.branches):len(f.branches)], f.from) {
		before := len(f.joints)
		for _, child := range parent.Children {
			if isJoint(child) {
				f.joints = append(f.joints, child)
			}
		}
		if len(f.joints) > before {
			parents++
		}
	}
	if parents > 1 {
		f.joints = nil
	}
	for _, n := range f.joints {
		n.joins = f
	}
	if len(f.joints) > 0 {
		f.oweTo(f.joints[0].Parent)
	}
}

// oweTo works out what the joints, whose parent is given, have to take over.
func (f *fan) oweTo(parent *Node) {
	var own, ownDone inventory
	own.reset(parent.subtasks)
	ownDone.reset(ids(parent.Message.completed))
	for _, n := range f.branches {
		for _, s := range n.Message.completed {
			if !ownDone.has(s.id) {
				f.done.add(s.id)
			}
		}
	}
	for _, n := range f.branches {
		for _, s := range n.Message.remaining {
			if !own.has(s.id) && !f.done.has(s.id) {
				f.open.add(s.id)
			}
		}
	}
}

// branchOf returns the fan that a message is a branch of, nil if it is none.
func (n *Node) branchOf() *fan {
	if !n.isBranch {
		return nil
	}
	return n.Parent.fan
}

// checkFanOut asks whether every subtask that remained is with one of the branches: they
// share the work, so that none has to list what the others do.
func (c *Checker) checkFanOut(p *parent) {
	if len(p.fan.missing) > 0 {
		return // one that is missing may have them
	}
	var lists []iter.Seq[string]
	for _, n := range p.fan.branches {
		lists = append(lists, n.subtasks)
	}
	first := p.fan.branches[0]
	if some, lost := p.remaining.without(p.index, lists...); lost > 0 {
		c.report("subtask-lost", first, first.at(remaining), fmt.Sprintf(
			"remaining at the fan-out, and at none of its branches completed or remaining: %s; list each in completedSubtasks or in remainingSubtasks",
			listed(some, lost)))
	}
}

// checkFanIn asks whether a message that joins a fan-out has heard of every receiver, and
// of all they did. What its own parent did is a matter between the two.
func (c *Checker) checkFanIn(f *fan, n *Node) {
	if len(f.missing) > 0 {
		c.report("fan-in", n, n.at(whole), fmt.Sprintf(
			"joins the fan-out %s without a handoff by %s: wait for every receiver, or add the missing messages",
			quote(f.from.HandoffID), listed(f.missing, len(f.missing))))
	}
	if some, lost := f.done.without(n.index, ids(n.Message.completed)); lost > 0 {
		c.report("fan-in", n, n.at(completed), fmt.Sprintf(
			"completed at another branch of the fan-out %s, and not here: %s; take over what every branch has done",
			quote(f.from.HandoffID), listed(some, lost)))
	}
	if some, lost := f.open.without(n.index, n.subtasks); lost > 0 {
		c.report("fan-in", n, n.at(remaining), fmt.Sprintf(
			"remaining at another branch of the fan-out %s, and here neither completed nor remaining: %s; take over what every branch has left",
			quote(f.from.HandoffID), listed(some, lost)))
	}
}

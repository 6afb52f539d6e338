package chain

import (
	"fmt"
	"iter"
	"slices"
)

// An inventory is a list of names of a message, used to find names that other messages lack.
// The search takes time in proportion to the length of the other message.
type inventory struct {
	index map[string]int
	names []string
	marks []int // the last call that found the name
}

const longInventory = 1000

// reset replaces the names. Repeats and "" are left out.
func (v *inventory) reset(names iter.Seq[string]) {
	// The time to clear a map depends on its largest size so far.
	if len(v.index) > longInventory {
		v.index = nil
	}
	clear(v.index)
	v.names, v.marks = v.names[:0], v.marks[:0]
	for name := range names {
		v.add(name)
	}
}

func (v *inventory) add(name string) {
	if name == "" || v.has(name) {
		return
	}
	if v.index == nil {
		v.index = make(map[string]int)
	}
	v.index[name] = len(v.names)
	v.names, v.marks = append(v.names, name), append(v.marks, -1)
}

func (v *inventory) has(name string) bool {
	_, ok := v.index[name]
	return ok
}

// outcomes are completed subtasks, with their results.
type outcomes struct {
	inventory
	results []uint64         // the first of each name
	more    map[outcome]bool // the others, where a subtask is listed again
}

type outcome struct {
	id     string
	result uint64
}

func (o *outcomes) reset(subtasks []subtask) {
	o.inventory.reset(ids(subtasks))
	o.results, o.more = o.results[:0], nil
	for _, s := range subtasks {
		o.note(s)
	}
}

// note adds the result of a subtask whose id is listed.
func (o *outcomes) note(s subtask) {
	at, ok := o.index[s.id]
	switch {
	case !ok:
	case at == len(o.results):
		o.results = append(o.results, s.result)
	case o.results[at] != s.result:
		if o.more == nil {
			o.more = make(map[outcome]bool)
		}
		o.more[outcome{s.id, s.result}] = true
	}
}

// find reports whether a subtask is listed, and whether with the same result.
func (o *outcomes) find(s subtask) (known, same bool) {
	at, known := o.index[s.id]
	return known, known && (o.results[at] == s.result || o.more[outcome{s.id, s.result}])
}

// without returns how many of the names are in none of the lists, and some of them. by
// identifies the call.
func (v *inventory) without(by int, lists ...iter.Seq[string]) (some []string, count int) {
	count = len(v.names)
	for _, names := range lists {
		for name := range names {
			if i, ok := v.index[name]; ok && v.marks[i] != by {
				v.marks[i] = by
				count--
			}
		}
	}
	for i := 0; len(some) < min(count, maxListed); i++ {
		if v.marks[i] != by {
			some = append(some, v.names[i])
		}
	}
	return some, count
}

// ids yields the ids of subtasks.
func ids(subtasks []subtask) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, s := range subtasks {
			if !yield(s.id) {
				return
			}
		}
	}
}

// subtasks yields the ids of all subtasks of a message.
func (m *Message) subtasks(yield func(string) bool) {
	for _, list := range [][]subtask{m.completed, m.remaining} {
		for _, s := range list {
			if !yield(s.id) {
				return
			}
		}
	}
}

// checkSubtasks checks that the parent's subtasks are kept.
func (c *Checker) checkSubtasks(p *parent, n *Node) {
	if !n.isBranch {
		left := &p.remaining
		if outer := n.outer(); outer != nil {
			left = &outer.left
		}
		if some, lost := left.without(n.index, n.subtasks); lost > 0 {
			c.report("chain/subtask-lost", n, n.at(remaining), fmt.Sprintf(
				"remaining subtasks of the parent are missing: %s; list each in completedSubtasks or in remainingSubtasks",
				listed(some, lost)))
		}
	}
	if some, lost := p.completed.without(n.index, n.subtasks); lost > 0 {
		c.report("chain/subtask-forgotten", n, n.at(completed), fmt.Sprintf(
			"completed subtasks of the parent are missing: %s; pass on completed subtasks with their results",
			listed(some, lost)))
	}
	c.checkReopened(p, n)
	c.checkResults(p, n)
	c.checkProofs(p, n)
}

// checkProofs checks that the evidence of completed subtasks is kept.
func (c *Checker) checkProofs(p *parent, n *Node) {
	if len(p.proofs) == 0 {
		return
	}
	kept := make(map[proof]bool, len(n.proofs))
	for _, e := range n.proofs {
		kept[e] = true
	}
	weaker := make(map[string]bool)
	for _, e := range p.proofs {
		if !kept[e] {
			weaker[e.subtask] = true
		}
	}
	some, count, first := chosen(n.Message.completed, func(s subtask) bool { return weaker[s.id] })
	if count > 0 {
		c.report("chain/evidence-lost", n, n.atSubtask(completed, first), fmt.Sprintf(
			"evidence of completed subtasks is missing or changed: %s; pass on evidence unchanged, except pointers",
			listed(some, count)))
	}
}

func (c *Checker) checkReopened(p *parent, n *Node) {
	some, count, first := chosen(n.Message.remaining, func(s subtask) bool { return s.id != "" && p.completed.has(s.id) })
	if count > 0 {
		c.report("chain/subtask-reopened", n, n.atSubtask(remaining, first), fmt.Sprintf(
			"completed subtasks of the parent are remaining again: %s; to repeat a subtask, add a new one with its own id",
			listed(some, count)))
	}
}

func (c *Checker) checkResults(p *parent, n *Node) {
	some, count, first := chosen(n.Message.completed, func(s subtask) bool {
		known, same := p.completed.find(s)
		for _, f := range n.joins {
			other, sameThere := f.results.find(s)
			known, same = known || other, same || sameThere
		}
		return known && !same
	})
	if count > 0 {
		c.report("chain/result-changed", n, n.atSubtask(completed, first), fmt.Sprintf(
			"the results of completed subtasks were changed: %s; pass on results unchanged, and correct them in a new subtask",
			listed(some, count)))
	}
}

// chosen returns some of the IDs of the subtasks that meant selects, the number of these
// subtasks, and the index of the first one.
func chosen(subtasks []subtask, meant func(subtask) bool) (some []string, count, first int) {
	for i, s := range subtasks {
		if !meant(s) {
			continue
		}
		if count++; count == 1 {
			first = i
		}
		if len(some) < maxListed {
			some = append(some, s.id)
		}
	}
	return some, count, first
}

// checkKept checks that the constraints and the state of the parent are kept.
func (c *Checker) checkKept(p *parent, n *Node) {
	if some, lost := p.constraints.without(n.index, slices.Values(n.Message.constraints)); lost > 0 {
		c.report("chain/constraint-dropped", n, n.at(constraints), fmt.Sprintf(
			"constraints of the parent are missing: %s; pass on constraints word for word",
			listed(some, lost)))
	}
	if some, lost := p.state.without(n.index, slices.Values(n.Message.state)); lost > 0 {
		c.report("chain/state-lost", n, n.at(currentState), fmt.Sprintf(
			"members of the parent's currentState are missing: %s; pass on the members that later agents need",
			listed(some, lost)))
	}
}

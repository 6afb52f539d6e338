package agents

import (
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
)

// checkGraph checks the graph of handoffs.
func (c *checker) checkGraph() {
	distances := c.distances()
	circle := c.circles()
	for _, a := range c.Agents {
		if _, reached := distances[a]; !reached && c.Start != nil && c.byName[a.Name] == a {
			c.report(ruleUnreachable, a.at.Get("name"), "no handoffs lead from %s to %s: add a handoff, or remove the agent", finding.Quote(c.Start.Name), finding.Quote(a.Name))
		}
		for _, h := range a.Handoffs {
			distance, reached := distances[a]
			switch {
			case h.To == nil || h.Never() || h.filtered:
			case circle[a] != 0 && circle[a] == circle[h.To]:
				c.report(ruleLongHistory, h.at, "the handoff to %s passes on the whole history, and is part of a cycle, where each round adds to it: name an input_filter, or nest the history", finding.Quote(h.Name))
			case reached && distance+1 >= c.o.LongHistory:
				c.report(ruleLongHistory, h.at, "the handoff to %s passes on the whole history, and is the %s handoff after %s: name an input_filter, or nest the history", finding.Quote(h.Name), ordinal(distance+1), finding.Quote(c.Start.Name))
			}
		}
	}
	c.checkCircles(circle)
}

// distances returns the number of handoffs from the start to each agent that a run can
// reach.
func (d *Definitions) distances() map[*Agent]int {
	distances := map[*Agent]int{}
	if d.Start == nil {
		return distances
	}
	distances[d.Start] = 0
	for queue := []*Agent{d.Start}; len(queue) > 0; queue = queue[1:] {
		for _, h := range queue[0].Handoffs {
			if _, known := distances[h.To]; h.To != nil && !h.Never() && !known {
				distances[h.To] = distances[queue[0]] + 1
				queue = append(queue, h.To)
			}
		}
	}
	return distances
}

// circles returns a number for each agent on a cycle of handoffs. Agents of the same
// strongly connected component have the same number.
func (d *Definitions) circles() map[*Agent]int {
	t := tarjan{index: map[*Agent]int{}, low: map[*Agent]int{}, circle: map[*Agent]int{}, open: map[*Agent]bool{}}
	for _, a := range d.Agents {
		if t.index[a] == 0 {
			t.visit(a)
		}
	}
	return t.circle
}

// A tarjan finds the strongly connected components of a graph, by Tarjan's algorithm.
type tarjan struct {
	index, low map[*Agent]int
	open       map[*Agent]bool // on the stack
	stack      []*Agent
	circle     map[*Agent]int
	circles    int
}

func (t *tarjan) visit(a *Agent) {
	t.index[a] = len(t.index) + 1
	t.low[a] = t.index[a]
	t.stack, t.open[a] = append(t.stack, a), true
	self := false
	for _, h := range a.Handoffs {
		switch to := h.To; {
		case to == nil || h.Never():
		case t.index[to] == 0:
			t.visit(to)
			t.low[a] = min(t.low[a], t.low[to])
		case t.open[to]:
			self = self || to == a
			t.low[a] = min(t.low[a], t.index[to])
		}
	}
	if t.low[a] != t.index[a] {
		return
	}
	from := len(t.stack) - 1
	for t.stack[from] != a {
		from--
	}
	component := t.stack[from:]
	t.stack = t.stack[:from]
	if len(component) > 1 || self {
		t.circles++
	}
	for _, one := range component {
		t.open[one] = false
		if len(component) > 1 || self {
			t.circle[one] = t.circles
		}
	}
}

// checkCircles reports cycles without an exit.
func (c *checker) checkCircles(circle map[*Agent]int) {
	first := map[int]*Agent{} // the first agent of each cycle
	left := map[int]bool{}    // by a handoff to another agent, or by a conditional one
	for _, a := range c.Agents {
		n := circle[a]
		if first[n] == nil {
			first[n] = a
		}
		for _, h := range a.Handoffs {
			if h.To != nil && !h.Never() && (circle[h.To] != n || h.condition != nil) {
				left[n] = true
			}
		}
	}
	for _, a := range c.Agents {
		if n := circle[a]; n != 0 && !left[n] && first[n] == a {
			way := append(wayBack(a, circle), a)
			c.report(ruleCycle, a.at.Get("name"), "the task goes around the cycle %s without an exit: add a handoff to an agent outside the cycle, or a condition to a handoff", listed(way, " → ", func(a *Agent) string { return a.Name }))
		}
	}
}

// wayBack returns a shortest path from an agent back to itself, within its cycle.
func wayBack(start *Agent, circle map[*Agent]int) []*Agent {
	before := map[*Agent]*Agent{}
	for queue := []*Agent{start}; len(queue) > 0; queue = queue[1:] {
		for _, h := range queue[0].Handoffs {
			switch {
			case h.To == nil || h.Never() || circle[h.To] != circle[start]:
			case h.To == start:
				way := []*Agent{queue[0]}
				for way[len(way)-1] != start {
					way = append(way, before[way[len(way)-1]])
				}
				slices.Reverse(way)
				return way
			case before[h.To] == nil:
				before[h.To] = queue[0]
				queue = append(queue, h.To)
			}
		}
	}
	return []*Agent{start} // impossible: it is on a cycle
}

func ordinal(n int) string {
	names := []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}
	if n <= len(names) {
		return names[n-1]
	}
	return "eleventh or later"
}

// Holder returns the agent that a finding of [Check] is about, or nil.
func (d *Definitions) Holder(f finding.Finding) *Agent {
	for v := d.doc.Root().At(f.Pointer); v.Exists(); v = v.Parent() {
		if a := d.byPlace[v]; a != nil {
			return a
		}
	}
	return nil
}

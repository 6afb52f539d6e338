package chain

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/finding"
)

// checkLoops reports, on every path from a root, pairs of agents where the first hands to the
// second repeatedly. Between two such handoffs the task came back, directly or through others,
// so this finds loops of any length.
func (c *Checker) checkLoops(t *Task) {
	if c.severityOf("chain/loop") == finding.Off {
		return
	}
	type pair struct{ from, to string }
	type step struct {
		*Node
		next int // the next child to visit
	}
	visits := make(map[pair]int)
	pairOf := func(n *Node) pair { return pair{c.o.typesOf(n.From)[0], n.To} }
	var path []step
	enter := func(n *Node) {
		p := pairOf(n)
		visits[p]++
		if visits[p] == c.o.maxVisits()+1 && p.from != "" && p.to != "" {
			c.report("chain/loop", n, n.at(addressee), fmt.Sprintf(
				"%s hands the task over to %s %d times on one path of handoffs: have one of them end it or ask a person",
				finding.Quote(n.From), finding.Quote(n.To), visits[p]))
		}
		path = append(path, step{n, 0})
	}
	for _, root := range t.Roots {
		enter(root)
		for len(path) > 0 {
			last := &path[len(path)-1]
			if last.next < len(last.Children) {
				last.next++
				enter(last.Children[last.next-1])
				continue
			}
			if p := pairOf(last.Node); visits[p] > 1 {
				visits[p]--
			} else {
				delete(visits, p)
			}
			path = path[:len(path)-1]
		}
	}
}

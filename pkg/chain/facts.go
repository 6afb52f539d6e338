package chain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/summarize"
)

// A factIndex is the facts in the turns of a message.
type factIndex struct {
	turns   map[int32]int // the parts that are turns
	sources []int32       // the same, in order
	facts   []summarize.Fact
	ready   bool                       // facts has the facts of all turns
	needed  [1 << wordBits / 64]uint64 // a bit for the low bits of each sum of the facts
	hits    []uint32
}

const wordBits = 16 // low bits of a sum: its index in needed

// need sets or clears the marks of the sums of all facts.
func (x *factIndex) need(yes bool) {
	for _, fact := range x.facts {
		for _, sum := range fact.Sums {
			low := sum % (1 << wordBits)
			if yes {
				x.needed[low/64] |= 1 << (low % 64)
			} else {
				x.needed[low/64] = 0
			}
		}
	}
}

// startFacts indexes a message's turns. Their facts are collected on first use.
func (c *Checker) startFacts(p *parent) {
	x := &p.facts
	x.need(false)
	x.ready, x.facts, x.sources = false, x.facts[:0], x.sources[:0]
	x.turns = make(map[int32]int, p.Message.turns)
	for _, id := range p.partIDs[:p.Message.turns] {
		if _, known := x.turns[id]; !known {
			x.turns[id] = -1
			x.sources = append(x.sources, id)
		}
	}
}

// collect lists the facts of some turns, each once.
func (c *Checker) collect(x *factIndex, of func(turn int32) bool) {
	x.need(false)
	x.facts = x.facts[:0]
	seen := make(map[string]bool)
	for _, id := range x.sources {
		turn := c.parts[id]
		if turn.facts == 0 || !of(id) {
			continue
		}
		for i := range turn.facts {
			if fact := turn.fact(i); !seen[fact.Text] {
				seen[fact.Text] = true
				x.facts = append(x.facts, fact)
			}
		}
	}
	x.need(true)
}

const (
	// maxLost is the maximum number of lost facts that are counted.
	maxLost = 1000
	// fewChildren is the maximum number of children for which the dropped turns are searched
	// separately, rather than all turns once for all children.
	fewChildren = 4
)

// checkFacts checks that the facts in the parent's turns are kept. Only facts of dropped turns
// can be missing.
func (c *Checker) checkFacts(p *parent, n *Node) {
	x := &p.facts
	if c.severityOf("chain/fact-lost") == finding.Off {
		return
	}
	kept := 0
	for _, id := range n.partIDs[:n.Message.turns] {
		if by, ok := x.turns[id]; ok && by != n.index {
			x.turns[id] = n.index
			kept++
		}
	}
	if kept == len(x.sources) {
		return
	}
	if p.few {
		c.collect(x, func(turn int32) bool { return x.turns[turn] != n.index })
	} else if !x.ready {
		x.ready = true
		c.collect(x, func(int32) bool { return true })
	}
	x.hits = x.hits[:0]
	for _, id := range n.partIDs {
		for _, sum := range c.parts[id].data[:c.parts[id].words] {
			if low := sum % (1 << wordBits); x.needed[low/64]>>(low%64)&1 != 0 {
				x.hits = append(x.hits, sum)
			}
		}
	}
	slices.Sort(x.hits)
	var some []string
	lost := 0
	for _, fact := range x.facts {
		if summarize.Has(x.hits, fact) || len(some) > 0 && strings.Contains(some[len(some)-1], fact.Text) {
			continue
		}
		if len(some) < maxListed {
			some = append(some, fact.Text)
		}
		if lost++; lost == maxLost {
			break
		}
	}
	if lost > 0 {
		c.report("chain/fact-lost", n, n.at(summary), fmt.Sprintf(
			"facts from the parent's conversation are missing: %s; keep the turns, or add the facts to conversationHistorySummary or currentState",
			listed(some, lost)))
	}
}

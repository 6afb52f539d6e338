package chain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
)

// Plus returns a + b.
func (a Cost) Plus(b Cost) Cost {
	return Cost{a.SpentUSD.Add(b.SpentUSD), a.RemainingUSD.Add(b.RemainingUSD), a.Prompt + b.Prompt, a.Completion + b.Completion}
}

func (a Cost) minus(b Cost) Cost {
	return Cost{a.SpentUSD.Sub(b.SpentUSD), a.RemainingUSD.Sub(b.RemainingUSD), a.Prompt - b.Prompt, a.Completion - b.Completion}
}

// Spendable returns the cost with negative amounts set to zero, except RemainingUSD.
func (a Cost) Spendable() Cost {
	if a.SpentUSD.Sign() < 0 {
		a.SpentUSD = message.Decimal{}
	}
	return Cost{a.SpentUSD, a.RemainingUSD, max(a.Prompt, 0), max(a.Completion, 0)}
}

// isSame reports whether two costs have the same dollars spent and tokens.
func (a Cost) isSame(b Cost) bool {
	return a.SpentUSD.Equal(b.SpentUSD) && a.Prompt == b.Prompt && a.Completion == b.Completion
}

// kinds are a set of parts of a cost.
type kinds uint8

const (
	money kinds = 1 << iota
	usage
)

// after returns the cost after a message: the cost before it, with some kinds replaced by the
// message's own figures.
func (m *Message) after(before Cost, some kinds) Cost {
	if some&money != 0 {
		before.SpentUSD, before.RemainingUSD = m.Cost.SpentUSD, m.Cost.RemainingUSD
	}
	if some&usage != 0 {
		before.Prompt, before.Completion = m.Cost.Prompt, m.Cost.Completion
	}
	return before
}

// before returns the cost at the time that the sender of a message took over, and its known
// parts.
func (n *Node) before() (Cost, kinds) {
	switch outer := n.outer(); {
	case outer != nil:
		cost := n.Parent.soFar
		for _, f := range n.joins {
			cost = cost.Plus(f.spentBeside())
		}
		return cost, outer.from.knownCost
	case n.Parent != nil:
		return n.Parent.soFar, n.Parent.knownCost | n.base
	default:
		return Cost{}, n.base
	}
}

// count computes the step of a message. The parent's step must be known.
func (n *Node) count() {
	if p := n.Parent; p != nil {
		n.base |= p.base &^ p.knownCost
	}
	before, known := n.before()
	n.knownCost = n.stated | known&^n.base
	n.Step = n.after(before, n.stated&known).minus(before)
	n.soFar = n.after(before, n.stated)
}

// checkBudget checks the budget relay (section 9). A budget that grew is one finding, not also
// a drift.
func (c *Checker) checkBudget(n *Node) {
	before, known := n.before()
	judged := n.stated & known &^ n.base
	grown := n.Step.RemainingUSD
	drift := n.Step.SpentUSD.Add(grown)
	whose := "the parent's"
	if n.outer() != nil {
		whose = "the rest of the branches"
	}
	switch {
	case judged&money == 0:
	case grown.Cmp(c.o.Tolerance) > 0:
		c.report("chain/budget-grown", n, n.at(left), fmt.Sprintf(
			"costBudgetRemainingUSD is %s, but %s is %s: it grew by %s USD; deduct the spent amount, and raise a budget only in a first handoff",
			usd(n.Cost.RemainingUSD), whose, usd(before.RemainingUSD), usd(grown)))
	case drift.Abs().Cmp(c.o.Tolerance) > 0:
		problem := "the spent and the deducted amounts differ"
		if n.Step.SpentUSD.Sign() < 0 {
			problem = "the spent amount decreased"
		}
		c.report("chain/budget-drift", n, n.at(spent), fmt.Sprintf(
			"%s: in this step, costSpentSoFarUSD changes by %s and costBudgetRemainingUSD by %s, so the budget drifts by %s USD; deduct exactly the spent amount",
			problem, usd(n.Step.SpentUSD), usd(grown), usd(drift)))
	}
	if judged&usage != 0 && (n.Step.Prompt < 0 || n.Step.Completion < 0) {
		c.report("chain/tokens-shrunk", n, n.at(tokens), fmt.Sprintf(
			"tokenSpent is %d and %d, but was %d and %d before (prompt, completion): it counts all tokens of the task so far; add the tokens of this step",
			n.Cost.Prompt, n.Cost.Completion, before.Prompt, before.Completion))
	}
}

// usd formats an amount, shortened if it is very long.
func usd(d message.Decimal) string {
	return finding.Shorten(d.String())
}

// total computes the totals of the tasks.
func total(tasks []*Task, f *forest) {
	trees := make(map[*Node]*Cost) // the cost since the root of a tree, by its messages
	root := make([]*Node, len(f.nodes))
	for _, n := range f.order {
		root[n.index] = n
		if n.Parent != nil && n.sameTask(n.Parent) {
			root[n.index] = root[n.Parent.index]
		} else {
			trees[n] = new(Cost)
		}
		tree := trees[root[n.index]]
		*tree = tree.Plus(n.Step)
	}
	for _, t := range tasks {
		t.relay(trees)
	}
}

// relay computes the cost of a task by its messages' own figures: the sum of all trees or, if
// that is more, one tree whose beginning is missing.
func (t *Task) relay(trees map[*Node]*Cost) {
	var most Cost
	for _, n := range t.Roots {
		tree := *trees[n]
		if n.base != 0 || n.Parent != nil {
			t.Relay = t.Relay.Plus(tree)
		} else if tree = tree.Plus(n.soFar); tree.SpentUSD.Cmp(most.SpentUSD) > 0 {
			most = tree
		}
	}
	if most.SpentUSD.Cmp(t.Relay.SpentUSD) > 0 {
		t.Relay = most
	}
	var lowest *message.Decimal // the lowest remaining budget of all messages
	isLoose := false
	spenders := make(map[string]*Spender)
	for n := range t.Nodes() {
		s := spenders[n.From]
		if s == nil {
			s = &Spender{Agent: n.From}
			spenders[n.From] = s
		}
		s.Handoffs++
		s.Cost = s.Cost.Plus(n.Step.Spendable())
		if left := &n.Cost.RemainingUSD; n.stated&money != 0 && (lowest == nil || left.Cmp(*lowest) < 0) {
			lowest = left
		}
		isLoose = isLoose || n.fan != nil && n.fan.isLoose
		for _, f := range n.Findings {
			switch f.Severity {
			case finding.Error:
				t.Errors++
			case finding.Warning:
				t.Warnings++
			}
		}
	}
	for _, s := range spenders {
		t.Spenders = append(t.Spenders, *s)
		t.Total = t.Total.Plus(s.Cost)
	}
	isTwice := isLoose && lowest != nil && t.Relay.RemainingUSD.Cmp(*lowest) < 0
	t.Agrees = t.Total.isSame(t.Relay) && !isTwice
	slices.SortFunc(t.Spenders, func(a, b Spender) int {
		return cmp.Or(b.Cost.SpentUSD.Cmp(a.Cost.SpentUSD), cmp.Compare(a.Agent, b.Agent))
	})
}

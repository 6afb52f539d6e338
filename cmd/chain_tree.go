package cmd

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
)

// A twig is a message and its place in the drawing of its task's tree.
type twig struct {
	*chain.Node
	// forks says of each fork above the message, the outermost first, whether
	// another of its branches follows. It is valid until the next twig.
	forks  []bool
	begins bool // the message is the first of a branch
}

// twigs yields the messages of a task, each before its children. Only forks lead
// deeper: an only child is as deep as its parent. Several first messages are
// the branches of one fork.
func twigs(t *chain.Task) iter.Seq[twig] {
	type pending struct {
		*chain.Node
		depth        int
		begins, last bool
	}
	return func(yield func(twig) bool) {
		var stack []pending
		grow := func(siblings []*chain.Node, depth int) {
			fork := len(siblings) > 1
			if fork {
				depth++
			}
			for i, n := range slices.Backward(siblings) {
				stack = append(stack, pending{n, depth, fork, i == len(siblings)-1})
			}
		}
		var forks []bool
		grow(t.Roots, 0)
		for len(stack) > 0 {
			p := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if p.begins {
				forks = append(forks[:p.depth-1], !p.last)
			}
			if !yield(twig{p.Node, forks, p.begins}) {
				return
			}
			grow(p.Children, p.depth)
		}
	}
}

// maxForks is how many forks, the nearest ones, are drawn before a message.
const maxForks = 6

// stem draws the branches to the left of the twig's line.
func (t twig) stem() string {
	if !t.begins {
		return branches(t.forks)
	}
	last := len(t.forks) - 1
	if t.forks[last] {
		return branches(t.forks[:last]) + "├── "
	}
	return branches(t.forks[:last]) + "└── "
}

// below draws the branches to the left of what is below the twig's line.
func (t twig) below() string {
	if len(t.Children) > 0 {
		return branches(t.forks) + "│   "
	}
	return branches(t.forks) + "    "
}

func branches(forks []bool) string {
	var b strings.Builder
	if more := len(forks) - maxForks; more > 0 {
		b.WriteString("…   ")
		forks = forks[more:]
	}
	for _, follows := range forks {
		if follows {
			b.WriteString("│   ")
		} else {
			b.WriteString("    ")
		}
	}
	return b.String()
}

// maxAgentColumns is how many columns an agent's name may take.
const maxAgentColumns = 40

// hop names who hands over to whom.
func hop(n *chain.Node) string {
	text := term.Clip(n.From, maxAgentColumns) + " → " + term.Clip(n.To, maxAgentColumns)
	if more := len(n.Receivers) - 1; more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return text
}

// How many columns of a handoffId are shown: enough to distinguish the messages of a task
// apart, within these bounds.
const (
	minIDColumns = 8
	maxIDColumns = 36
)

// idColumnsOf returns how many bytes of their handoffIds distinguish the messages of a task
// apart.
func idColumnsOf(t *chain.Task) int {
	var ids []string
	for twig := range twigs(t) {
		ids = append(ids, twig.HandoffID)
	}
	slices.Sort(ids)
	columns := minIDColumns
	for i, id := range ids[min(1, len(ids)):] {
		if id == ids[i] {
			continue
		}
		same := 0
		for same < min(len(id), len(ids[i]), maxIDColumns) && id[same] == ids[i][same] {
			same++
		}
		columns = max(columns, same+1)
	}
	return min(columns, maxIDColumns)
}

// Package tasktree draws the trees of tasks, as text and as diagrams for documents.
package tasktree

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
)

// A Twig is a message and its place in the drawn tree of its task.
type Twig struct {
	*chain.Node
	// forks reports for each fork above the message, the outermost first, whether another of its branches
	// follows. It is valid until the next twig.
	forks  []bool
	begins bool // the message is the first of a branch
}

// Twigs yields the messages of a task, each before its children. Only forks increase the depth: an only child
// is at the depth of its parent. Several first messages are the branches of one fork.
func Twigs(t *chain.Task) iter.Seq[Twig] {
	type pending struct {
		*chain.Node
		depth        int
		begins, last bool
	}
	return func(yield func(Twig) bool) {
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
			if !yield(Twig{p.Node, forks, p.begins}) {
				return
			}
			grow(p.Children, p.depth)
		}
	}
}

// maxForks is the maximum number of forks, the nearest ones, to draw before a message.
const maxForks = 6

// Stem draws the branches to the left of the twig's line.
func (t Twig) Stem() string {
	if !t.begins {
		return branches(t.forks)
	}
	last := len(t.forks) - 1
	if t.forks[last] {
		return branches(t.forks[:last]) + "├── "
	}
	return branches(t.forks[:last]) + "└── "
}

// Below draws the branches to the left of the lines below the twig's.
func (t Twig) Below() string {
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

// MaxAgentColumns is the maximum width of an agent's name.
const MaxAgentColumns = 40

// MaxHopColumns is the maximum width of [Hop].
const MaxHopColumns = 2*MaxAgentColumns + len(" to ") + len(" +99999")

// Hop names the sender and the receiver of a handoff, within the columns.
func Hop(n *chain.Node, columns int) string {
	more := ""
	if others := len(n.Receivers) - 1; others > 0 {
		more = fmt.Sprintf(" +%d", others)
	}
	return term.Pair(term.Clip(n.From, MaxAgentColumns), term.Clip(n.To, MaxAgentColumns), columns-len(more)) + more
}

// Bounds on the number of columns of a handoffId to show.
const (
	minIDColumns = 8
	maxIDColumns = 36
)

// IDColumns returns the number of bytes of the handoffIds that distinguish the messages of a task, within the
// bounds.
func IDColumns(t *chain.Task) int {
	var ids []string
	for twig := range Twigs(t) {
		ids = append(ids, twig.HandoffID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	columns := minIDColumns
	for i := 1; i < len(ids); i++ {
		a, b, same := ids[i-1], ids[i], 0
		for same < min(len(a), len(b), maxIDColumns) && a[same] == b[same] {
			same++
		}
		columns = max(columns, same+1)
	}
	return min(columns, maxIDColumns)
}

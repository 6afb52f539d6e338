// Package chain checks a task from one handoff to the next: it builds the tree of the task's messages and
// compares each with its parent, to find losses, changes and wrong sums at the boundary between two agents.
//
// [Read] keeps only the parts of a message that the checks need, so that many messages fit into memory. The
// results do not depend on the order of the messages.
package chain

import (
	"iter"
	"slices"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
)

// A Place is the location of a message.
type Place struct {
	Source string // as named by the user
	Index  int    // 0-based, within the source
	Line   int    // 1-based: where the message begins
}

// A Message holds the parts of a handoff message that the checks need.
type Message struct {
	Place     Place
	HandoffID string
	TaskID    string
	ParentID  string // "" for none
	From      string // fromAgent.agentId
	FromVer   string // fromAgent.agentVersion
	To        string // toAgent.agentType
	ToVer     string // toAgent.agentVersion: a range, "" for any
	Receivers []string
	Timestamp string    // as written
	Time      time.Time // zero if Timestamp is not RFC 3339
	Cost      Cost      // of the task so far; dollars, or tokens, are zero unless the message states both figures
	Signed    bool

	content
}

// A Cost is an amount of money and of tokens.
type Cost struct {
	SpentUSD           message.Decimal
	RemainingUSD       message.Decimal // of a step: the change, mostly negative
	Prompt, Completion int64
}

// A Node is a message in the tree of its task.
type Node struct {
	*Message
	// Parent is the message that this one is compared with; nil if there is none, or if the
	// edge between them was cut because it closed a cycle. The parent of a root is in another
	// task (task-changed).
	Parent   *Node
	Children []*Node // of the same task, by time, then by handoffId
	// Step is the cost between the parent's message and this one. For a message that joins a
	// fan-out, the branches count as the parent. It is zero if the parent is missing, except
	// for the first message of the task.
	Step     Cost
	Findings []finding.Finding // by place in the message, then in the order of Rules

	index     int
	base      kinds  // parts of Cost that the step spent because nothing was known before
	knownCost kinds  // parts of soFar that are known
	soFar     Cost   // Cost, or the cost before it where the message does not state it
	fan       *fan   // nil unless the message is a fan-out
	isBranch  bool   // by a receiver of the parent, which is a fan-out
	joins     []*fan // the fan-outs that the message joins, the innermost first
	tip       *Node  // the last message in line from this one on
}

// A Task is all messages of one task.
type Task struct {
	ID    string
	Roots []*Node // the first messages: one, if all is well
	// Total is the sum of the steps, and the budget that remains at the end. A negative step
	// counts as zero, because spent money does not come back.
	Total Cost
	// Relay is the total by the messages' own figures: the figures of the last messages, with
	// the branches of a fan-out added up.
	Relay Cost
	// Agrees reports whether Total and Relay are equal in dollars spent and in tokens. They
	// differ if a message is missing or a figure decreased. Agrees is also false if branches of
	// a fan-out meet in a message that does not join all of them, and their total exceeds the
	// figures of every message: then something is probably counted twice.
	Agrees   bool
	Spenders []Spender // by SpentUSD, the largest first
	Messages int       // without those delivered twice
	Errors   int       // findings of that severity
	Warnings int
}

// Nodes yields the messages of the task, each before its children.
func (t *Task) Nodes() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		todo := slices.Clone(t.Roots)
		slices.Reverse(todo)
		for len(todo) > 0 {
			n := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !yield(n) {
				return
			}
			for _, child := range slices.Backward(n.Children) {
				todo = append(todo, child)
			}
		}
	}
}

// A Spender is the spending of one agent on a task.
type Spender struct {
	Agent    string // fromAgent.agentId
	Handoffs int
	Cost     Cost // its part of the task's Total
}

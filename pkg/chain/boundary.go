package chain

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
)

// A parent is a message that its children are compared with. It is indexed once for all of
// them, so that comparing a small child with a large parent is cheap.
type parent struct {
	*Node
	completed                     outcomes
	remaining, constraints, state inventory

	ranges map[string][]string // by addressed type
	facts  factIndex
	few    bool // there are few children, so each may cost as much as the parent
}

// checkBelow compares a message with its children.
func (c *Checker) checkBelow(n *Node, below []*Node) {
	if n.Parent == nil {
		c.checkFirstTimes(n)
	}
	if len(below) == 0 {
		return
	}
	p := &c.parent
	p.Node = n
	p.completed.reset(n.Message.completed)
	p.remaining.reset(ids(n.Message.remaining))
	p.constraints.reset(slices.Values(n.Message.constraints))
	p.state.reset(slices.Values(n.Message.state))
	p.ranges = make(map[string][]string, len(n.toTypes))
	for i, t := range n.toTypes {
		p.ranges[t] = append(p.ranges[t], n.toRanges[i])
	}
	p.few = len(below) <= fewChildren
	c.startFacts(p)
	for _, child := range below {
		c.checkIdentity(p, child)
		c.checkDigest(p, child)
		c.checkSender(p, child)
		c.checkTimes(p, child)
		c.checkSubtasks(p, child)
		c.checkKept(p, child)
		c.checkBudget(child)
		c.checkFacts(p, child)
	}
	if n.fan != nil {
		c.checkFanOut(p)
		for _, joint := range n.fan.joints {
			c.checkFanIn(n.fan, joint)
		}
	}
}

// checkIdentity compares the members that must not change along the chain: the task, the trace
// and, within limits, the schema version.
func (c *Checker) checkIdentity(p *parent, n *Node) {
	if !n.sameTask(p.Node) {
		c.report("chain/task-changed", n, n.at(taskID), fmt.Sprintf(
			"taskId %s differs from the parent's taskId %s: pass on the parent's taskId unchanged", finding.Quote(n.TaskID), finding.Quote(p.TaskID)))
	}
	none := trace{}
	switch {
	case n.trace == none || p.trace == none:
	case n.trace.id != p.trace.id:
		c.report("chain/trace-broken", n, n.at(traceparent), fmt.Sprintf(
			"trace-id %x differs from the parent's trace-id %x: continue the trace of the task", n.trace.id, p.trace.id))
	case n.trace.span == p.trace.span:
		c.report("chain/trace-broken", n, n.at(traceparent), fmt.Sprintf(
			"parent-id %x equals the parent's: every handoff is a separate span; generate a new parent-id", n.trace.span))
	}
	unknown := version{}
	if n.schema == unknown || p.schema == unknown {
		return
	}
	minors := int64(n.schema.minor) - int64(p.schema.minor)
	if n.schema.major != p.schema.major || max(minors, -minors) > maxMinors {
		c.report("chain/schema-skew", n, n.at(schemaVersion), fmt.Sprintf(
			"schemaVersion is %d.%d, but the parent has %d.%d: agents support messages up to %d minor versions away (section 11); update the agent with the older version",
			n.schema.major, n.schema.minor, p.schema.major, p.schema.minor, maxMinors))
	}
}

// checkDigest checks that the parent is the message that this one was built from.
func (c *Checker) checkDigest(p *parent, n *Node) {
	switch {
	case n.claim == noDigest, n.claim == aDigest && p.digested && n.claimed == p.canonical:
	case n.claim == badDigest:
		c.report("chain/parent-digest", n, n.at(parentDigest), "the digest of the parent is malformed: expected \"sha256:\" and 64 lower-case hexadecimal digits")
	case !p.digested:
		c.report("chain/parent-digest", n, n.at(parentDigest), "the parent has no canonical form and no digest, so this message was built from another message")
	default:
		c.report("chain/parent-digest", n, n.at(parentDigest), fmt.Sprintf(
			"the parent's digest is %s, but this message was built from a parent with %s: one of the two was changed or replaced; compare them with the copies of their agents", p.canonical, n.claimed))
	}
}

// maxMinors is the number of minor versions within which a schema is backward compatible
// (section 11).
const maxMinors = 2

// maxRanges is the maximum number of version ranges to check for one type of agent.
const maxRanges = 16

// checkSender checks that the parent was addressed to the sender of a message.
func (c *Checker) checkSender(p *parent, n *Node) {
	if n.From == "" || len(p.toTypes) == 0 {
		return
	}
	for _, t := range c.o.typesOf(n.From) {
		ranges, ok := p.ranges[t]
		if !ok {
			continue
		}
		if n.FromVer == "" || len(ranges) > maxRanges ||
			slices.ContainsFunc(ranges, func(r string) bool { return r == "" || c.inRange(n.FromVer, r) }) {
			return
		}
		c.report("chain/version-mismatch", n, n.at(senderVersion), fmt.Sprintf(
			"%s has the version %s, but the parent requires %s: hand over to an agent in this range, or widen the range",
			finding.Quote(n.From), finding.Quote(n.FromVer), finding.Quote(ranges[0])))
		return
	}
	if n.outer() != nil {
		return // it is addressed by the other branches
	}
	types := slices.Sorted(maps.Keys(p.ranges))
	c.report("chain/wrong-sender", n, n.at(sender), fmt.Sprintf(
		"the sender is %s, but the parent was addressed to %s: check which agent took the task",
		finding.Quote(n.From), listed(types, len(types))))
}

// checkFirstTimes checks the times in a message without a parent.
func (c *Checker) checkFirstTimes(n *Node) {
	if !n.timed {
		return
	}
	for i, s := range n.Message.completed {
		if s.timed && s.at > n.Time.UnixMicro() {
			c.reportCompletedAt(n, i, "the message has the timestamp", n.Time)
			return
		}
	}
}

// checkTimes compares the timestamps of the messages and of the subtasks that the sender completed.
func (c *Checker) checkTimes(p *parent, n *Node) {
	if !n.timed {
		return
	}
	if p.timed && n.Time.Before(p.Time) {
		c.report("chain/time-reversed", n, n.at(timestamp), fmt.Sprintf(
			"the timestamp is %s before the parent's, %s: check the clocks of the agents", p.Time.Sub(n.Time), p.Timestamp))
		return
	}
	got := p.Node // whose subtasks the sender may have completed
	isDone := p.completed.has
	if outer := n.outer(); outer != nil {
		if latest := outer.latest(); latest.timed && n.Time.Before(latest.Time) {
			c.report("chain/time-reversed", n, n.at(timestamp), fmt.Sprintf(
				"the timestamp is %s before the timestamp of a joined branch, %s: check the clocks of the agents", latest.Time.Sub(n.Time), latest.Timestamp))
			return
		}
		got = outer.from
		isDone = func(id string) bool {
			return p.completed.has(id) || slices.ContainsFunc(n.joins, func(f *fan) bool { return f.results.has(id) })
		}
	} else if p.isBranch {
		got = p.Parent
	}
	for i, s := range n.Message.completed {
		if !s.timed || isDone(s.id) {
			continue
		}
		if s.at > n.Time.UnixMicro() {
			c.reportCompletedAt(n, i, "the message has the timestamp", n.Time)
			return
		}
		if got.timed && s.at < got.Time.UnixMicro() {
			c.reportCompletedAt(n, i, "the sender got the task at", got.Time)
			return
		}
	}
}

func (c *Checker) reportCompletedAt(n *Node, index int, what string, when time.Time) {
	s := n.Message.completed[index]
	c.report("chain/time-reversed", n, n.atSubtask(completed, index), fmt.Sprintf(
		"subtask %s was completed at %s, but %s %s: check the clocks of the agents",
		finding.Quote(s.id), time.UnixMicro(s.at).UTC().Format(time.RFC3339Nano), what, when.Format(time.RFC3339Nano)))
}

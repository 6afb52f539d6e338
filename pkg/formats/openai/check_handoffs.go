package openai

import (
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/openai/tool"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// DefaultMaxItems is the number of items above which a history is long: the number that the SDK's
// sessions keep in the compaction example of its guide.
const DefaultMaxItems = 50

// checkWhole reports a handoff that passes on a long history unfiltered.
func checkWhole(c *checker) {
	if c.o.MaxItems <= 0 || c.markers.list(c.data, insteadOfTurn).Kind() == jsonstream.Array {
		return
	}
	given, handoff := 0, jsonstream.Value{}
	for _, e := range c.entries {
		if !e.given {
			continue
		}
		given++
		if _, _, nested := c.markers.lines(e.item); nested {
			return
		}
		if e.list == inTurn && isHandoffCall(e.whole) {
			handoff = e.whole
		}
	}
	if given > c.o.MaxItems && handoff.Exists() {
		c.report(handoff, "the next agent gets all %d items, more than %d, and there is no sign of a filter: no summary, and no other list in place of the new items; give the handoff an input_filter, or nest the history", given, c.o.MaxItems)
	}
}

// checkBounces reports a task that returns to an agent soon after the agent handed it over.
func checkBounces(c *checker) {
	if c.o.Window <= 0 {
		return
	}
	var last step
	for _, s := range c.steps() {
		if s.agent != "" && s.agent == last.from && s.from == last.agent && s.agent != s.from && s.index-last.index <= c.o.Window {
			c.report(s.at, "the task went %s → %s → %s within %d items: make the descriptions of the agents more specific, or give the first agent the missing tools or instructions",
				finding.Quote(s.agent), finding.Quote(s.from), finding.Quote(s.agent), s.index-last.index)
		}
		last = s
	}
}

// A step is an item on the route of a task: a message of the user, or a transfer.
type step struct {
	at    jsonstream.Value // the document's item
	index int              // the index of the item in the run
	user  bool
	call  bool   // a call, which counts only without a result: it may have been ignored
	id    string // of the call
	from  string // the agent with the task, "" if unknown
	agent string // the next agent; "" if this is not a transfer
}

// steps returns the steps of the run, including items in summaries. Repeated transfers, as
// after nesting, are included once. Agents have their names, or the part of the tool name
// that refers to them.
func (c *checker) steps() []step {
	var all []step
	answered := map[string]bool{} // the ids of calls with results
	agents := map[string]string{} // agent names, by tool name
	index := 0
	for item := range runItems(c.data, c.markers) {
		index++
		s := newStep(item)
		s.index = index
		if item.IsResult() {
			answered[strings.Clone(item.CallID())] = true
			agents[c.markers.sdk.ToolName(s.agent)] = s.agent
		}
		agents[c.markers.sdk.ToolName(s.from)] = s.from
		if s.user || s.agent != "" {
			all = append(all, s)
		}
	}
	steps := all[:0]
	counted := map[string]bool{} // the ids of calls
	by := ""                     // the agent with the task
	for _, s := range all {
		switch {
		case s.user:
			steps = append(steps, s)
		case s.call && answered[s.id] || counted[s.id]:
		default:
			counted[s.id] = s.id != ""
			if known, ok := agents[c.markers.sdk.ToolName(s.agent)]; ok && s.call {
				s.agent = known
			}
			if s.from == "" {
				s.from = by
			}
			by = s.agent
			steps = append(steps, s)
		}
	}
	return steps
}

func newStep(item Item) step {
	s := step{at: item.At, user: item.IsUser()}
	if name := item.Value.Get("name").Text(); item.IsCall() && isHandoffName(name) {
		s.agent, s.call = name[len(tool.Prefix):], true
	}
	if item.IsResult() {
		s.agent = item.To()
	}
	// The texts must not keep the records of a summary in memory.
	s.id, s.agent, s.from = strings.Clone(item.CallID()), strings.Clone(s.agent), item.By()
	return s
}

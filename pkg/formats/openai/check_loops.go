package openai

import (
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/openai/tool"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// handoffPrefix is what the names of handoff tools begin with, unless they are
// overridden.
var handoffPrefix = tool.DefaultName("")

func isHandoffName(name string) bool { return strings.HasPrefix(name, handoffPrefix) }

// checkLoops reports an agent that hands to the same agent (or itself) again before the
// user says something: A, B, A, B. The items in summaries count. A repeated transfer, as
// after nesting, counts once.
func checkLoops(c *checker) {
	var steps []step
	answered := map[string]bool{} // the ids of calls that have results
	for item := range runItems(c.data, c.markers) {
		if item.IsResult() {
			answered[strings.Clone(callID(item.Value).Text())] = true
		}
		if s := newStep(item); s.user || s.agent != "" {
			steps = append(steps, s)
		}
	}
	route := route{pairs: map[[2]string]bool{}}
	agents := map[string]string{} // agent names, by tool name
	counted := map[string]bool{}  // the ids of calls
	for _, s := range steps {
		switch {
		case s.user:
			route.rest()
		case s.call && answered[s.id] || counted[s.id]:
		default:
			counted[s.id] = s.id != ""
			name := c.markers.sdk.ToolName(s.agent)
			if !s.call {
				agents[name] = s.agent
			} else if known, ok := agents[name]; ok {
				s.agent = known
			}
			if route.goTo(s.agent) {
				c.report(s.at, "loop between agents: the task went %s; let one of them end it, or ask the user", route.shown())
			}
		}
	}
}

// A step is what an item means for the route of a task: a message of the user, or a
// transfer.
type step struct {
	at    jsonstream.Value // the item of the document
	user  bool
	call  bool   // a call, which counts until it has a result: it may have been ignored
	id    string // of the call
	agent string // that gets the task; "" for what is no transfer
}

func newStep(item Item) step {
	s := step{at: item.At, user: item.IsUser()}
	if name := item.Value.Get("name").Text(); item.IsCall() && isHandoffName(name) {
		s.agent, s.call = name[len(handoffPrefix):], true
	}
	if item.IsResult() {
		s.agent = item.To()
	}
	// The texts must not keep the records of a summary in memory.
	s.id, s.agent = strings.Clone(callID(item.Value).Text()), strings.Clone(s.agent)
	return s
}

// A route is the path of a task from agent to agent.
type route struct {
	names    []string // of the agents that have had the task since the user last spoke
	pairs    map[[2]string]bool
	first    string // the agent that the first one, whose name is unknown, handed to
	reported bool
}

// rest clears the route, except for the agent that has the task.
func (w *route) rest() {
	if len(w.pairs) > 0 { // clear takes time for the largest size that the map ever had
		w.pairs = map[[2]string]bool{}
	}
	w.names = w.names[max(len(w.names)-1, 0):]
	w.first, w.reported = "", false
}

// goTo records a transfer and reports whether it closes a loop that was not reported yet.
func (w *route) goTo(agent string) bool {
	loop := false
	if len(w.names) == 0 {
		w.first = agent
	} else {
		from := w.names[len(w.names)-1]
		loop = w.pairs[[2]string{from, agent}] || agent == w.first && from != agent
		w.pairs[[2]string{from, agent}] = true
	}
	w.names = append(w.names, agent)
	if w.reported {
		return false
	}
	w.reported = loop
	return loop
}

// shownAgents is how many agents of a route a finding names.
const shownAgents = 6

func (w *route) shown() string {
	names := w.names[max(len(w.names)-shownAgents, 0):]
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = finding.Quote(name)
	}
	return strings.Join(quoted, " → ")
}

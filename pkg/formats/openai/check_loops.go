package openai

import (
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/openai/tool"
)

func isHandoffName(name string) bool { return strings.HasPrefix(name, tool.Prefix) }

// checkLoops reports an agent that hands over to the same agent (or itself) again before a
// message of the user: A, B, A, B.
func checkLoops(c *checker) {
	route := route{pairs: map[[2]string]bool{}}
	for _, s := range c.steps() {
		if s.user {
			route.rest()
		} else if route.goTo(s.agent) {
			c.report(s.at, "the agents hand over in a loop: the task went %s; have one of them end it, or ask the user", route.shown())
		}
	}
}

// A route is the path of a task between agents.
type route struct {
	names    []string // of the agents with the task since the last message of the user
	pairs    map[[2]string]bool
	first    string // the agent that the first one, whose name is unknown, handed over to
	reported bool
}

// rest clears the route, except for the agent with the task.
func (w *route) rest() {
	if len(w.pairs) > 0 { // clear takes time in proportion to the map's largest size ever
		w.pairs = map[[2]string]bool{}
	}
	w.names = w.names[max(len(w.names)-1, 0):]
	w.first, w.reported = "", false
}

// goTo records a transfer and reports whether it closes a loop not reported before.
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

// shownAgents is the maximum number of agents of a route in a finding.
const shownAgents = 6

func (w *route) shown() string {
	names := w.names[max(len(w.names)-shownAgents, 0):]
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = finding.Quote(name)
	}
	return strings.Join(quoted, " → ")
}

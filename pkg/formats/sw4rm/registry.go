package sw4rm

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An Agent is an agent record of a registry. The zero value has no capabilities and is not
// available.
type Agent struct {
	ID    string
	State string // [Runnable] if it accepts handoffs

	can          map[string]bool
	capabilities []byte // as written in the record
}

// ReadAgent reads an agent record: {"agent_id", "capabilities": [], "state"}, with any
// further members.
func ReadAgent(doc *jsonstream.Document) (Agent, []finding.Finding) {
	f := &finder{}
	a := f.agent(doc.Root())
	return a, f.inOrder()
}

func (f *finder) agent(v jsonstream.Value) Agent {
	if v.Kind() != jsonstream.Object {
		f.fail("", v, "", "not an agent record: expected an object with agent_id, capabilities and state, found "+finding.QuoteValue(v))
		return Agent{}
	}
	a := Agent{ID: f.text(v, "agent_id", true), State: f.text(v, "state", true), can: map[string]bool{}}
	if id := v.Get("agent_id"); id.Kind() == jsonstream.String && a.ID == "" {
		f.fail("", id, "", "agent_id is empty: give the agent a name")
	}
	for _, name := range f.names(v, "capabilities", true) {
		a.can[name] = true
	}
	a.capabilities = v.Get("capabilities").Raw()
	return a
}

// A Registry is an ordered list of known agents. It is immutable and safe for concurrent
// use.
type Registry struct {
	agents []Agent
	byID   map[string]int
}

// ReadRegistry reads an array of agent records, or an object with the array as its member
// agents. Each agent_id must be unique.
func ReadRegistry(doc *jsonstream.Document) (*Registry, []finding.Finding) {
	f := &finder{}
	list := doc.Root()
	if list.Kind() == jsonstream.Object {
		list = list.Get("agents")
	}
	if list.Kind() != jsonstream.Array {
		f.fail("", doc.Root(), "", `not a registry: expected an array of agent records, or {"agents": []}`)
		return nil, f.inOrder()
	}
	g := &Registry{byID: map[string]int{}}
	for i, v := range list.Elements() {
		a := f.agent(v)
		if first, twice := g.byID[a.ID]; twice && a.ID != "" {
			f.fail("", v.Get("agent_id"), "", fmt.Sprintf("the agent_id %s is already used by record %d: give each agent its own", finding.Quote(a.ID), first))
		} else {
			g.byID[a.ID] = i
		}
		g.agents = append(g.agents, a)
	}
	if f.problems != nil {
		return nil, f.inOrder()
	}
	return g, nil
}

// A Routing is the result of routing a request.
type Routing struct {
	Response   Response
	Target     string // the selected agent, "" if there is none
	Rejections []Rejection
}

// A Rejection is the answer of a preferred agent that rejected the request.
type Rejection struct{ Agent, Reason string }

// Route sends a request to an agent, and returns its answer.
//
// With preferred agents, Route follows the document's initiate_handoff_with_fallback: it
// tries them in order and ignores the request's to_agent. Otherwise it follows route_handoff
// of the CapabilityRouter: the request goes to its to_agent or, if it has none, to the first
// agent of the registry that has all capabilities and is [Runnable]. An agent outside the
// registry rejects.
func (g *Registry) Route(r *Request, preferred []string, handoffID string) Routing {
	if len(preferred) > 0 {
		return g.fallBack(r, preferred, handoffID)
	}
	target := r.To
	if target == "" {
		i := g.capable(r.Capabilities)
		if i < 0 {
			return Routing{Response: rejected(r, handoffID, "No capable agent available")}
		}
		target = g.agents[i].ID
	}
	return Routing{Response: g.ask(target, r, handoffID), Target: target}
}

func (g *Registry) fallBack(r *Request, preferred []string, handoffID string) Routing {
	var rejections []Rejection
	for _, id := range preferred {
		answer := g.ask(id, r, handoffID)
		if answer.Accepted {
			return Routing{answer, id, rejections}
		}
		rejections = append(rejections, Rejection{id, answer.RejectionReason})
	}
	return Routing{Response: rejected(r, handoffID, "All preferred agents unavailable"), Rejections: rejections}
}

// ask returns the answer of one agent.
func (g *Registry) ask(id string, r *Request, handoffID string) Response {
	i, known := g.byID[id]
	if !known {
		return rejected(r, handoffID, "Unknown agent: "+id)
	}
	return Respond(g.agents[i], r, handoffID)
}

// capable is the document's find_capable_agent: it returns the index of an agent, or -1.
func (g *Registry) capable(capabilities []string) int {
next:
	for i, a := range g.agents {
		if a.State != Runnable {
			continue
		}
		for _, name := range capabilities {
			if !a.can[name] {
				continue next
			}
		}
		return i
	}
	return -1
}

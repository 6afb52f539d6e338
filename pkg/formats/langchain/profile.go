package langchain

import (
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Facts are the details of LangChain messages for [format.Profile].
type Facts struct {
	Form        string         `json:"form"`         // messages, state, snapshot or command
	Goto        []string       `json:"goto"`         // the next nodes of a command
	Graph       string         `json:"graph"`        // the graph whose state a command updates; "" for the node's own
	ActiveAgent string         `json:"active_agent"` // of a swarm
	State       []string       `json:"state"`        // the names of the other members of the state
	Next        []string       `json:"next"`         // the next nodes of a snapshot
	Messages    []format.Count `json:"messages"`     // by their forms
}

func factsOf(root, state jsonstream.Value, turns []conversation.Turn) *Facts {
	f := &Facts{Form: "messages", Goto: []string{}, State: []string{}, Next: []string{}, Messages: []format.Count{}}
	switch {
	case root.Kind() == jsonstream.Array:
	case root.Get("messages").Exists():
		f.Form = "state"
	case root.Get("values").Exists():
		f.Form = "snapshot"
	case root.Get("update").Exists():
		f.Form = "command"
	}
	if f.Form == "command" {
		f.Graph = root.Get("graph").Text()
		f.Goto = destinations(root.Get("goto"))
	}
	f.ActiveAgent = state.Get("active_agent").Text()
	for name := range state.Members() {
		if name != "messages" && name != "active_agent" {
			f.State = append(f.State, name)
		}
	}
	for _, node := range root.Get("next").Elements() {
		f.Next = append(f.Next, node.Text())
	}
	for _, t := range turns {
		f.Messages = format.Counted(f.Messages, formOf(t.Value))
	}
	return f
}

// destinations returns the nodes of a goto: one, several, or the nodes of Sends.
func destinations(v jsonstream.Value) []string {
	nodes := []string{}
	switch v.Kind() {
	case jsonstream.String:
		return append(nodes, v.Text())
	case jsonstream.Object:
		return append(nodes, v.Get("node").Text())
	}
	for _, one := range v.Elements() {
		nodes = append(nodes, destinations(one)...)
	}
	return nodes
}

// formOf returns the name of a message's form.
func formOf(v jsonstream.Value) string {
	switch {
	case v.Kind() != jsonstream.Object:
		return "short"
	case v.Get("lc").Exists():
		return "constructor"
	case v.Get("role").Exists():
		return "with a role"
	case v.Get("data").Exists() && !v.Get("content").Exists():
		return "stored"
	default:
		return "flat"
	}
}

func profile(doc *jsonstream.Document, context jsonstream.Value, turns []conversation.Turn) format.Profile {
	f := factsOf(doc.Root(), context, turns)
	p := format.Profile{To: f.ActiveAgent, Details: f, Labels: []format.Label{
		{Name: "form", Value: f.Form},
		{Name: "messages", Amounts: format.Amounts(f.Messages)},
		{Name: "goto", Value: strings.Join(f.Goto, ", "), Optional: true},
		{Name: "graph", Value: f.Graph, Optional: true},
		{Name: "agent", Value: f.ActiveAgent, Optional: true},
		{Name: "next", Value: strings.Join(f.Next, ", "), Optional: true},
		{Name: "state", Value: strings.Join(f.State, ", "), Optional: true},
	}}
	if p.To == "" && len(f.Goto) > 0 {
		p.To = f.Goto[0]
	}
	return p
}

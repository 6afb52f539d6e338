package gemini

import (
	"cmp"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Facts are the details of contents or of a session for [format.Profile].
type Facts struct {
	Kind      string         `json:"kind"`      // contents or events
	App       string         `json:"app"`       // of a session
	User      string         `json:"user"`      // of a session
	Authors   []format.Count `json:"authors"`   // of events, in order of appearance
	State     []string       `json:"state"`     // the names of the members of a session's state
	Transfers []Transfer     `json:"transfers"` // from agent to agent
}

// A Transfer is an event that transfers control to another agent.
type Transfer struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func factsOf(root jsonstream.Value, turns []conversation.Turn) *Facts {
	f := &Facts{
		Kind: "contents", App: either(root, "appName", "app_name").Text(), User: either(root, "userId", "user_id").Text(),
		Authors: []format.Count{}, State: []string{}, Transfers: []Transfer{},
	}
	for name := range root.Get("state").Members() {
		f.State = append(f.State, name)
	}
	for _, t := range turns {
		author := t.Value.Get("author").Text()
		if author != "" {
			f.Kind = "events"
			f.Authors = format.Counted(f.Authors, author)
		}
		if to := either(t.Value.Get("actions"), "transferToAgent", "transfer_to_agent").Text(); to != "" {
			f.Transfers = append(f.Transfers, Transfer{From: author, To: to})
		}
	}
	return f
}

// either returns the member with the first name, or else with the second.
func either(v jsonstream.Value, camel, snake string) jsonstream.Value {
	if member := v.Get(camel); member.Exists() {
		return member
	}
	return v.Get(snake)
}

func profile(doc *jsonstream.Document, _ jsonstream.Value, turns []conversation.Turn) format.Profile {
	f := factsOf(doc.Root(), turns)
	p := format.Profile{Details: f, Labels: []format.Label{
		{Name: "app", Value: f.App, Optional: true},
		{Name: "user", Value: f.User, Optional: true},
		{Name: "turns", Value: f.Kind},
		{Name: "authors", Amounts: format.Amounts(f.Authors), Optional: true},
	}}
	for _, t := range f.Transfers {
		p.From, p.To = t.From, t.To
		p.Labels = append(p.Labels, format.Label{Name: "transfer", Value: cmp.Or(t.From, "?") + " → " + t.To})
	}
	for _, name := range f.State {
		p.Labels = append(p.Labels, format.Label{Name: "state", Value: name})
	}
	return p
}

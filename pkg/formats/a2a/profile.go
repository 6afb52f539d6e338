package a2a

import (
	"cmp"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Facts are the details of a task or message for [format.Profile].
type Facts struct {
	Method    string     `json:"method"` // of a request
	TaskID    string     `json:"task_id"`
	ContextID string     `json:"context_id"`
	State     string     `json:"state"` // of the task
	Artifacts []Artifact `json:"artifacts"`
	Related   []string   `json:"related"` // the ids of other tasks that the messages refer to
	Handoffs  []Carried  `json:"handoffs"`
}

// Carried is a canonical message in a message or artifact.
type Carried struct {
	Pointer   string `json:"pointer"`
	HandoffID string `json:"handoff_id"`
	From      string `json:"from"`
	To        string `json:"to"`
}

// An Artifact is an output of the agent.
type Artifact struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Parts int    `json:"parts"`
}

func factsOf(root jsonstream.Value) *Facts {
	task := payload(root)
	f := &Facts{
		Method: root.Get("method").Text(), TaskID: task.Get("taskId").Text(), ContextID: task.Get("contextId").Text(), State: task.Get("status").Get("state").Text(),
		Artifacts: []Artifact{}, Related: []string{}, Handoffs: []Carried{},
	}
	if f.TaskID == "" && !task.Get("messageId").Exists() {
		f.TaskID = task.Get("id").Text()
	}
	for _, a := range task.Get("artifacts").Elements() {
		f.Artifacts = append(f.Artifacts, Artifact{a.Get("artifactId").Text(), a.Get("name").Text(), a.Get("parts").Len()})
	}
	for _, m := range holders(root) {
		for _, id := range m.Get("referenceTaskIds").Elements() {
			f.Related = append(f.Related, id.Text())
		}
	}
	for _, v := range Contents(root, Handoff) {
		f.Handoffs = append(f.Handoffs, Carried{v.Pointer(), v.Get("handoffId").Text(), v.Get("fromAgent").Get("agentId").Text(), v.Get("toAgent").Get("agentType").Text()})
	}
	return f
}

func profile(doc *jsonstream.Document, _ jsonstream.Value, _ []conversation.Turn) format.Profile {
	f := factsOf(doc.Root())
	p := format.Profile{Time: payload(doc.Root()).Get("status").Get("timestamp").Text(), Details: f, Labels: []format.Label{
		{Name: "method", Value: f.Method, Optional: true},
		{Name: "task", Value: f.TaskID, Optional: true},
		{Name: "context", Value: f.ContextID, Optional: true},
		{Name: "state", Value: f.State, Optional: true},
	}}
	for _, id := range f.Related {
		p.Labels = append(p.Labels, format.Label{Name: "about", Value: id})
	}
	if len(f.Artifacts) > 0 {
		made := format.Section{Title: "Artifacts"}
		for _, a := range f.Artifacts {
			made.Rows = append(made.Rows, []format.Cell{
				{Text: cmp.Or(a.Name, a.ID), Columns: 24},
				{Amounts: []format.Amount{{Count: a.Parts, Noun: "part"}}, Columns: 10},
				{Text: a.ID, Tone: format.ID},
			})
		}
		p.Sections = append(p.Sections, made)
	}
	if len(f.Handoffs) > 0 {
		carried := format.Section{Title: "Handoffs"}
		for _, h := range f.Handoffs {
			carried.Rows = append(carried.Rows, []format.Cell{
				{Text: h.HandoffID, Columns: 36, Tone: format.ID},
				{Text: h.From + " → " + h.To},
			})
		}
		p.Sections = append(p.Sections, carried)
	}
	return p
}

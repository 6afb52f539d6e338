package sw4rm

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Facts are the details of a context, request or response for [format.Profile].
type Facts struct {
	RequestID       string          `json:"request_id"`
	HandoffID       string          `json:"handoff_id"`
	Reason          string          `json:"reason"`
	Capabilities    []string        `json:"capabilities_required"`
	PreserveHistory *bool           `json:"preserve_history"` // nil if absent
	Priority        json.RawMessage `json:"priority"`         // as written in the message, nil if absent
	Timeout         json.RawMessage `json:"timeout"`

	Accepted        *bool  `json:"accepted"` // of a response; otherwise nil
	Status          string `json:"status"`
	RejectionReason string `json:"rejection_reason"`

	ToolState []format.Count `json:"tool_state"` // numbers of elements by member
	Metadata  []string       `json:"metadata"`   // names of the members of the context's metadata, or of the message's for other kinds
}

func factsOf(root, context jsonstream.Value) *Facts {
	f := &Facts{
		RequestID:       root.Get("request_id").Text(),
		HandoffID:       root.Get("handoff_id").Text(),
		Reason:          root.Get("reason").Text(),
		Capabilities:    []string{},
		PreserveHistory: boolean(root.Get("preserve_history")),
		Timeout:         slices.Clone(json.RawMessage(root.Get("timeout").Raw())),
		Accepted:        boolean(root.Get("accepted")),
		Status:          root.Get("status").Text(),
		RejectionReason: root.Get("rejection_reason").Text(),
		ToolState:       []format.Count{},
		Metadata:        []string{},
	}
	if priority := root.Get("priority"); priority.Kind() == jsonstream.Number {
		f.Priority = slices.Clone(json.RawMessage(priority.Raw()))
	}
	for _, c := range root.Get("capabilities_required").Elements() {
		if c.Kind() == jsonstream.String {
			f.Capabilities = append(f.Capabilities, c.Text())
		}
	}
	for name, v := range context.Get("tool_state").Members() {
		f.ToolState = append(f.ToolState, format.Count{Name: name, Count: v.Len()})
	}
	for name := range root.Get("metadata").Members() {
		f.Metadata = append(f.Metadata, name)
	}
	return f
}

func boolean(v jsonstream.Value) *bool {
	if v.Kind() != jsonstream.True && v.Kind() != jsonstream.False {
		return nil
	}
	is := v.Kind() == jsonstream.True
	return &is
}

// profile returns the profile common to all kinds of messages.
func profile(doc *jsonstream.Document, context jsonstream.Value, _ []conversation.Turn) format.Profile {
	root := doc.Root()
	f := factsOf(root, context)
	return format.Profile{
		From: root.Get("from_agent").Text(), To: cmp.Or(root.Get("to_agent").Text(), root.Get("accepting_agent").Text()), Task: f.Reason,
		Details: f,
		Labels: []format.Label{
			{Name: "request", Value: f.RequestID, Optional: true},
			{Name: "metadata", Value: strings.Join(f.Metadata, ", "), Optional: true},
			{Name: "tool state", Amounts: format.Amounts(f.ToolState), Optional: true},
		},
	}
}

func requestProfile(doc *jsonstream.Document, context jsonstream.Value, turns []conversation.Turn) format.Profile {
	p := profile(doc, context, turns)
	f := p.Details.(*Facts)
	preserved := ""
	if f.PreserveHistory != nil && !*f.PreserveHistory {
		preserved = "not preserved"
	}
	p.Labels = append([]format.Label{
		{Name: "from", Value: p.From},
		{Name: "to", Value: p.To},
		{Name: "reason", Value: f.Reason},
		{Name: "needs", Value: strings.Join(f.Capabilities, ", ")},
		{Name: "history", Value: preserved, Optional: true},
		{Name: "priority", Value: string(f.Priority), Optional: true},
		{Name: "timeout", Value: string(f.Timeout), Optional: true},
	}, p.Labels...)
	return p
}

func responseProfile(doc *jsonstream.Document, context jsonstream.Value, turns []conversation.Turn) format.Profile {
	p := profile(doc, context, turns)
	f := p.Details.(*Facts)
	answer := ""
	if f.Accepted != nil {
		answer = map[bool]string{true: "accepted", false: "rejected"}[*f.Accepted]
	}
	p.Labels = append([]format.Label{
		{Name: "answer", Value: answer},
		{Name: "by", Value: p.To, Optional: true},
		{Name: "reason", Value: f.RejectionReason, Optional: true},
		{Name: "status", Value: f.Status},
		{Name: "handoff", Value: f.HandoffID},
	}, p.Labels...)
	return p
}

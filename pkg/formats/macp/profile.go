package macp

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// profile returns the profile of a session, replayed under the default policy.
func profile(doc *jsonstream.Document, _ jsonstream.Value, _ []conversation.Turn) format.Profile {
	transcript, _ := Read(doc)
	s := Project(transcript, Options{})
	p := format.Profile{From: s.Initiator, Task: s.Intent, Details: &s}
	if n := len(s.Handoffs); n > 0 {
		p.To = s.Handoffs[n-1].Target
	}
	if n := len(s.TimeLine); n > 0 {
		p.Time = s.TimeLine[n-1].Time
	}
	phase := string(s.Phase)
	if sdk := string(s.SDKPhase); sdk != phase && sdk != "" {
		phase += ", to the SDK " + sdk
	}
	p.Labels = []format.Label{
		{Name: "session", Value: s.SessionID},
		{Name: "intent", Value: s.Intent},
		{Name: "initiator", Value: s.Initiator},
		{Name: "with", Value: strings.Join(s.Participants, ", ")},
		{Name: "versions", Value: fmt.Sprintf("mode %s, configuration %s, policy %s",
			cmp.Or(s.ModeVersion, "-"), cmp.Or(s.ConfigurationVersion, "-"), cmp.Or(s.PolicyVersion, "-"))},
		{Name: "state", Value: string(s.State)},
		{Name: "phase", Value: phase},
		{Name: "responsible", Value: s.Responsible},
	}
	rejected := 0
	for _, e := range s.TimeLine {
		if e.Violation != nil {
			rejected++
		}
	}
	handoffs := format.Section{Title: "Handoffs", Summary: []format.Amount{{Count: len(s.TimeLine), Noun: "message"}}}
	if rejected > 0 {
		handoffs.Summary = append(handoffs.Summary, format.Amount{Count: rejected, Word: "rejected"})
	}
	for _, h := range s.Handoffs {
		handoffs.Rows = append(handoffs.Rows, []format.Cell{
			{Text: string(h.Status), Columns: len(ContextSent), Tone: h.Status.Tone()},
			{Text: h.ID, MaxLength: 16, Tone: format.ID},
			{Text: h.OfferedBy + " → " + h.Target + about(h)},
		})
	}
	p.Sections = []format.Section{handoffs}
	if c := s.Commitment; c != nil {
		p.Sections = append(p.Sections, format.Section{Rows: [][]format.Cell{{{Text: "committed: " + c.Action + " by " + c.Sender}}}})
	}
	return p
}

// about describes the scope of a handoff, and the reason for it.
func about(h Handoff) string {
	text := ""
	if h.Scope != "" {
		text = ": " + h.Scope
	}
	if h.Reason != "" {
		text += " (" + h.Reason + ")"
	}
	return text
}

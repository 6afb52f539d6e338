package cmd

import (
	"fmt"
	"strings"

	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/inspect"
)

// systems name the formats for people.
var systems = map[format.Format]string{
	format.SW4RMContext:  "SW4RM context",
	format.SW4RMRequest:  "SW4RM request",
	format.SW4RMResponse: "SW4RM response",
	format.MACP:          "MACP session",
	format.OpenAI:        "OpenAI handoff input",
}

// foreign draws what only messages of one format have, if it is not the canonical one.
func (p *drawing) foreign(f inspect.Facts) {
	p.Line()
	p.Label("format", systems[f.Format])
	switch {
	case f.SW4RM != nil:
		p.sw4rm(f)
	case f.MACP != nil:
		p.session(f.MACP)
	case f.OpenAI != nil:
		p.items(f.OpenAI)
	}
}

func (p *drawing) sw4rm(f inspect.Facts) {
	s := f.SW4RM
	switch f.Format {
	case format.SW4RMRequest:
		p.Label("from", f.From.ID)
		p.Label("to", f.To.Type)
		p.Label("reason", s.Reason)
		p.Label("needs", strings.Join(s.Capabilities, ", "))
		if s.PreserveHistory != nil && !*s.PreserveHistory {
			p.Label("history", "not preserved")
		}
		p.optional("priority", string(s.Priority))
		p.optional("timeout", string(s.Timeout))
	case format.SW4RMResponse:
		answer := ""
		if s.Accepted != nil {
			answer = map[bool]string{true: "accepted", false: "rejected"}[*s.Accepted]
		}
		p.Label("answer", answer)
		p.optional("by", f.To.Type)
		p.optional("reason", s.RejectionReason)
		p.Label("status", s.Status)
		p.Label("handoff", s.HandoffID)
	}
	p.optional("request", s.RequestID)
	p.optional("metadata", strings.Join(s.Metadata, ", "))
	p.optional("tool state", counts(s.ToolState))
}

// optional is a label that is left out where it has no value.
func (p *drawing) optional(name, value string) {
	if value != "" {
		p.Label(name, value)
	}
}

func counts(list []inspect.Count) string {
	var parts []string
	for _, c := range list[:min(len(list), term.MostRows)] {
		parts = append(parts, term.Grouped(int64(c.Count))+" "+c.Name)
	}
	return strings.Join(parts, ", ")
}

func (p *drawing) session(s *macp.Projection) {
	p.Label("session", s.SessionID)
	p.Label("intent", s.Intent)
	p.Label("initiator", s.Initiator)
	p.Label("with", strings.Join(s.Participants, ", "))
	p.Label("versions", fmt.Sprintf("mode %s, configuration %s, policy %s", orNone(s.ModeVersion), orNone(s.ConfigurationVersion), orNone(s.PolicyVersion)))
	p.Label("state", string(s.State))
	sdk := ""
	if string(s.SDKPhase) != string(s.Phase) {
		sdk = string(s.SDKPhase)
	}
	p.Label("phase", at(string(s.Phase), ", to the SDK ", sdk))
	p.Label("responsible", s.Responsible)
	refused := 0
	for _, e := range s.TimeLine {
		if e.Violation != nil {
			refused++
		}
	}
	summary := term.Plural(len(s.TimeLine), "message")
	if refused > 0 {
		summary += ", " + term.Grouped(int64(refused)) + " refused"
	}
	p.Section("Handoffs", summary)
	for _, h := range s.Handoffs[:min(len(s.Handoffs), term.MostRows)] {
		status, id := term.Left(string(h.Status), len(macp.ContextSent)), term.Clip(h.ID, idColumns*2)
		room := p.Width - term.Width("  "+status+"  "+id+"  ")
		p.Line("  ", statusColor(p.Palette, h.Status)(status), "  ", p.Cyan(id), "  ", term.Clip(h.OfferedBy+" → "+h.Target+about(h), room))
	}
	p.More(len(s.Handoffs) - term.MostRows)
	if c := s.Commitment; c != nil {
		p.Line("  committed: ", term.Clip(c.Action+" by "+c.Sender, p.Width-len("  committed: ")))
	}
}

// about says what a handoff is of, and why.
func about(h macp.Handoff) string {
	text := ""
	if h.Scope != "" {
		text = ": " + h.Scope
	}
	if h.Reason != "" {
		text += " (" + h.Reason + ")"
	}
	return text
}

func orNone(version string) string {
	if version == "" {
		return "-"
	}
	return version
}

func (p *drawing) items(o *inspect.OpenAI) {
	for _, t := range o.Transfers[:min(len(o.Transfers), term.MostRows)] {
		p.Label("transfer", at(t.Tool, " → ", t.Agent))
	}
	p.More(len(o.Transfers) - term.MostRows)
	nested := "no"
	if o.Nested > 0 {
		nested = term.Plural(o.Nested, "summary message")
	}
	p.Label("nested", nested)
	p.Section("Items", "")
	names := 0
	for _, list := range o.Lists {
		names = max(names, term.Width(list.Name))
	}
	for _, list := range o.Lists {
		line := "  " + term.Left(list.Name, names) + "  " + term.Left(term.Plural(list.Items, "item"), countColumns*2) + "  "
		p.Line(line, term.Clip(counts(list.Types), p.Width-term.Width(line)))
	}
}

// carried draws where the bytes of a context go that a message carries.
func (p *drawing) carried(c *inspect.Context, counted bool) {
	if c == nil {
		return
	}
	p.Section("In the context", fmt.Sprintf("%s at %s", term.Plural(c.Bytes, "byte"), term.Visible(c.Pointer)))
	p.members(c.Members, counted)
}

package cmd

import (
	"fmt"
	"strings"

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
func (p *picture) foreign(f inspect.Facts) {
	p.line()
	p.label("format", systems[f.Format])
	switch {
	case f.SW4RM != nil:
		p.sw4rm(f)
	case f.MACP != nil:
		p.session(f.MACP)
	case f.OpenAI != nil:
		p.items(f.OpenAI)
	}
}

func (p *picture) sw4rm(f inspect.Facts) {
	s := f.SW4RM
	switch f.Format {
	case format.SW4RMRequest:
		p.label("from", f.From.ID)
		p.label("to", f.To.Type)
		p.label("reason", s.Reason)
		p.label("needs", strings.Join(s.Capabilities, ", "))
		if s.PreserveHistory != nil && !*s.PreserveHistory {
			p.label("history", "not preserved")
		}
		p.optional("priority", string(s.Priority))
		p.optional("timeout", string(s.Timeout))
	case format.SW4RMResponse:
		answer := ""
		if s.Accepted != nil {
			answer = map[bool]string{true: "accepted", false: "rejected"}[*s.Accepted]
		}
		p.label("answer", answer)
		p.optional("by", f.To.Type)
		p.optional("reason", s.RejectionReason)
		p.label("status", s.Status)
		p.label("handoff", s.HandoffID)
	}
	p.optional("request", s.RequestID)
	p.optional("metadata", strings.Join(s.Metadata, ", "))
	p.optional("tool state", counts(s.ToolState))
}

// optional is a label that is left out where it has no value.
func (p *picture) optional(name, value string) {
	if value != "" {
		p.label(name, value)
	}
}

func counts(list []inspect.Count) string {
	var parts []string
	for _, c := range list[:min(len(list), mostRows)] {
		parts = append(parts, grouped(int64(c.Count))+" "+c.Name)
	}
	return strings.Join(parts, ", ")
}

func (p *picture) session(s *macp.Projection) {
	p.label("session", s.SessionID)
	p.label("intent", s.Intent)
	p.label("initiator", s.Initiator)
	p.label("with", strings.Join(s.Participants, ", "))
	p.label("versions", fmt.Sprintf("mode %s, configuration %s, policy %s", orNone(s.ModeVersion), orNone(s.ConfigurationVersion), orNone(s.PolicyVersion)))
	p.label("state", string(s.State))
	sdk := ""
	if string(s.SDKPhase) != string(s.Phase) {
		sdk = string(s.SDKPhase)
	}
	p.label("phase", at(string(s.Phase), ", to the SDK ", sdk))
	p.label("responsible", s.Responsible)
	refused := 0
	for _, e := range s.TimeLine {
		if e.Violation != nil {
			refused++
		}
	}
	summary := plural(len(s.TimeLine), "message")
	if refused > 0 {
		summary += ", " + grouped(int64(refused)) + " refused"
	}
	p.section("Handoffs", summary)
	for _, h := range s.Handoffs[:min(len(s.Handoffs), mostRows)] {
		status, id := left(string(h.Status), len(macp.ContextSent)), clip(h.ID, idColumns*2)
		room := p.width - width("  "+status+"  "+id+"  ")
		p.line("  ", p.ofStatus(h.Status)(status), "  ", p.cyan(id), "  ", clip(h.OfferedBy+" → "+h.Target+about(h), room))
	}
	p.more(len(s.Handoffs) - mostRows)
	if c := s.Commitment; c != nil {
		p.line("  committed: ", clip(c.Action+" by "+c.Sender, p.width-len("  committed: ")))
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

func (p *picture) items(o *inspect.OpenAI) {
	for _, t := range o.Transfers[:min(len(o.Transfers), mostRows)] {
		p.label("transfer", at(t.Tool, " → ", t.Agent))
	}
	p.more(len(o.Transfers) - mostRows)
	nested := "no"
	if o.Nested > 0 {
		nested = plural(o.Nested, "summary message")
	}
	p.label("nested", nested)
	p.section("Items", "")
	names := 0
	for _, list := range o.Lists {
		names = max(names, width(list.Name))
	}
	for _, list := range o.Lists {
		line := "  " + left(list.Name, names) + "  " + left(plural(list.Items, "item"), countColumns*2) + "  "
		p.line(line, clip(counts(list.Types), p.width-width(line)))
	}
}

// carried draws where the bytes of a context go that a message carries.
func (p *picture) carried(c *inspect.Context, counted bool) {
	if c == nil {
		return
	}
	p.section("In the context", fmt.Sprintf("%s at %s", plural(c.Bytes, "byte"), visible(c.Pointer)))
	p.members(c.Members, counted)
}

package macp

import (
	"encoding/base64"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// A writer writes JSON: compact, with names in snake_case.
type writer struct {
	out []byte
	err error // for a text that is not valid UTF-8
}

// next writes a comma if a value precedes.
func (w *writer) next() {
	if n := len(w.out); n > 0 && w.out[n-1] != '{' && w.out[n-1] != '[' {
		w.out = append(w.out, ',')
	}
}

func (w *writer) quote(text string) {
	out, err := jsontext.AppendQuote(w.out, text)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.out = out
}

func (w *writer) member(name string) {
	w.next()
	w.quote(name)
	w.out = append(w.out, ':')
}

func (w *writer) text(name, value string) {
	w.member(name)
	w.quote(value)
}

func (w *writer) bytes(name string, value []byte) {
	w.text(name, base64.StdEncoding.EncodeToString(value))
}

func (w *writer) number(name string, n int64) {
	w.member(name)
	w.out = strconv.AppendInt(w.out, n, 10)
}

func (w *writer) flag(name string, value bool) {
	w.member(name)
	w.out = strconv.AppendBool(w.out, value)
}

func (w *writer) object(content func()) {
	w.out = append(w.out, '{')
	content()
	w.out = append(w.out, '}')
}

func (w *writer) texts(name string, values []string) {
	w.member(name)
	w.out = append(w.out, '[')
	for _, v := range values {
		w.next()
		w.quote(v)
	}
	w.out = append(w.out, ']')
}

func (w *writer) extensions(values []Extension) {
	w.member("extensions")
	w.object(func() {
		for _, e := range values {
			w.bytes(e.Name, e.Value)
		}
	})
}

func (w *writer) roots(values []Root) {
	w.member("roots")
	w.out = append(w.out, '[')
	for _, root := range values {
		w.next()
		w.object(func() {
			w.text("uri", root.URI)
			w.text("name", root.Name)
		})
	}
	w.out = append(w.out, ']')
}

// message writes a step as a message of a session.
func (w *writer) message(sessionID string, step Step) {
	w.object(func() {
		w.text("macp_version", Version)
		w.text("mode", Mode)
		w.text("message_type", step.Payload.MessageType())
		w.text("message_id", step.MessageID)
		w.text("session_id", sessionID)
		w.text("sender", step.Sender)
		if step.Timestamp != "" {
			w.text("timestamp", step.Timestamp)
		}
		if step.AcceptedAt.Known {
			w.number("accepted_at_unix_ms", step.AcceptedAt.UnixMS)
		}
		w.member("payload")
		w.object(func() { step.Payload.write(w) })
	})
}

func (p *SessionStart) write(w *writer) {
	w.text("intent", p.Intent)
	w.texts("participants", p.Participants)
	w.text("mode_version", p.ModeVersion)
	w.text("configuration_version", p.ConfigurationVersion)
	w.text("policy_version", p.PolicyVersion)
	w.number("ttl_ms", p.TTLMS)
	if p.ContextID != "" {
		w.text("context_id", p.ContextID)
	}
	if len(p.Extensions) > 0 {
		w.extensions(p.Extensions)
	}
	if len(p.Roots) > 0 {
		w.roots(p.Roots)
	}
	if p.MaxSuspendMS != 0 {
		w.number("max_suspend_ms", p.MaxSuspendMS)
	}
}

func (p *HandoffOffer) write(w *writer) {
	w.text("handoff_id", p.HandoffID)
	w.text("target_participant", p.TargetParticipant)
	w.text("scope", p.Scope)
	w.text("reason", p.Reason)
}

func (p *HandoffContext) write(w *writer) {
	w.text("handoff_id", p.HandoffID)
	w.text("content_type", p.ContentType)
	w.bytes("context", p.Context)
}

func (p *HandoffAccept) write(w *writer) {
	w.text("handoff_id", p.HandoffID)
	w.text("accepted_by", p.AcceptedBy)
	w.text("reason", p.Reason)
	if p.Implicit {
		w.flag("implicit", true)
	}
}

func (p *HandoffDecline) write(w *writer) {
	w.text("handoff_id", p.HandoffID)
	w.text("declined_by", p.DeclinedBy)
	w.text("reason", p.Reason)
}

func (p *Commitment) write(w *writer) {
	w.text("commitment_id", p.CommitmentID)
	w.text("action", p.Action)
	w.text("authority_scope", p.AuthorityScope)
	w.text("reason", p.Reason)
	w.text("mode_version", p.ModeVersion)
	w.text("policy_version", p.PolicyVersion)
	w.text("configuration_version", p.ConfigurationVersion)
	w.flag("outcome_positive", p.OutcomePositive)
	if p.Supersedes != nil {
		w.member("supersedes")
		w.object(func() {
			w.text("session_id", p.Supersedes.SessionID)
			w.text("commitment_hash", p.Supersedes.CommitmentHash)
		})
	}
}

package macp

import (
	"fmt"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
)

// A Phase is a session phase as named in the specification.
type Phase string

// The phases. Resolved, a name of the specification, means that an offer was accepted or
// declined.
const (
	PhaseOffering       Phase = "Offering"
	PhaseContextSharing Phase = "ContextSharing"
	PhaseResolved       Phase = "Resolved"
	PhaseCommitted      Phase = "Committed"
)

// An SDKPhase is a session phase as named in the SDK of 2026.
type SDKPhase string

// The phases of the SDK.
const (
	SDKPending        SDKPhase = "Pending" // before any offer
	SDKOfferPending   SDKPhase = "OfferPending"
	SDKContextSharing SDKPhase = "ContextSharing"
	SDKAccepted       SDKPhase = "Accepted"
	SDKDeclined       SDKPhase = "Declined"
	SDKCommitted      SDKPhase = "Committed"
)

// A Projection is the state of a session after all of its messages.
type Projection struct {
	SessionID            string   `json:"session_id"`
	Mode                 string   `json:"mode"`
	State                State    `json:"state"`
	Phase                Phase    `json:"phase"`
	SDKPhase             SDKPhase `json:"sdk_phase"`
	Intent               string   `json:"intent"`
	Initiator            string   `json:"initiator"`
	Participants         []string `json:"participants"`
	ModeVersion          string   `json:"mode_version"`
	ConfigurationVersion string   `json:"configuration_version"`
	PolicyVersion        string   `json:"policy_version"` // as resolved
	TTLMS                int64    `json:"ttl_ms"`
	// Responsible is the agent with the responsibility: the target of an accepted offer,
	// unless a commitment with a negative outcome followed; otherwise the initiator; ""
	// before the session has begun.
	Responsible string    `json:"responsible"`
	Handoffs    []Handoff `json:"handoffs"`
	// Contexts are the contexts sent for each handoff, by its id, in message order.
	Contexts   map[string][]*HandoffContext `json:"-"`
	Pending    []string                     `json:"pending"`    // ids of the handoffs awaiting an answer
	Commitment *Resolution                  `json:"commitment"` // null if there is none
	TimeLine   []Entry                      `json:"time_line"`
}

// A Resolution is the commitment that resolved a session.
type Resolution struct {
	CommitmentID    string `json:"commitment_id"`
	Sender          string `json:"sender"`
	Action          string `json:"action"`
	AuthorityScope  string `json:"authority_scope"`
	Reason          string `json:"reason"`
	OutcomePositive bool   `json:"outcome_positive"`
}

// An Entry is a message on the timeline.
type Entry struct {
	Index       int        `json:"index"`
	MessageID   string     `json:"message_id"`
	Time        string     `json:"time"` // accepted_at_unix_ms as RFC 3339, or else the timestamp as written
	MessageType string     `json:"message_type"`
	Sender      string     `json:"sender"`
	HandoffID   string     `json:"handoff_id,omitempty"`
	What        string     `json:"what"`                // the event in words
	Violation   *Violation `json:"violation,omitempty"` // the reason for a rejection; nil if the message was accepted
}

// Handoff returns the handoff with an id, and whether there is one.
func (p Projection) Handoff(id string) (Handoff, bool) {
	for _, h := range p.Handoffs {
		if h.ID == id {
			return h, true
		}
	}
	return Handoff{}, false
}

// Project replays a transcript or a fixture and returns the resulting state. Rejected
// messages are on the timeline and have no effect. The projection may retain the document.
func Project(t *Transcript, o Options) Projection {
	s := NewSession(t, o)
	line := []Entry{}
	for e := range t.Messages() {
		line = append(line, s.entry(e))
	}
	start := s.Start()
	p := Projection{
		SessionID: s.id, Mode: t.Mode, State: s.state,
		Intent: start.Intent, Initiator: s.initiator, Participants: start.Participants,
		ModeVersion: start.ModeVersion, ConfigurationVersion: start.ConfigurationVersion, TTLMS: start.TTLMS,
		Responsible: s.responsible(), Handoffs: s.handoffs, Pending: []string{}, TimeLine: line,
	}
	if p.Participants == nil {
		p.Participants = []string{}
	}
	if s.Started() {
		p.PolicyVersion = s.PolicyVersion()
	}
	if p.Handoffs == nil {
		p.Handoffs = []Handoff{}
	}
	p.Contexts = make(map[string][]*HandoffContext, len(s.handoffs))
	for i, h := range s.handoffs {
		p.Contexts[h.ID] = s.given[i]
	}
	if h, ok := s.Outstanding(); ok {
		p.Pending = append(p.Pending, h.ID)
	}
	p.Phase, p.SDKPhase = s.phases()
	if c := s.commitment; c != nil {
		p.Commitment = &Resolution{c.CommitmentID, s.committedBy, c.Action, c.AuthorityScope, c.Reason, c.OutcomePositive}
	}
	return p
}

// phases returns the phase under both names. It depends on the latest handoff, since no
// offer can be made while another one is pending.
func (s *Session) phases() (Phase, SDKPhase) {
	if s.commitment != nil {
		return PhaseCommitted, SDKCommitted
	}
	if len(s.handoffs) == 0 {
		return PhaseOffering, SDKPending
	}
	switch s.handoffs[len(s.handoffs)-1].Status {
	case ContextSent:
		return PhaseContextSharing, SDKContextSharing
	case Accepted:
		return PhaseResolved, SDKAccepted
	case Declined:
		return PhaseResolved, SDKDeclined
	}
	return PhaseOffering, SDKOfferPending
}

func (s *Session) responsible() string {
	if s.accepted < 0 || s.commitment != nil && !s.commitment.OutcomePositive {
		return s.initiator
	}
	return s.handoffs[s.accepted].Target
}

// entry applies a message and returns its timeline entry.
func (s *Session) entry(e *Envelope) Entry {
	entry := Entry{Index: e.Index, MessageID: e.MessageID, Time: e.Timestamp, MessageType: e.MessageType, Sender: e.Sender}
	if e.AcceptedAt.Known {
		entry.Time = time.UnixMilli(e.AcceptedAt.UnixMS).UTC().Format(time.RFC3339Nano)
	}
	id, _ := member(e.Value.Get("payload"), "handoff_id")
	entry.HandoffID = id.Text()
	pending, waiting := s.Outstanding()
	entry.Violation = s.Accept(e)
	if v := entry.Violation; v != nil {
		entry.What = "rejected: " + v.Message
		return entry
	}
	entry.What = s.effectOf(e.Payload)
	if _, still := s.Outstanding(); s.commitment != nil && waiting && !still {
		entry.What += fmt.Sprintf("; %s counts as accepted by %s, which did not answer in time", finding.Quote(pending.ID), finding.Quote(pending.Target))
	}
	return entry
}

// effectOf describes the effect of an accepted message.
func (s *Session) effectOf(p Payload) string {
	switch p := p.(type) {
	case *SessionStart:
		return fmt.Sprintf("opens the session for %d participants and %d ms", len(p.Participants), p.TTLMS)
	case *HandoffOffer:
		return fmt.Sprintf("offers %s to %s", finding.Quote(p.HandoffID), finding.Quote(p.TargetParticipant))
	case *HandoffContext:
		late := ""
		if h := s.handoffs[s.byID[p.HandoffID]]; !h.Pending() {
			late = ", late"
		}
		return fmt.Sprintf("gives context to %s: %d bytes of %s%s", finding.Quote(p.HandoffID), len(p.Context), finding.Quote(p.ContentType), late)
	case *HandoffAccept:
		how := ""
		if p.Implicit {
			how = ", as the target did not answer in time"
		}
		return "accepts " + finding.Quote(p.HandoffID) + how
	case *HandoffDecline:
		return "declines " + finding.Quote(p.HandoffID)
	case *Commitment:
		outcome := "negative"
		if p.OutcomePositive {
			outcome = "positive"
		}
		return strings.Join([]string{"commits", finding.Quote(p.Action) + ",", outcome}, " ")
	}
	return ""
}

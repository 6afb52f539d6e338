package macp

import (
	"strconv"

	"github.com/eaapl/handoff/pkg/finding"
)

// A Handoff is an offer and its answer.
type Handoff struct {
	ID           string `json:"handoff_id"`
	Status       Status `json:"status"`
	Target       string `json:"target_participant"`
	OfferedBy    string `json:"offered_by"`
	Scope        string `json:"scope"`
	Reason       string `json:"reason"`
	Contexts     int    `json:"contexts"`               // including late ones
	LateContexts int    `json:"late_contexts,omitzero"` // received after the answer
	AnsweredBy   string `json:"answered_by,omitempty"`  // the sender of the answer
	AnswerReason string `json:"answer_reason,omitempty"`
	Implicit     bool   `json:"implicit,omitzero"` // accepted by timeout (rule 20)
	OfferIndex   int    `json:"offer_index"`       // index of the offer's message
}

// Pending reports whether the handoff awaits an answer.
func (h Handoff) Pending() bool { return h.Status == Offered || h.Status == ContextSent }

// checkSender implements rules 5, 6 and 16.
func (s *Session) checkSender(e *Envelope) *Violation {
	rule, expected, allowed := 6, "a declared participant as the sender", s.participants[e.Sender]
	switch e.MessageType {
	case "HandoffOffer":
		rule, expected, allowed = 5, "the initiator, "+finding.Quote(s.initiator)+", as the sender of an offer", e.Sender == s.initiator
	case "Commitment":
		rule, expected, allowed = 16, "the initiator, "+finding.Quote(s.initiator)+", as the sender of the commitment", e.Sender == s.initiator
		switch s.policy.Authority {
		case AnyParticipant:
			expected, allowed = "a declared participant as the sender of the commitment", s.participants[e.Sender]
		case DesignatedRole:
			expected, allowed = "one of the policy's designated_roles as the sender of the commitment", s.policy.designates(e.Sender)
		}
	}
	if allowed {
		return nil
	}
	return violation(ruleID(rule), Forbidden, expected, finding.Quote(e.Sender), "have the right participant send it").at(placeOf(e.Value, "sender"))
}

// checkOffer implements rules 7 to 10.
func (s *Session) checkOffer(e *Envelope, p *HandoffOffer) *Violation {
	payload := e.Value.Get("payload")
	id, target := placeOf(payload, "handoff_id"), placeOf(payload, "target_participant")
	invalid := func(rule int, expected, found, remedy string) Violation {
		return violation(ruleID(rule), InvalidEnvelope, expected, found, remedy)
	}
	earlier, used := s.byID[p.HandoffID]
	switch {
	case p.HandoffID == "":
		return invalid(7, "handoff_id to be a non-empty string", `""`, "give the offer an id").at(id)
	case p.TargetParticipant == "":
		return invalid(7, "target_participant to be a non-empty string", `""`, "name the participant that takes over").at(target)
	case !s.participants[p.TargetParticipant]:
		return invalid(7, "target_participant to be a declared participant", finding.Quote(p.TargetParticipant),
			"name a participant of SessionStart").at(target)
	case p.TargetParticipant == e.Sender:
		return invalid(7, "target_participant to be a participant other than the sender", finding.Quote(p.TargetParticipant), "make the offer to another participant").at(target)
	case used:
		return invalid(8, "a handoff_id that no earlier offer has", finding.Quote(p.HandoffID)+" of message "+strconv.Itoa(s.handoffs[earlier].OfferIndex),
			"give each offer its own id").at(id)
	case s.accepted >= 0:
		return invalid(10, "no offer after one was accepted", "an offer after "+finding.Quote(s.handoffs[s.accepted].ID)+" was accepted",
			"commit, and open another session").at(e.Value)
	case s.outstanding >= 0:
		v := invalid(9, "no offer while one is outstanding", "an offer while "+finding.Quote(s.handoffs[s.outstanding].ID)+" has no answer",
			"wait until it is accepted or declined").at(e.Value)
		v.Follows = s.rejectedAnswer
		return v
	}
	return nil
}

// find implements rule 11.
func (s *Session) find(e *Envelope, handoffID string) (Handoff, *Violation) {
	if i, ok := s.byID[handoffID]; ok {
		return s.handoffs[i], nil
	}
	v := violation("macp/11", InvalidEnvelope, "the handoff_id of an earlier offer", finding.Quote(handoffID),
		"offer the handoff first, or name a handoff that was offered").at(placeOf(e.Value.Get("payload"), "handoff_id"))
	v.Follows = s.rejectedOffers[handoffID]
	return Handoff{}, v
}

// checkContext implements rules 11 and 12.
func (s *Session) checkContext(e *Envelope, p *HandoffContext) *Violation {
	h, v := s.find(e, p.HandoffID)
	if v != nil {
		return v
	}
	if e.Sender != h.OfferedBy {
		return violation("macp/12", Forbidden, "context from the participant who made the offer, "+finding.Quote(h.OfferedBy), finding.Quote(e.Sender),
			"have that participant send it").at(placeOf(e.Value, "sender"))
	}
	return nil
}

// checkAccept implements rules 11, 13 to 15, and the part of 20 that forbids an accept. No
// message can prove that a runtime wrote it, so each counts as sent by its sender.
func (s *Session) checkAccept(e *Envelope, p *HandoffAccept) *Violation {
	if v := s.checkAnswer(e, p.HandoffID, "accepted_by", p.AcceptedBy); v != nil || !p.Implicit {
		return v
	}
	return violation("macp/20", InvalidEnvelope, "implicit to be false in an accept that a participant sends", "true",
		"leave implicit out; if a runtime wrote the message, leave the whole message out: the offer counts as accepted at the commitment, after the policy's timeout").
		at(placeOf(e.Value.Get("payload"), "implicit"))
}

// checkAnswer implements rules 11 and 13 to 15.
func (s *Session) checkAnswer(e *Envelope, handoffID, byName, by string) *Violation {
	h, v := s.find(e, handoffID)
	if v != nil {
		return v
	}
	payload := e.Value.Get("payload")
	switch {
	case e.Sender != h.Target:
		return violation("macp/13", Forbidden, "an answer from the target of the offer, "+finding.Quote(h.Target), finding.Quote(e.Sender),
			"have the target answer").at(placeOf(e.Value, "sender"))
	case by != "" && by != e.Sender:
		return violation("macp/14", InvalidEnvelope, byName+" to be the sender, "+finding.Quote(e.Sender), finding.Quote(by),
			`write the sender, or ""`).at(placeOf(payload, byName))
	case !h.Pending():
		return violation("macp/15", InvalidEnvelope, "an answer to an offer that is outstanding", "one to "+finding.Quote(h.ID)+", which was "+string(h.Status),
			"remove it: the first answer counts").at(placeOf(payload, "handoff_id"))
	}
	return nil
}

// lapsed reports whether an offer has been outstanding for at least the policy's timeout
// (rule 20).
func (s *Session) lapsed(handoff int, now Instant) bool {
	passed, known := since(s.offeredAt[handoff], now)
	timeout := s.policy.ImplicitAcceptMS
	return timeout > 0 && known && passed >= uint64(timeout)
}

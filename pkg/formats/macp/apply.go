package macp

// apply performs the effect of an accepted message.
func (s *Session) apply(e *Envelope, now Instant) {
	s.clock = now
	if !s.startedAt.Known {
		s.startedAt = s.own(e, now) // the session did not begin later
	}
	switch p := e.Payload.(type) {
	case *SessionStart:
		s.start, s.initiator = p, e.Sender
		if s.id == "" {
			s.id = e.SessionID
		}
		for _, name := range p.Participants {
			s.participants[name] = true
		}
	case *HandoffOffer:
		s.byID[p.HandoffID] = len(s.handoffs)
		s.outstanding = len(s.handoffs)
		s.handoffs = append(s.handoffs, Handoff{ID: p.HandoffID, Status: Offered, Target: p.TargetParticipant, OfferedBy: e.Sender,
			Scope: p.Scope, Reason: p.Reason, OfferIndex: e.Index})
		s.offeredAt = append(s.offeredAt, s.own(e, now))
		s.given = append(s.given, nil)
	case *HandoffContext:
		at := s.byID[p.HandoffID]
		h := &s.handoffs[at]
		h.Contexts++
		s.given[at] = append(s.given[at], p)
		if h.Pending() {
			h.Status = ContextSent
		} else {
			h.LateContexts++
		}
	case *HandoffAccept:
		s.answer(Accepted, e.Sender, p.Reason, false)
	case *HandoffDecline:
		s.answer(Declined, e.Sender, p.Reason, false)
	case *Commitment:
		if s.outstanding >= 0 && s.lapsed(s.outstanding, now) {
			s.answer(Accepted, s.handoffs[s.outstanding].Target, "", true)
		}
		s.commitment, s.committedBy, s.state = p, e.Sender, Resolved
	}
}

// answer resolves the outstanding offer.
func (s *Session) answer(status Status, by, reason string, implicit bool) {
	h := &s.handoffs[s.outstanding]
	h.Status, h.AnsweredBy, h.AnswerReason, h.Implicit = status, by, reason, implicit
	if status == Accepted {
		s.accepted = s.outstanding
	}
	s.outstanding, s.answered, s.rejectedAnswer = -1, true, false
}

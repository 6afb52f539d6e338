package macp

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// CompleteOffer fills in the missing fields of an offer: the handoff id is the first unused
// one of h1, h2, …, and the target is the only participant besides the initiator. If there
// are several, CompleteOffer returns them and leaves the target "".
func (s *Session) CompleteOffer(o *HandoffOffer) (targets []string) {
	if o.HandoffID == "" {
		o.HandoffID = s.freeHandoffID()
	}
	others := slices.DeleteFunc(slices.Clone(s.Start().Participants), func(p string) bool { return p == s.initiator })
	switch {
	case o.TargetParticipant != "":
		return nil
	case len(others) == 1:
		o.TargetParticipant = others[0]
		return nil
	}
	return others
}

// freeHandoffID returns the first of h1, h2, … that no offer of the session uses.
func (s *Session) freeHandoffID() string {
	for n := 1; ; n++ {
		id := fmt.Sprintf("h%d", n)
		if !slices.ContainsFunc(s.handoffs, func(h Handoff) bool { return h.ID == id }) {
			return id
		}
	}
}

// Addressed returns the handoff with an id or, for "", the outstanding handoff, or else the
// latest. For an unknown handoff it returns only the id, with the initiator as both
// participants: the rules reject it.
func (s *Session) Addressed(id string) Handoff {
	if id == "" {
		if h, ok := s.Outstanding(); ok {
			return h
		}
		if n := len(s.handoffs); n > 0 {
			return s.handoffs[n-1]
		}
	}
	for _, h := range s.handoffs {
		if h.ID == id {
			return h
		}
	}
	return Handoff{ID: id, OfferedBy: s.initiator, Target: s.initiator}
}

// Complete fills in the missing fields of a commitment: the session's versions, the scope and reason of
// its handoff (or the handoff's id in place of an empty scope), and the action for the handoff's
// answer. The action stays "" if one of several offers awaits an answer.
func (s *Session) Complete(c *Commitment) {
	h := s.Addressed("")
	fill := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	fill(&c.ModeVersion, s.Start().ModeVersion)
	fill(&c.ConfigurationVersion, s.Start().ConfigurationVersion)
	fill(&c.PolicyVersion, s.PolicyVersion())
	fill(&c.AuthorityScope, h.Scope)
	if strings.TrimSpace(c.AuthorityScope) == "" {
		c.AuthorityScope = h.ID // only the offer is covered
	}
	fill(&c.Reason, h.AnswerReason)
	switch {
	case h.Pending() && len(s.handoffs) > 1:
	case h.Status == Declined:
		fill(&c.Action, "handoff.declined")
	default:
		fill(&c.Action, "handoff.accepted") // implicit acceptance, if the rules allow it
	}
}

// ContentType returns the media type of a context: application/json, text/plain or
// application/octet-stream.
func ContentType(context []byte, limits jsonstream.Limits) string {
	if _, err := jsonstream.Parse(jsonstream.NewRaw(context), limits); err == nil {
		return "application/json"
	}
	if utf8.Valid(context) {
		return "text/plain"
	}
	return "application/octet-stream"
}

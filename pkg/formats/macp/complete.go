package macp

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// CompleteOffer fills in what an offer lacks by the session: the handoff id is the first of
// h1, h2, … that is free, and the target the only participant besides the initiator. Where
// there are several, it returns them, and the target stays "".
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

// freeHandoffID returns the first of h1, h2, … that no offer of the session has.
func (s *Session) freeHandoffID() string {
	for n := 1; ; n++ {
		id := fmt.Sprintf("h%d", n)
		if !slices.ContainsFunc(s.handoffs, func(h Handoff) bool { return h.ID == id }) {
			return id
		}
	}
}

// Addressed returns the handoff that a message is about: the one with an id, or with "" the
// one that waits for an answer, or else the latest. Of one that is not there only the id is
// known, and its participants are the initiator: the rules reject it.
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

// Complete fills in what a commitment lacks by the session: the versions are the session's,
// scope and reason those of the handoff that it is about (its id, if it has no scope), and the action says how that was
// answered. The action stays "" where one of several offers waits for an answer.
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
		c.AuthorityScope = h.ID // the offer is all that there is to cover
	}
	fill(&c.Reason, h.AnswerReason)
	switch {
	case h.Pending() && len(s.handoffs) > 1:
	case h.Status == Declined:
		fill(&c.Action, "handoff.declined")
	default:
		fill(&c.Action, "handoff.accepted") // by the passing of time, if the rules allow it
	}
}

// ContentType returns the media type of the bytes of a context: application/json, text/plain
// or application/octet-stream.
func ContentType(context []byte, limits jsonstream.Limits) string {
	if _, err := jsonstream.Parse(jsonstream.NewRaw(context), limits); err == nil {
		return "application/json"
	}
	if utf8.Valid(context) {
		return "text/plain"
	}
	return "application/octet-stream"
}

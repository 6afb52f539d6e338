package macp

import (
	"slices"
	"strconv"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Session is the state of a session after the accepted messages. It is not safe for
// concurrent use.
type Session struct {
	transcript *Transcript
	policy     Policy
	id         string
	resolvesTo string // the policy for an empty policy_version

	state        State
	start        *SessionStart // nil until accepted
	initiator    string
	participants map[string]bool
	startedAt    Instant
	clock        Instant        // the time of the latest accepted message
	seen         map[string]int // indices of the accepted messages by message id

	handoffs    []Handoff
	offeredAt   []Instant           // by handoff
	given       [][]*HandoffContext // by handoff
	byID        map[string]int
	outstanding int // index in handoffs; -1 for none
	accepted    int // likewise
	answered    bool
	commitment  *Commitment
	committedBy string

	// Rejected messages, which can explain later violations.
	rejectedFirst  bool            // a message before the SessionStart, or the SessionStart itself
	rejectedOffers map[string]bool // by handoff_id
	rejectedAnswer bool            // to the outstanding offer
}

// NewSession returns a new session for the messages of t. The policy of a fixture takes
// precedence over that of the options.
func NewSession(t *Transcript, o Options) *Session {
	s := &Session{transcript: t, id: t.SessionID, resolvesTo: DefaultPolicy, state: Open, outstanding: -1, accepted: -1,
		participants: map[string]bool{}, seen: map[string]int{}, byID: map[string]int{}, rejectedOffers: map[string]bool{}}
	if t.policy != nil {
		s.policy = *t.policy
	} else if o.Policy != nil {
		s.policy = *o.Policy
	}
	if t.Fixture && s.policy.ID != "" {
		s.resolvesTo = s.policy.ID
	}
	return s
}

// Replay returns the session after all messages of a transcript, and the violation of the last
// message, or nil. Rejected messages have no effect.
func Replay(t *Transcript, o Options) (*Session, *Violation) {
	s := NewSession(t, o)
	var last *Violation
	for e := range t.Messages() {
		last = s.Accept(e)
	}
	return s, last
}

// Started reports whether a SessionStart was accepted.
func (s *Session) Started() bool { return s.start != nil }

// Start returns the accepted SessionStart, or the zero value if there is none.
func (s *Session) Start() SessionStart {
	if s.start == nil {
		return SessionStart{}
	}
	return *s.start
}

// Initiator returns the sender of the SessionStart.
func (s *Session) Initiator() string { return s.initiator }

// PolicyVersion returns the session's resolved policy_version.
func (s *Session) PolicyVersion() string {
	if v := s.Start().PolicyVersion; v != "" {
		return v
	}
	return s.resolvesTo
}

// Outstanding returns the handoff that awaits an answer, if any: by rule 9 there is at most
// one.
func (s *Session) Outstanding() (Handoff, bool) {
	if s.outstanding < 0 {
		return Handoff{}, false
	}
	return s.handoffs[s.outstanding], true
}

// Accept applies a message. If a rule forbids it, Accept returns the first violation, and
// the message has no effect.
func (s *Session) Accept(e *Envelope) *Violation {
	now := s.now(e)
	if v := s.judge(e, now); v != nil {
		v.Index, v.MessageID = e.Index, e.MessageID
		s.noteRejected(e)
		return v
	}
	s.apply(e, now)
	if e.MessageID != "" {
		s.seen[e.MessageID] = e.Index
	}
	return nil
}

// judge returns the violation of a message, or nil. As in the reference runtime, the order
// is the envelope, the session, the sender, the payload.
func (s *Session) judge(e *Envelope, now Instant) *Violation {
	if v := s.checkEnvelope(e); v != nil {
		return v
	}
	if v := s.checkNovelty(e); v != nil {
		return v
	}
	if s.start != nil {
		if v := s.checkOpen(e, now); v != nil {
			return v
		}
		if v := s.checkSender(e); v != nil {
			return v
		}
	}
	if e.payloadFault != nil {
		fault := *e.payloadFault
		return &fault
	}
	switch p := e.Payload.(type) {
	case *SessionStart:
		return s.checkStart(e, p)
	case *HandoffOffer:
		return s.checkOffer(e, p)
	case *HandoffContext:
		return s.checkContext(e, p)
	case *HandoffAccept:
		return s.checkAccept(e, p)
	case *HandoffDecline:
		return s.checkAnswer(e, p.HandoffID, "declined_by", p.DeclinedBy)
	case *Commitment:
		return s.checkCommitment(e, p, now)
	}
	return nil
}

// checkEnvelope implements rules 0, 2 and 21.
func (s *Session) checkEnvelope(e *Envelope) *Violation {
	t := s.transcript
	if e.Value.Kind() == jsonstream.Object {
		if v := checkVersion(e.Value, "macp_version", e.MACPVersion); v != nil {
			v.Follows = e.MACPVersion == t.ProtocolVersion
			return v
		}
	}
	if e.fault != nil {
		fault := *e.fault
		return &fault
	}
	if v := checkMode(e.Value, e.Mode); v != nil {
		v.Follows = e.Mode == t.Mode
		if s.start != nil {
			v.Reason = InvalidEnvelope // the session is bound to its mode
		}
		return v
	}
	if s.id != "" && e.SessionID != s.id && !t.Fixture {
		return violation(shape, InvalidEnvelope, "session_id to be the id of the session, "+finding.Quote(s.id), finding.Quote(e.SessionID),
			"keep each session in its own transcript").at(placeOf(e.Value, "session_id"))
	}
	return nil
}

// checkNovelty implements rules 1 and 3.
func (s *Session) checkNovelty(e *Envelope) *Violation {
	opens := e.MessageType == "SessionStart"
	switch first, twice := s.seen[e.MessageID]; {
	case s.start == nil && !opens:
		v := violation("macp/1", SessionAlreadyExists, "the first message of the session to be SessionStart", finding.Quote(e.MessageType),
			"start the session before anything else").at(placeOf(e.Value, "message_type"))
		v.Follows = s.rejectedFirst
		return v
	case twice:
		return violation("macp/3", DuplicateMessage, "a message_id that no earlier message has", finding.Quote(e.MessageID)+" of message "+strconv.Itoa(first),
			"remove the copy, or give the other message its own id").at(placeOf(e.Value, "message_id"))
	case s.start != nil && opens:
		return violation("macp/1", SessionAlreadyExists, "one SessionStart", "a second one",
			"remove it, or open a session with another session_id").at(placeOf(e.Value, "message_type"))
	}
	return nil
}

// checkOpen implements rules 4, 22 and 21.
func (s *Session) checkOpen(e *Envelope, now Instant) *Violation {
	if s.state == Resolved {
		return violation("macp/4", SessionNotOpen, "no message after the commitment that resolved the session", finding.Quote(e.MessageType),
			"remove it, or open another session").at(e.Value)
	}
	ttl := s.start.TTLMS
	if passed, known := since(s.startedAt, now); ttl > 0 && known && passed > uint64(ttl) {
		s.state = Expired
		return violation("macp/22", SessionNotOpen, "a message within the "+strconv.FormatInt(ttl, 10)+" ms of the session's ttl_ms",
			"one "+strconv.FormatUint(passed, 10)+" ms after its start by "+s.clockName(), "open another session").at(e.Value)
	}
	if s.state == Expired {
		return violation("macp/22", SessionNotOpen, "no message after the session expired", finding.Quote(e.MessageType),
			"open another session").at(e.Value)
	}
	if !isKnown(e.MessageType) {
		return violation("macp/21", InvalidEnvelope, "a message_type of the handoff mode", finding.Quote(e.MessageType),
			"use HandoffOffer, HandoffContext, HandoffAccept, HandoffDecline or Commitment").at(placeOf(e.Value, "message_type"))
	}
	return nil
}

// checkStart checks a SessionStart together with its sender.
func (s *Session) checkStart(e *Envelope, p *SessionStart) *Violation {
	payload := e.Value.Get("payload")
	if s.transcript.Fixture {
		payload = e.Value
	}
	if !slices.Contains(p.Participants, e.Sender) {
		return violation(shape, InvalidEnvelope, "the sender to be among the participants", finding.Quote(e.Sender),
			"add the sender to participants").at(placeOf(payload, "participants"))
	}
	if v := p.PolicyVersion; s.policy.ID != "" && v != "" && v != DefaultPolicy && v != s.policy.ID {
		return violation(shape, UnknownPolicyVersion, "policy_version to be the version of the given policy, "+finding.Quote(s.policy.ID), finding.Quote(v),
			"pass the policy of the session").at(placeOf(payload, "policy_version"))
	}
	return nil
}

// now returns the time of a message by the transcript's clock.
func (s *Session) now(e *Envelope) Instant {
	if !s.transcript.timed {
		return e.SentAt
	}
	if e.AcceptedAt.Known && (!s.clock.Known || e.AcceptedAt.UnixMS > s.clock.UnixMS) {
		return e.AcceptedAt
	}
	return s.clock
}

// own returns the time of a message, or an unknown time if now comes from an earlier
// message: a deadline measured from it could pass too early.
func (s *Session) own(e *Envelope, now Instant) Instant {
	if s.transcript.timed && !e.AcceptedAt.Known {
		return Instant{}
	}
	return now
}

func (s *Session) clockName() string {
	if s.transcript.timed {
		return "accepted_at_unix_ms"
	}
	return "the senders' timestamps"
}

// since returns the milliseconds between two times; 0 if from is after to.
func since(from, to Instant) (ms uint64, known bool) {
	if !from.Known || !to.Known {
		return 0, false
	}
	if to.UnixMS < from.UnixMS {
		return 0, true
	}
	return uint64(to.UnixMS) - uint64(from.UnixMS), true
}

// noteRejected records a rejected message, since later violations may follow from it.
func (s *Session) noteRejected(e *Envelope) {
	s.rejectedFirst = s.rejectedFirst || s.start == nil
	id, _ := member(e.Value.Get("payload"), "handoff_id")
	switch e.MessageType {
	case "HandoffOffer":
		s.rejectedOffers[id.Text()] = true
	case "HandoffAccept", "HandoffDecline":
		open, pending := s.Outstanding()
		s.rejectedAnswer = s.rejectedAnswer || pending && open.ID == id.Text()
	}
}

package macp

import (
	"iter"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Transcript is a session stored in a document. It is immutable and safe for concurrent
// use.
type Transcript struct {
	ProtocolVersion string
	Mode            string
	SessionID       string
	// Fixture is set for a conformance fixture. Its first message, the SessionStart, is
	// built from the fixture's own members and has the index -1.
	Fixture bool

	root, messages jsonstream.Value
	policy         *Policy // of a fixture; nil if it is missing or invalid
	timed          bool    // some message has accepted_at_unix_ms
}

// An Instant is a time that may be unknown.
type Instant struct {
	UnixMS int64 // milliseconds since the Unix epoch
	Known  bool
}

// An Envelope is a message of a transcript. Its texts may keep the document in memory.
type Envelope struct {
	Index       int // in the transcript, from 0
	MACPVersion string
	Mode        string
	MessageType string
	MessageID   string
	SessionID   string
	Sender      string
	Timestamp   string // as written; informational
	SentAt      Instant
	AcceptedAt  Instant
	Payload     Payload          // nil if the type is unknown or the payload does not match it
	Value       jsonstream.Value // the message in the document

	fault        *Violation // of the envelope
	payloadFault *Violation
}

// IsFixture reports whether a document is a conformance fixture rather than a transcript:
// one of its messages has the member expect.
func IsFixture(root jsonstream.Value) bool {
	for _, m := range root.Get("messages").Elements() {
		if m.Get("expect").Exists() {
			return true
		}
	}
	return false
}

// Read reads a transcript or a fixture. Violations of the transcript's own members have the
// index -1; [Session.Accept] returns the violations of a message. The transcript is never
// nil: for any other document it has no messages, and there is one violation.
func Read(doc *jsonstream.Document) (*Transcript, []Violation) {
	r := reader{of: doc.Root()}
	t := &Transcript{root: r.of, Fixture: IsFixture(r.of)}
	var faults []Violation
	report := func(v *Violation) {
		if v != nil {
			v.Index = -1
			faults = append(faults, *v)
		}
	}
	if r.of.Kind() != jsonstream.Object {
		r.fail(r.of, "a transcript, an object", finding.Literal(r.of), "write protocol_version, mode, session_id and messages")
		report(r.fault)
		return t, faults
	}
	version, _ := member(r.of, "protocol_version")
	mode := r.of.Get("mode")
	t.ProtocolVersion, t.Mode = version.Text(), mode.Text()
	if !t.Fixture {
		report(checkVersion(r.of, "protocol_version", t.ProtocolVersion))
		t.SessionID = r.name("session_id")
		report(r.fault)
	}
	report(checkMode(r.of, t.Mode))
	r.fault = nil
	t.messages = r.typed("messages", jsonstream.Array, true, "write the messages of the session as an array")
	report(r.fault)
	if policy := t.root.Get("policy"); t.Fixture && policy.Exists() {
		own := reader{of: policy}
		if t.policy = own.policy(); own.fault != nil {
			t.policy = nil
			report(own.fault)
		}
	}
	for _, m := range t.messages.Elements() {
		at, _ := member(m, "accepted_at_unix_ms")
		t.timed = t.timed || at.Exists()
	}
	return t, faults
}

// checkVersion implements rule 2.
func checkVersion(object jsonstream.Value, name, version string) *Violation {
	if version == Version {
		return nil
	}
	at, _ := member(object, name)
	return violation("macp/2", UnsupportedVersion, name+` to be "`+Version+`"`, finding.Literal(at),
		"write the version of the protocol").at(placeOf(object, name))
}

// checkMode implements the part of rule 21 about the mode.
func checkMode(object jsonstream.Value, mode string) *Violation {
	if mode == Mode {
		return nil
	}
	return violation("macp/21", ModeNotSupported, `mode to be "`+Mode+`"`, finding.Literal(object.Get("mode")),
		"sessions of other modes have other rules").at(placeOf(object, "mode"))
}

// Messages yields the messages in order.
func (t *Transcript) Messages() iter.Seq[*Envelope] {
	return func(yield func(*Envelope) bool) {
		if t.Fixture && !yield(t.opening()) {
			return
		}
		for i, v := range t.messages.Elements() {
			read := t.envelope
			if t.Fixture {
				read = t.scripted
			}
			e := read(v)
			e.Index = i
			if !yield(e) {
				return
			}
		}
	}
}

// Len returns the number of messages, not counting the SessionStart of a fixture.
func (t *Transcript) Len() int { return t.messages.Len() }

func (t *Transcript) envelope(v jsonstream.Value) *Envelope {
	e := &Envelope{Value: v}
	r := reader{of: v}
	if v.Kind() != jsonstream.Object {
		r.fail(v, "a message, an object", finding.Literal(v), "write macp_version, mode, message_type, message_id, session_id, sender and payload")
		e.fault = r.fault
		return e
	}
	version, _ := member(v, "macp_version")
	e.MACPVersion, e.Mode = version.Text(), v.Get("mode").Text()
	e.MessageType = r.name("message_type")
	e.MessageID = r.name("message_id")
	e.SessionID = r.name("session_id")
	e.Sender = r.name("sender")
	t.timesAndPayload(e, &r)
	return e
}

// timesAndPayload reads the members common to messages of transcripts and fixtures.
func (t *Transcript) timesAndPayload(e *Envelope, r *reader) {
	e.Timestamp, e.SentAt = r.sent()
	e.AcceptedAt = r.instant("accepted_at_unix_ms")
	payload := reader{of: r.typed("payload", jsonstream.Object, true, "write the payload as an object"), loose: t.Fixture}
	e.fault = r.fault
	if e.fault != nil {
		return
	}
	p := payload.payload(e.MessageType)
	e.payloadFault = payload.fault
	if e.payloadFault == nil {
		e.Payload = p
	}
}

// opening returns the SessionStart of a fixture.
func (t *Transcript) opening() *Envelope {
	r := reader{of: t.root, loose: true}
	e := &Envelope{Index: -1, MACPVersion: Version, Mode: t.Mode, MessageType: "SessionStart", Value: t.root}
	e.Sender = r.name("initiator")
	p := r.payload(e.MessageType)
	e.payloadFault = r.fault
	if r.fault == nil {
		e.Payload = p
	}
	return e
}

// scripted returns a message of a fixture. Missing members get defaults.
func (t *Transcript) scripted(v jsonstream.Value) *Envelope {
	e := &Envelope{MACPVersion: Version, Mode: t.Mode, Value: v}
	r := reader{of: v, loose: true}
	if v.Kind() != jsonstream.Object {
		r.fail(v, "a message, an object", finding.Literal(v), "write sender, message_type, payload and expect")
		e.fault = r.fault
		return e
	}
	e.MessageType = r.name("message_type")
	e.MessageID = r.text("message_id")
	e.Sender = r.name("sender")
	t.timesAndPayload(e, &r)
	return e
}

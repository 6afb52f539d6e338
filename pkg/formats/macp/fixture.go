package macp

import (
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// CheckFixture replays a conformance fixture and returns the unmet expectations. A violation
// has the Reason and Rule of the rejection, or INVALID_ENVELOPE and macp/expectation if the
// message was accepted or the session ends differently. The policy of the fixture takes
// precedence over the options. A fixture may expect a duplicate message to be accepted or
// rejected, because runtimes acknowledge it without effect.
func CheckFixture(doc *jsonstream.Document, o Options) []Violation {
	found := checkFixture(doc, o)
	for i := range found {
		if found[i].Rule == shape { // an invalid expectation
			found[i].Rule = expectation
		}
	}
	return found
}

func checkFixture(doc *jsonstream.Document, o Options) []Violation {
	t, found := Read(doc)
	if len(found) > 0 {
		return found
	}
	s := NewSession(t, o)
	f := fixture{session: s, contexts: map[string][]sentContext{}}
	for e := range t.Messages() {
		v := f.play(e)
		if v == nil {
			continue
		}
		found = append(found, *v)
		if e.Index < 0 {
			return found // no expectation applies without a session
		}
	}
	return append(found, f.outcome(t.root)...)
}

// A fixture is the replay of a conformance fixture.
type fixture struct {
	session  *Session
	contexts map[string][]sentContext // by handoff_id
}

// A sentContext is an accepted HandoffContext.
type sentContext struct {
	*HandoffContext
	sender string
}

// play replays a message and compares the result with its expectation.
func (f *fixture) play(e *Envelope) *Violation {
	if e.fault == nil && e.Index >= 0 {
		if v := checkPayloadType(e); v != nil {
			e.payloadFault = v
			e.Payload = nil
		}
	}
	got := f.session.Accept(e)
	if c, ok := e.Payload.(*HandoffContext); ok && got == nil {
		f.contexts[c.HandoffID] = append(f.contexts[c.HandoffID], sentContext{c, e.Sender})
	}
	if e.Index < 0 {
		return got // the fixture's own members must start a session
	}
	mismatch := func(name, expected, found string) *Violation {
		v := violation(expectation, InvalidEnvelope, expected, found, "correct the fixture, or the implementation that it was recorded from").at(placeOf(e.Value, name))
		v.Index, v.MessageID = e.Index, e.MessageID
		if got != nil {
			v.Rule, v.Reason = got.Rule, got.Reason
		}
		return v
	}
	expect, code := e.Value.Get("expect"), e.Value.Get("expected_error_code")
	switch want := expect.Text(); {
	case want != "accept" && want != "reject":
		return mismatch("expect", `expect to be "accept" or "reject"`, finding.Literal(expect))
	case want == "accept" && code.Exists() && code.Kind() != jsonstream.Null:
		return mismatch("expected_error_code", `no expected_error_code with expect "accept"`, finding.Literal(code))
	case want == "accept" && got != nil && got.Rule != "macp/3":
		return mismatch("expect", "the message to be accepted", rejection(got)+": expected "+got.Expected+", found "+got.Found)
	case want == "reject" && got == nil:
		return mismatch("expect", "the message to be rejected", "one that no rule forbids")
	case want == "reject" && code.Exists() && code.Text() != string(got.Reason):
		return mismatch("expected_error_code", "the code "+finding.Literal(code), rejection(got))
	}
	return nil
}

// rejection describes the rule that rejected a message.
func rejection(v *Violation) string {
	if v.Rule == shape {
		return "one rejected with " + string(v.Reason)
	}
	return fmt.Sprintf("one rejected by %s with %s", v.Rule, v.Reason)
}

// checkPayloadType compares payload_type, which fixtures spell in two ways, with
// message_type.
func checkPayloadType(e *Envelope) *Violation {
	v, _ := member(e.Value, "payload_type")
	if !v.Exists() || !isKnown(e.MessageType) {
		return nil
	}
	short, full := "handoff."+e.MessageType, "macp.modes.handoff.v1."+e.MessageType+"Payload"
	if !strings.HasPrefix(e.MessageType, "Handoff") {
		short, full = e.MessageType, "macp.v1."+e.MessageType+"Payload"
	}
	if v.Text() == short || v.Text() == full {
		return nil
	}
	return violation(shape, InvalidEnvelope, "payload_type to be "+short+" or "+full, finding.Literal(v), "name the payload of the message_type").at(v)
}

// outcome compares the end of the session with the expectations.
func (f *fixture) outcome(root jsonstream.Value) []Violation {
	x := outcomes{}
	s := f.session
	if want := root.Get("expected_final_state"); want.Exists() {
		x.value(want, fact{text: string(s.state)})
	}
	if want := root.Get("expect_resolution_present"); want.Exists() {
		x.value(want, boolean(s.commitment != nil))
	}
	if want := root.Get("expected_resolution"); want.Exists() && want.Kind() != jsonstream.Null {
		if s.commitment == nil {
			x.differs(want, "a commitment", "none")
		} else {
			x.members(want, s.commitment.facts())
		}
	}
	if want := root.Get("expected_mode_state"); want.Exists() {
		f.modeState(&x, want)
	}
	return x.found
}

// modeState compares the offers, the contexts and the phase.
func (f *fixture) modeState(x *outcomes, state jsonstream.Value) {
	for name, want := range x.each(state) {
		switch name {
		case "offers":
			f.offers(x, want)
		case "contexts":
			f.sentContexts(x, want)
		case "phase":
			if phase, sdk := f.session.phases(); want.Text() != string(phase) {
				x.value(want, fact{text: string(sdk)})
			}
		default:
			x.differs(want, "a member of the mode's state: offers, contexts or phase", finding.Quote(name))
		}
	}
}

func (f *fixture) offers(x *outcomes, offers jsonstream.Value) {
	for id, want := range x.each(offers) {
		i, ok := f.session.byID[id]
		if !ok {
			x.differs(want, "an offer "+finding.Quote(id), "none")
			continue
		}
		x.members(want, f.session.handoffs[i].facts())
	}
}

func (f *fixture) sentContexts(x *outcomes, contexts jsonstream.Value) {
	for id, want := range x.each(contexts) {
		sent := f.contexts[id]
		if want.Kind() != jsonstream.Array || want.Len() != len(sent) {
			x.differs(want, shownLen(want), fmt.Sprintf("%d of %s", len(sent), finding.Quote(id)))
			continue
		}
		for i, each := range want.Elements() {
			x.members(each, sent[i].facts())
		}
	}
}

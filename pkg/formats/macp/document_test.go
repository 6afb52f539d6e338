package macp

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/finding"
)

// camelCased returns a text with its member names as the TypeScript SDK writes them.
func camelCased(text string) string {
	return regexp.MustCompile(`"[a-z]+(_[a-z]+)+":`).ReplaceAllStringFunc(text, camel)
}

// The examples of the handoff mode's page of the SDK, in both spellings.
var (
	sdkOffer = Step{Sender: alice, Payload: &HandoffOffer{HandoffID: "h1", TargetParticipant: bob,
		Scope: "frontend-ownership", Reason: "moving to backend team"}}
	sdkContext = Step{Sender: alice, Payload: &HandoffContext{HandoffID: "h1", ContentType: "application/json",
		Context: []byte(`{"repository":"acme/web-app","documentation":"https://wiki.acme.com/frontend","contacts":["design-team@acme.com"],"openIssues":12}`)}}
	sdkAccept  = Step{Sender: bob, Payload: &HandoffAccept{HandoffID: "h1", AcceptedBy: bob, Reason: "ready to take ownership"}}
	sdkDecline = Step{Sender: bob, Payload: &HandoffDecline{HandoffID: "h1", DeclinedBy: bob, Reason: "no bandwidth this quarter"}}
)

// TestSDKLifecycle checks the results of the query helpers at each step of a session: SessionStart →
// HandoffOffer → HandoffContext? → HandoffAccept/HandoffDecline → Commitment.
func TestSDKLifecycle(t *testing.T) {
	type state struct {
		Phase       Phase
		SDK         SDKPhase
		Status      Status
		Pending     []string
		Responsible string
		State       State
	}
	tests := []struct {
		name  string
		steps []Step
		want  state
	}{
		{name: "started", steps: []Step{start},
			want: state{PhaseOffering, SDKPending, "", []string{}, alice, Open}},
		{name: "offered", steps: []Step{start, sdkOffer},
			want: state{PhaseOffering, SDKOfferPending, Offered, []string{"h1"}, alice, Open}},
		{name: "context sent", steps: []Step{start, sdkOffer, sdkContext},
			want: state{PhaseContextSharing, SDKContextSharing, ContextSent, []string{"h1"}, alice, Open}},
		{name: "accepted", steps: []Step{start, sdkOffer, sdkContext, sdkAccept},
			want: state{PhaseResolved, SDKAccepted, Accepted, []string{}, bob, Open}},
		{name: "accepted without context", steps: []Step{start, sdkOffer, sdkAccept},
			want: state{PhaseResolved, SDKAccepted, Accepted, []string{}, bob, Open}},
		{name: "declined", steps: []Step{start, sdkOffer, sdkContext, sdkDecline},
			want: state{PhaseResolved, SDKDeclined, Declined, []string{}, alice, Open}},
		{name: "late context changes no status", steps: []Step{start, sdkOffer, sdkAccept, sdkContext},
			want: state{PhaseResolved, SDKAccepted, Accepted, []string{}, bob, Open}},
		{name: "declined, then offered to another", steps: []Step{start, sdkOffer, sdkDecline, offers("h2", alice, carol)},
			want: state{PhaseOffering, SDKOfferPending, Declined, []string{"h2"}, alice, Open}},
		{name: "committed", steps: []Step{start, sdkOffer, sdkContext, sdkAccept, commit},
			want: state{PhaseCommitted, SDKCommitted, Accepted, []string{}, bob, Resolved}},
		{name: "committed to a decline", steps: []Step{start, sdkOffer, sdkDecline, failure},
			want: state{PhaseCommitted, SDKCommitted, Declined, []string{}, alice, Resolved}},
		{name: "accepted, and committed as failed", steps: []Step{start, sdkOffer, sdkAccept, failure},
			want: state{PhaseCommitted, SDKCommitted, Accepted, []string{}, alice, Resolved}},
	}
	for _, tt := range tests {
		for spelling, text := range map[string]string{"snake_case": example(tt.steps...), "camelCase": camelCased(example(tt.steps...))} {
			t.Run(tt.name+" in "+spelling, func(t *testing.T) {
				doc := parse(t, text)
				if found := Check(doc, Options{}); found != nil {
					t.Fatal(listed(found))
				}
				transcript, _ := Read(doc)
				p := Project(transcript, Options{})
				h, _ := p.Handoff("h1")
				got := state{p.Phase, p.SDKPhase, h.Status, p.Pending, p.Responsible, p.State}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// TestSDKValidationRules checks the five validation rules of the SDK's page.
func TestSDKValidationRules(t *testing.T) {
	tests := []struct {
		name  string
		steps []Step
		want  []string
	}{
		{name: "1: every handoff_id identifies one specific offer", steps: []Step{start, sdkOffer, sdkDecline, sdkOffer},
			want: []string{"3: 8 INVALID_ENVELOPE"}},
		{name: "2: context, accept and decline reference an existing handoff_id", steps: []Step{start, sdkContext, sdkAccept, sdkDecline},
			want: []string{"1: 11 INVALID_ENVELOPE", "2: 11 INVALID_ENVELOPE", "3: 11 INVALID_ENVELOPE"}},
		{name: "3: accept and decline come from the target_participant", steps: []Step{start, sdkOffer, accepts("h1", alice, alice), declines("h1", carol)},
			want: []string{"2: 13 FORBIDDEN", "3: 13 FORBIDDEN"}},
		{name: "4: only one final accept per handoff_id", steps: []Step{start, sdkOffer, sdkAccept, sdkAccept},
			want: []string{"3: 15 INVALID_ENVELOPE"}},
		{name: "5: several serial offers", steps: []Step{start, sdkOffer, sdkDecline, offers("h2", alice, carol), declines("h2", carol), offers("h3", alice, bob), accepts("h3", bob, ""), commit}},
		{name: "5: one final commitment", steps: []Step{start, sdkOffer, sdkAccept, commit, commit},
			want: []string{"4: 4 SESSION_NOT_OPEN"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, listed(Check(parse(t, example(tt.steps...)), Options{}))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestProjection compares the whole projection as JSON.
func TestProjection(t *testing.T) {
	text := example(after(0, start), after(10, sdkOffer), after(20, sdkContext), after(30, accepts("h1", carol, "")), after(40, offers("h1", mallory, bob)), after(9000, commit))
	transcript, faults := Read(parse(t, text))
	if faults != nil {
		t.Fatal(faults)
	}
	p := Project(transcript, Options{Policy: &Policy{ImplicitAcceptMS: 5000}})
	for i := range p.TimeLine {
		if v := p.TimeLine[i].Violation; v != nil {
			p.TimeLine[i].Violation = &Violation{Finding: finding.Finding{Rule: v.Rule, Reason: v.Reason}, Index: v.Index, MessageID: v.MessageID}
		}
	}
	got, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "session_id": "s-1",
  "mode": "macp.mode.handoff.v1",
  "state": "Resolved",
  "phase": "Committed",
  "sdk_phase": "Committed",
  "intent": "hand over the frontend",
  "initiator": "agent://alice",
  "participants": [
    "agent://alice",
    "agent://bob",
    "agent://carol"
  ],
  "mode_version": "1.0.0",
  "configuration_version": "config-1",
  "policy_version": "policy.default",
  "ttl_ms": 60000,
  "responsible": "agent://bob",
  "handoffs": [
    {
      "handoff_id": "h1",
      "status": "accepted",
      "target_participant": "agent://bob",
      "offered_by": "agent://alice",
      "scope": "frontend-ownership",
      "reason": "moving to backend team",
      "contexts": 1,
      "answered_by": "agent://bob",
      "implicit": true,
      "offer_index": 1
    }
  ],
  "pending": [],
  "commitment": {
    "commitment_id": "c-1",
    "sender": "agent://alice",
    "action": "handoff.accepted",
    "authority_scope": "frontend-ownership",
    "reason": "bob took over",
    "outcome_positive": true
  },
  "time_line": [
    {
      "index": 0,
      "message_id": "m-1",
      "time": "2026-03-14T09:20:10Z",
      "message_type": "SessionStart",
      "sender": "agent://alice",
      "what": "opens the session for 3 participants and 60000 ms"
    },
    {
      "index": 1,
      "message_id": "m-2",
      "time": "2026-03-14T09:20:10.01Z",
      "message_type": "HandoffOffer",
      "sender": "agent://alice",
      "handoff_id": "h1",
      "what": "offers \"h1\" to \"agent://bob\""
    },
    {
      "index": 2,
      "message_id": "m-3",
      "time": "2026-03-14T09:20:10.02Z",
      "message_type": "HandoffContext",
      "sender": "agent://alice",
      "handoff_id": "h1",
      "what": "gives context to \"h1\": 130 bytes of \"application/json\""
    },
    {
      "index": 3,
      "message_id": "m-4",
      "time": "2026-03-14T09:20:10.03Z",
      "message_type": "HandoffAccept",
      "sender": "agent://carol",
      "handoff_id": "h1",
      "what": "rejected: expected an answer from the target of the offer, \"agent://bob\", found \"agent://carol\"; have the target answer",
      "violation": {
        "index": 3,
        "message_id": "m-4",
        "rule": "macp/13",
        "code": "FORBIDDEN",
        "expected": "",
        "found": "",
        "remedy": "",
        "pointer": ""
      }
    },
    {
      "index": 4,
      "message_id": "m-5",
      "time": "2026-03-14T09:20:10.04Z",
      "message_type": "HandoffOffer",
      "sender": "agent://mallory",
      "handoff_id": "h1",
      "what": "rejected: expected the initiator, \"agent://alice\", as the sender of an offer, found \"agent://mallory\"; have the right participant send it",
      "violation": {
        "index": 4,
        "message_id": "m-5",
        "rule": "macp/5",
        "code": "FORBIDDEN",
        "expected": "",
        "found": "",
        "remedy": "",
        "pointer": ""
      }
    },
    {
      "index": 5,
      "message_id": "m-6",
      "time": "2026-03-14T09:20:19Z",
      "message_type": "Commitment",
      "sender": "agent://alice",
      "what": "commits \"handoff.accepted\", positive; \"h1\" counts as accepted by \"agent://bob\", which did not answer in time"
    }
  ]
}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestProjectionOfNoSession(t *testing.T) {
	for _, text := range []string{`[]`, `{}`, `{"messages":7}`, example(offer), example()} {
		transcript, _ := Read(parse(t, text))
		p := Project(transcript, Options{})
		if p.Responsible != "" || p.State != Open || p.Phase != PhaseOffering || p.Handoffs == nil || p.Participants == nil || p.PolicyVersion != "" {
			t.Errorf("%s: %+v", text, p)
		}
	}
}

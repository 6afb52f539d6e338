package macp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func TestContentType(t *testing.T) {
	for data, want := range map[string]string{`{"a":1}`: "application/json", "# notes": "text/plain", "\xff\x00": "application/octet-stream"} {
		if got := macp.ContentType([]byte(data), jsonstream.Limits{}); got != want {
			t.Errorf("%q is %s, want %s", data, got, want)
		}
	}
}

// TestCompleteWithoutOffers checks that the first id is free in a session without offers, and that the
// initiator is the target of an unknown handoff.
func TestCompleteWithoutOffers(t *testing.T) {
	s := macp.NewSession(&macp.Transcript{}, macp.Options{})
	o := macp.HandoffOffer{Scope: "all"}
	if targets := s.CompleteOffer(&o); targets != nil || o.HandoffID != "h1" || o.TargetParticipant != "" {
		t.Errorf("offer: %+v, %q", o, targets)
	}
	if h := s.Addressed("h7"); h.ID != "h7" || h.Target != s.Initiator() {
		t.Errorf("addressed: %+v", h)
	}
	c := macp.Commitment{Reason: "done", Action: "handoff.cancelled"}
	if s.Complete(&c); c.Reason != "done" || c.Action != "handoff.cancelled" {
		t.Errorf("the given values were changed: %+v", c)
	}
}

func TestCompleteOffer(t *testing.T) {
	for _, tt := range []struct {
		participants string
		given        macp.HandoffOffer
		want         macp.HandoffOffer
		targets      []string
	}{
		{participants: "a,b", want: macp.HandoffOffer{HandoffID: "h1", TargetParticipant: "b"}},
		{participants: "a,b,c", want: macp.HandoffOffer{HandoffID: "h1"}, targets: []string{"b", "c"}},
		{participants: "a,b,c", given: macp.HandoffOffer{HandoffID: "x", TargetParticipant: "c"}, want: macp.HandoffOffer{HandoffID: "x", TargetParticipant: "c"}},
	} {
		text, err := macp.Start("s", macp.Step{MessageID: "m", Sender: "a", Timestamp: "2026-01-31T12:00:00Z", Payload: &macp.SessionStart{
			Participants: strings.Split(tt.participants, ","),
			ModeVersion:  "1.0.0", ConfigurationVersion: "c", PolicyVersion: macp.DefaultPolicy, TTLMS: 1000,
		}}, macp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		read, _ := macp.Read(doc)
		s, last := macp.Replay(read, macp.Options{})
		if last != nil {
			t.Fatal(last)
		}
		got := tt.given
		if targets := s.CompleteOffer(&got); got != tt.want || !slices.Equal(targets, tt.targets) {
			t.Errorf("%s: got %+v and %q", tt.participants, got, targets)
		}
	}
}

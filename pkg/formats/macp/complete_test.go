package macp_test

import (
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

// A session without offers has the first id free, and what is not there is addressed to the
// initiator.
func TestCompleteWithoutOffers(t *testing.T) {
	s := macp.NewSession(&macp.Transcript{}, macp.Options{})
	if id := s.FreeHandoffID(); id != "h1" {
		t.Errorf("the free id is %q", id)
	}
	if h := s.Addressed("h7"); h.ID != "h7" || h.Target != s.Initiator() {
		t.Errorf("addressed: %+v", h)
	}
	c := macp.Commitment{Reason: "done", Action: "handoff.cancelled"}
	if s.Complete(&c); c.Reason != "done" || c.Action != "handoff.cancelled" {
		t.Errorf("what was given is changed: %+v", c)
	}
}

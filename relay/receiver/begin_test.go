package receiver_test

import (
	"path/filepath"
	"testing"

	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
)

// TestBegin checks that an agent begins only with a stream whose message may be accepted, and that its
// beginning is neither an acceptance nor a failure, and has no effect after the death of its receiver.
func TestBegin(t *testing.T) {
	message := example(t, "6e7f936b")
	id := "6e7f936b-cafd-4624-8754-0bafc4e8acb3"
	path := filepath.Join(t.TempDir(), "audit.db")
	l := born(t, path, receiver.Options{EscalateAfter: 2})
	begins := func(want bool) {
		t.Helper()
		d, err := l.ExamineStreamed(receiver.Streamed{Raw: message, Result: validate.Result{Valid: true}})
		if err != nil {
			t.Fatal(err)
		}
		d.Transport = "memory"
		s, begun, err := l.Begin(t.Context(), d)
		if err != nil || begun != want {
			t.Fatalf("begun: %t, want %t; error %v", begun, want, err)
		}
		if begun && (s.HandoffID != id || s.Receiver == "" || s.Attempt != 1 || s.Transport != "memory" || s.MessageBytes != int64(len(message)) || s.FrameDigest == (audit.Hash{})) {
			t.Errorf("the record is %+v", s)
		}
	}
	begins(true)
	begins(true) // again, after the end of its agent
	if a, found, err := l.Lookup(t.Context(), id); found || err != nil {
		t.Errorf("told %+v, %v", a, err)
	}
	l.die(t)
	l = born(t, path, receiver.Options{EscalateAfter: 2})
	if left := l.left(t); len(left) > 0 {
		t.Errorf("left: %+v", left)
	}
	if a := l.bring(t, message); a.Status != receiver.Accepted || a.Resumed || a.Attempt != 1 {
		t.Errorf("answered %+v", a)
	}
	begins(false) // it was accepted
	other := born(t, path, receiver.Options{})
	if _, err := other.Revoke(t.Context(), receiver.Revocation{HandoffID: "7e7f936b-cafd-4624-8754-0bafc4e8acb3"}); err != nil {
		t.Fatal(err)
	}
	message = example(t, "7e7f936b")
	begins(false) // it was revoked
	l.recorded(t, audit.Begun, audit.Begun, audit.Accepted, audit.Revoked)
}

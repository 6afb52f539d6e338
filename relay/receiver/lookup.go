package receiver

import (
	"context"
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
)

// Lookup returns the current answer to a message, for this receiver's copy ([Options].As): ACCEPTED,
// COMPLETED, or REJECTED, which includes failures of the agent. found is false if the message was neither
// received nor revoked.
func (r *Receiver) Lookup(ctx context.Context, handoffID string) (a Answer, found bool, err error) {
	if handoffID == "" {
		return a, false, nil
	}
	err = r.log.Store().View(ctx, func(v audit.Reader) error {
		state, err := r.lookUp(v, audit.Copy{HandoffID: handoffID, Receiver: r.options.As})
		a, found = state.Answer, state.Status != ""
		return err
	})
	return a, found, err
}

// A state is the current state of a copy of a message.
type state struct {
	Answer
	stands bool // accepted, and not rolled back
}

// lookUp returns the state of a copy, or if its receiver has no name, of all receivers' copies. Status is
// empty if it was never received.
func (r *Receiver) lookUp(v audit.Reader, c audit.Copy) (s state, err error) {
	list, err := audit.List(v, audit.Filter{Handoffs: []string{c.HandoffID}, Events: []audit.Event{
		audit.Accepted, audit.Rejected, audit.Completed, audit.ExecutionFailed, audit.RolledBack, audit.Escalated, audit.Revoked,
	}})
	if err != nil {
		return s, err
	}
	var revocations []audit.Stored
	sender := "" // of the accepted message: other messages may have any sender
	isRevoked := func() bool {
		return slices.ContainsFunc(revocations, func(s audit.Stored) bool { return r.counts(&s, sender) })
	}
	for _, record := range list {
		ofAll := record.Receiver == "" && (record.Event == audit.RolledBack || record.Event == audit.Revoked)
		if c.Receiver != "" && record.Receiver != c.Receiver && !ofAll {
			continue
		}
		switch record.Event {
		case audit.Accepted:
			s, sender = state{answerTo(record, Accepted), true}, record.Sender
		case audit.Completed:
			s.Answer = answerTo(record, Completed)
		case audit.Escalated:
			s.Escalated = true
		case audit.Rejected:
			if !s.stands { // otherwise it was another message
				s.Answer = answerTo(record, Rejected)
				s.Retryable = retryable(s.Reason)
			}
		case audit.ExecutionFailed:
			s.Answer = answerTo(record, Accepted) // a late failure is not the sender's concern
			s.Reason, s.Details = "", record.Details.Explanation
		case audit.RolledBack:
			if isForced(&record) {
				break
			}
			s.stands = false
			if s.Record.Event == audit.ExecutionFailed {
				s.Status, s.Reason, s.Retryable = Rejected, ExecutionFailed, !isRevoked()
			} else if isRevoked() {
				s.revoke(record)
			}
		case audit.Revoked:
			if revocations = append(revocations, record); !s.stands && r.counts(&record, sender) {
				s.revoke(record)
			}
		}
	}
	if s.Record.Event == audit.Rejected {
		s.Details = r.detailsOf(s.Record)
	}
	return s, nil
}

// revoke sets the state of a message that was revoked before an agent had it.
func (s *state) revoke(record audit.Stored) {
	s.Answer = answerTo(record, Rejected)
	s.Reason, s.Details = Revoked, "it was revoked before it was handed over"
}

// detailsOf returns the details of a rejection, as in its answer.
func (r *Receiver) detailsOf(rejected audit.Stored) string {
	list := make([]finding.Finding, len(rejected.Details.Findings))
	for i, f := range rejected.Details.Findings {
		list[i] = finding.Finding{Rule: f.Rule, Severity: f.Severity, Pointer: f.Pointer, Message: f.Message}
	}
	return told(list, r.Withholds() || rejected.Details.PayloadDigest != nil)
}

package deliver

import (
	"bytes"
	"fmt"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// An AnswerCheck is the result of checking the signature of an answer.
type AnswerCheck string

// The results of checking an answer. Anybody with write access to the queue can write an answer that is not
// [AnswerVerified].
const (
	AnswerVerified  AnswerCheck = "VERIFIED"   // signed by a key that may sign for the receiver
	AnswerUnsigned  AnswerCheck = "NOT_SIGNED" // not signed
	AnswerUnchecked AnswerCheck = "NO_KEY"     // signed, but this sender has no key of the receiver
)

// clockSkew is the maximum difference between the clocks of a sender and a receiver.
const clockSkew = 5 * time.Minute

// readAnswer parses a received answer.
func readAnswer(text []byte) (*receiver.Answer, error) {
	if len(text) > receiver.MaxAnswer {
		return nil, fmt.Errorf("the answer has %d bytes, more than the limit of %d", len(text), receiver.MaxAnswer)
	}
	return receiver.ReadAnswer(text)
}

// check returns the result of checking an answer, recorded at some time, and the ID of its key, or the reason
// why the answer is refused.
func (s *Sender) check(h *Handoff, a *receiver.Answer, m transport.Message, at time.Time) (c AnswerCheck, key, why string) {
	if why := s.contradiction(h, a, m, at); why != "" {
		return "", "", why
	}
	if s.options.Verifier == nil || !s.options.Verifier.HasKeyOf(h.Receiver) {
		if receiver.IsSigned(m.Body) {
			return AnswerUnchecked, "", ""
		}
		return AnswerUnsigned, "", ""
	}
	k, err := receiver.VerifyAnswer(m.Body, s.options.Verifier, h.Receiver, s.options.Now())
	if err != nil {
		return "", "", "it is not signed by a key that may answer for " + finding.Quote(h.Receiver) + ": " + err.Error()
	}
	if h.Receivers > 1 && a.Receiver != h.Receiver { // another receiver may have the same key
		return "", "", "it is from " + finding.Quote(a.Receiver) + ", but the message went to " + finding.Quote(h.Receiver)
	}
	return AnswerVerified, k.ID, ""
}

// contradiction describes how an answer contradicts the message that was sent or the time of sending; "" if
// it does not.
func (s *Sender) contradiction(h *Handoff, a *receiver.Answer, m transport.Message, at time.Time) string {
	now := s.options.Now()
	switch a.Status {
	case receiver.Accepted, receiver.Rejected, receiver.Duplicate, receiver.Completed:
	default:
		return "it has the unknown status " + finding.Quote(string(a.Status))
	}
	switch {
	case h.neverPublished():
		return "the message was not sent yet"
	case a.RecordHash == audit.Hash{}:
		return "it names no record: its recordHash is zero"
	case at.IsZero():
		return "its time is not valid: " + finding.Quote(a.RecordedAt)
	case at.After(now.Add(clockSkew)):
		return fmt.Sprintf("it was recorded at %s, after the present time, %s", audit.FormatTime(at), audit.FormatTime(now))
	case at.Before(h.Queued.Add(-clockSkew)):
		return fmt.Sprintf("it was recorded at %s, before the message was sent at %s", audit.FormatTime(at), audit.FormatTime(h.Queued))
	case m.Attempt > h.Attempt:
		return fmt.Sprintf("it answers attempt %d, but the last one was %d", m.Attempt, h.Attempt)
	case a.Attempt < 0:
		return fmt.Sprintf("its number of attempts is negative: %d", a.Attempt)
	case m.Key != "" && m.Key != key(h.HandoffID):
		return "it answers another message: its key is " + finding.Quote(m.Key)
	case a.TaskID != "" && a.TaskID != h.TaskID && a.TaskID != key(h.TaskID) && len(h.TaskID) <= receiver.MaxName:
		return "it is about another task: " + finding.Quote(a.TaskID)
	case a.MessageDigest != audit.Hash{} && !h.InChunks() && !bytes.Equal(a.MessageDigest[:], h.digest):
		return "it answers a different message from the one sent: the digests differ"
	}
	return ""
}

// neverPublished reports whether the message certainly never reached a transport.
func (h *Handoff) neverPublished() bool {
	return (h.State == Waiting || h.State == Stopped) && h.claimed == "" && !h.uncertain && h.Dispatched.IsZero() && h.Published == 0 && h.Tries == 0
}

// maxRefusal is the maximum length of a stored refusal, in bytes.
const maxRefusal = 500

// refuse notes that an answer is refused, and reports whether the handoff must be saved.
func (s *Sender) refuse(h *Handoff, why string) bool {
	why = clipped(why, maxRefusal)
	h.Refused++
	if why != h.Refusal && s.options.Refused != nil {
		s.options.Refused(h, why)
	}
	h.Refusal = why
	return true
}

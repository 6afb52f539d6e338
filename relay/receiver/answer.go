package receiver

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
)

// A Status is what a sender is told.
type Status string

// The statuses.
const (
	Accepted  Status = "ACCEPTED"
	Rejected  Status = "REJECTED"
	Duplicate Status = "DUPLICATE"
	Completed Status = "COMPLETED" // the agent that got the message has ended well
)

// HandoffIDReused is the reason of a message that has the id of another one that was
// accepted.
const HandoffIDReused finding.Reason = "HANDOFF_ID_REUSED"

// Revoked is the reason of a message that its sender has taken back. It may not be sent again,
// and nobody has to look.
const Revoked finding.Reason = "REVOKED"

// retryable reports whether a sender that was rejected for a reason may try again
// (EAAPL-MAG006, section 6.1): it may have a bug. What is not safe is for people.
func retryable(r finding.Reason) bool {
	return r == validate.SchemaInvalid || r == validate.IncompleteContext
}

// forPeople reports whether a message that is rejected for a reason goes to the dead letters.
func forPeople(r finding.Reason) bool {
	return r == validate.SafetyViolation || r == validate.SignatureInvalid || r == HandoffIDReused
}

// An Answer is what a sender is told of its message. Its JSON always has all members but
// resumed and escalated.
type Answer struct {
	HandoffID  string         `json:"handoffId"` // "" if the message has none
	TaskID     string         `json:"taskId"`
	Receiver   string         `json:"receiver"` // whose answer it is: its agentType, or the message's; "" if it has none
	Status     Status         `json:"status"`
	Reason     finding.Reason `json:"reason"`    // "" unless rejected
	Details    string         `json:"details"`   // the errors, as one line
	Retryable  bool           `json:"retryable"` // the sender may try again with a corrected message
	Attempt    int            `json:"attempt"`   // from 1
	RecordHash audit.Hash     `json:"recordHash"`
	RecordedAt string         `json:"recordedAt"` // RFC 3339, as in the record
	// Resumed: accepted before, by a process that died before it had handed it over.
	Resumed bool `json:"resumed,omitzero"`
	// Escalated: it has failed so often that a person has to look.
	Escalated bool `json:"escalated,omitzero"`

	// MessageDigest is that of the message that is answered; zero if it is not known, or would say
	// something of personal data. A signed answer has it ([Receiver.AppendAnswer]).
	MessageDigest audit.Hash `json:"-"`

	// Record is the record that was made.
	Record audit.Stored `json:"-"`
	// Alerts are records that people have to hear of: what waits for them or was rolled back
	// (section 6.3), and an acceptance that took longer than its transport may (section 6.5).
	Alerts []audit.Stored `json:"-"`
}

// ForPeople reports whether the message is a dead letter: it waits for a person, and is not to be
// tried again.
func (a Answer) ForPeople() bool { return a.Status == Rejected && forPeople(a.Reason) }

// Letter returns the number of the record by which people find the message, if it is a dead letter.
func (a Answer) Letter() int64 {
	for _, s := range a.Alerts {
		if s.Event == audit.DeadLettered {
			return s.Sequence
		}
	}
	return a.Record.Sequence
}

// AppendJSON appends the answer as one line of JSON, without its end.
func (a Answer) AppendJSON(dst []byte) ([]byte, error) {
	text, err := json.Marshal(a, jsontext.AllowInvalidUTF8(true))
	return append(dst, text...), err
}

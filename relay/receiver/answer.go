package receiver

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
)

// A Status is the status of a message in an answer.
type Status string

// The statuses.
const (
	Accepted  Status = "ACCEPTED"
	Rejected  Status = "REJECTED"
	Duplicate Status = "DUPLICATE"
	Completed Status = "COMPLETED" // the message's agent has ended successfully
)

// HandoffIDReused is the reason for rejecting a message with the id of another, accepted message.
const HandoffIDReused finding.Reason = "HANDOFF_ID_REUSED"

// Revoked is the reason for rejecting a message that its sender has revoked. It may not be sent again, and
// needs no person.
const Revoked finding.Reason = "REVOKED"

// retryable reports whether a sender may try again after a rejection for a reason (EAAPL-MAG006, section
// 6.1), since the cause may be a bug. Unsafe messages are for people.
func retryable(r finding.Reason) bool {
	return r == validate.SchemaInvalid || r == validate.IncompleteContext
}

// forPeople reports whether a message rejected for a reason becomes a dead letter.
func forPeople(r finding.Reason) bool {
	return r == validate.SafetyViolation || r == validate.SignatureInvalid || r == HandoffIDReused
}

// An Answer is the receiver's answer to a message. Its JSON always has all members except rules, resumed and
// escalated.
type Answer struct {
	HandoffID  string         `json:"handoffId"` // "" if the message has none
	TaskID     string         `json:"taskId"`
	Receiver   string         `json:"receiver"` // agentType of the answering receiver, or the message's; "" if unknown
	Status     Status         `json:"status"`
	Reason     finding.Reason `json:"reason"`    // "" unless rejected
	Details    string         `json:"details"`   // the errors, in one line
	Retryable  bool           `json:"retryable"` // the sender may try again with a corrected message
	Attempt    int            `json:"attempt"`   // from 1
	RecordHash audit.Hash     `json:"recordHash"`
	RecordedAt string         `json:"recordedAt"`     // RFC 3339, as in the record
	Rules      []string       `json:"rules,omitzero"` // the rules that the message breaks
	// Resumed reports that the message was accepted before, by a process that died before it had handed it
	// over.
	Resumed bool `json:"resumed,omitzero"`
	// Escalated reports that it has failed so often that a person must look at it.
	Escalated bool `json:"escalated,omitzero"`

	// MessageDigest is the digest of the answered message; zero if it is unknown, or would reveal something
	// about personal data. It is part of a signed answer ([Receiver.AppendAnswer]).
	MessageDigest audit.Hash `json:"-"`

	// Record is the record of the decision.
	Record audit.Stored `json:"-"`
	// Alerts are records that people must be alerted to: dead letters and rollbacks (section 6.3), and an
	// acceptance that took longer than its transport's limit (section 6.5).
	Alerts []audit.Stored `json:"-"`
}

// Why returns the reason for a rejection, the details and the rules, in one line.
func (a Answer) Why() string {
	text := fmt.Sprintf("%s: %s", a.Reason, a.Details)
	if len(a.Rules) > 0 {
		text += " [" + strings.Join(a.Rules, ", ") + "]"
	}
	return text
}

// ForPeople reports whether the message is a dead letter: it waits for a person, and must not be retried.
func (a Answer) ForPeople() bool { return a.Status == Rejected && forPeople(a.Reason) }

// Letter returns the record number that identifies the message, if it is a dead letter.
func (a Answer) Letter() int64 {
	for _, s := range a.Alerts {
		if s.Event == audit.DeadLettered {
			return s.Sequence
		}
	}
	return a.Record.Sequence
}

// AppendJSON appends the answer as one line of JSON, without a line feed.
func (a Answer) AppendJSON(dst []byte) ([]byte, error) {
	text, err := json.Marshal(a, jsontext.AllowInvalidUTF8(true))
	return append(dst, text...), err
}

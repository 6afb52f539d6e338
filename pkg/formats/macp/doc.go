// Package macp reads, checks and writes sessions of MACP's handoff mode
// (macp.mode.handoff.v1): RFC-MACP-0010, with RFC-MACP-0001 for the envelope and
// RFC-MACP-0012 for policies.
//
// A [Transcript] is the JSON form of a session: its messages in the order of acceptance.
// [Check] replays one by the 22 rules that [Rules] lists, and [CheckFixture] a scripted
// session by its expectations. [Project] summarises a session. [Start] and [Append] write
// transcripts, and [Freeze] hashes the context that a session binds. All of them use
// [Session], which implements the rules.
//
// Members are read in snake_case and in camelCase, and written in snake_case. Other members
// are ignored.
//
// # Clocks
//
// Deadlines (rules 20 and 22) are measured by accepted_at_unix_ms, the time at which a
// runtime accepted a message. If no message of a transcript has it, the senders' timestamps
// are used, if present. If only some messages have it, the others count as accepted no
// earlier than the messages before them. A rejected message does not advance the clock, but
// a message after ttl_ms (rule 22) ends the session. A timestamp of 0 is unknown, as on the
// wire.
package macp

import (
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
)

// Mode is the identifier of the handoff mode.
const Mode = "macp.mode.handoff.v1"

// Version is the version of the protocol.
const Version = "1.0"

// DefaultPolicy is the policy of a session that does not name one.
const DefaultPolicy = "policy.default"

// The error codes of the protocol's registry that the rules use.
const (
	Forbidden            finding.Reason = "FORBIDDEN"
	InvalidEnvelope      finding.Reason = "INVALID_ENVELOPE"
	DuplicateMessage     finding.Reason = "DUPLICATE_MESSAGE"
	SessionNotOpen       finding.Reason = "SESSION_NOT_OPEN"
	SessionAlreadyExists finding.Reason = "SESSION_ALREADY_EXISTS"
	UnsupportedVersion   finding.Reason = "UNSUPPORTED_PROTOCOL_VERSION"
	ModeNotSupported     finding.Reason = "MODE_NOT_SUPPORTED"
	UnknownPolicyVersion finding.Reason = "UNKNOWN_POLICY_VERSION"
)

// A State is the state of a session.
type State string

// The states of a session. A replay never reaches Suspended and Cancelled, because runtimes
// set them, not messages of the handoff mode.
const (
	Open      State = "Open"
	Suspended State = "Suspended"
	Resolved  State = "Resolved" // a commitment was accepted
	Expired   State = "Expired"  // the ttl_ms has passed
	Cancelled State = "Cancelled"
)

// A Status is the status of a handoff.
type Status string

// The statuses of a handoff. Context after an answer does not change the status.
const (
	Offered     Status = "offered"
	ContextSent Status = "context_sent"
	Accepted    Status = "accepted"
	Declined    Status = "declined"
)

// Options configures the replay of a session. The zero value binds the default policy: only
// the initiator commits, and nothing is accepted implicitly.
type Options struct {
	// Policy is the policy of the session; nil means the default. A session whose
	// policy_version names another policy is rejected.
	Policy *Policy
}

// Tone returns the tone of a status for reports.
func (s Status) Tone() format.Tone {
	switch s {
	case Accepted:
		return format.Good
	case Declined:
		return format.Bad
	default:
		return format.Pending
	}
}

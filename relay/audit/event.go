package audit

import "slices"

// An Event is the event that a record reports of a handoff.
type Event string

// The events, in the order of a successful handoff.
const (
	Dispatched      Event = "DISPATCHED"       // the sender has dispatched it to a transport
	Begun           Event = "BEGUN"            // an agent begins early, with the first chunk
	Accepted        Event = "ACCEPTED"         // the receiver has accepted it
	HandedOver      Event = "HANDED_OVER"      // the receiver's agent has it
	Completed       Event = "COMPLETED"        // the agent has ended well
	Acknowledged    Event = "ACKNOWLEDGED"     // one of several receivers has accepted it (section 14.2)
	Duplicate       Event = "DUPLICATE"        // received again after its acceptance
	Rejected        Event = "REJECTED"         // the receiver has rejected it
	ExecutionFailed Event = "EXECUTION_FAILED" // the agent has failed
	RolledBack      Event = "ROLLED_BACK"      // the sender has the task again (section 6.3)
	Escalated       Event = "ESCALATED"        // it has failed so often that a person must look at it
	DeadLettered    Event = "DEAD_LETTERED"    // it waits for a person (section 6.1)
	Released        Event = "RELEASED"         // a person has accepted it
	Discarded       Event = "DISCARDED"        // a person has decided against it
	Erased          Event = "ERASED"           // personal data was erased (section 12.3)
	Revoked         Event = "REVOKED"          // the sender has revoked it: receivers no longer accept it
	Refused         Event = "REFUSED"          // a revocation was refused, since its signer may not send it
)

// The events of the log itself. Their records are kept when older ones are removed.
const (
	Configured Event = "CONFIGURED" // a setting was made
	Archived   Event = "ARCHIVED"   // messages were moved to a file
	Pruned     Event = "PRUNED"     // records were removed after the retention period
	Unrecorded Event = "UNRECORDED" // more from unknown senders than is recorded individually
)

// Events returns all events. Their indexes are the numbers in databases, so new events are appended.
func Events() []Event { return slices.Clone(events[:]) }

var events = [...]Event{
	Dispatched, Accepted, HandedOver, Completed, Acknowledged, Duplicate, Rejected, ExecutionFailed,
	RolledBack, Escalated, DeadLettered, Released, Discarded, Erased, Configured, Archived, Pruned, Revoked, Begun,
	Refused, Unrecorded,
}

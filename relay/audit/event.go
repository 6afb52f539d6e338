package audit

import "slices"

// An Event is what happened to a handoff.
type Event string

// The events, in the order in which they happen where all goes well.
const (
	Dispatched      Event = "DISPATCHED"       // the sender has given it to a transport
	Begun           Event = "BEGUN"            // an agent begins with its first chunk, before it is whole and accepted
	Accepted        Event = "ACCEPTED"         // the receiver has accepted it
	HandedOver      Event = "HANDED_OVER"      // the receiver's agent has it
	Completed       Event = "COMPLETED"        // the agent has ended well
	Acknowledged    Event = "ACKNOWLEDGED"     // one of several receivers has it (section 14.2)
	Duplicate       Event = "DUPLICATE"        // it came again after it was accepted
	Rejected        Event = "REJECTED"         // the receiver has rejected it
	ExecutionFailed Event = "EXECUTION_FAILED" // the agent has failed
	RolledBack      Event = "ROLLED_BACK"      // the task is the sender's again (section 6.3)
	Escalated       Event = "ESCALATED"        // it has failed too often: a person has to look
	DeadLettered    Event = "DEAD_LETTERED"    // it waits for a person (section 6.1)
	Released        Event = "RELEASED"         // a person has accepted it
	Discarded       Event = "DISCARDED"        // a person has decided against it
	Erased          Event = "ERASED"           // personal data was erased (section 12.3)
	Revoked         Event = "REVOKED"          // the sender has taken it back: no receiver accepts it any more
	Refused         Event = "REFUSED"          // somebody has said something of it who may not: a revocation
)

// The events of the log itself. Their records stay when older ones are removed.
const (
	Configured Event = "CONFIGURED" // a setting was made
	Archived   Event = "ARCHIVED"   // messages were moved to a file
	Pruned     Event = "PRUNED"     // records were removed after the retention period
	Unrecorded Event = "UNRECORDED" // more came of nobody known than is recorded one by one
)

// Events returns all events. Their order is that of their numbers in databases, so new ones
// come last.
func Events() []Event { return slices.Clone(events[:]) }

var events = [...]Event{
	Dispatched, Accepted, HandedOver, Completed, Acknowledged, Duplicate, Rejected, ExecutionFailed,
	RolledBack, Escalated, DeadLettered, Released, Discarded, Erased, Configured, Archived, Pruned, Revoked, Begun,
	Refused, Unrecorded,
}

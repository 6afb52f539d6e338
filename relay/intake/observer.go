package intake

import (
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// An Observer is notified of events of messages, for counting or printing them. Its methods are called from
// several goroutines, and must not block.
type Observer interface {
	// Taken is called for each message taken from the transport.
	Taken(transport.Message)
	// Answered is called for each answer to a sender; again for the answer after the end of an agent. latency
	// is the time from the message's dispatch to the decision, 0 if unknown.
	Answered(a receiver.Answer, latency time.Duration)
	// Revoked is called for each answer to a revocation: REJECTED with the reason REVOKED, or if the
	// revocation is too late, the earlier answer.
	Revoked(a receiver.Answer)
	// Begun is called with the record when an agent has begun with the first chunk of a stream.
	Begun(audit.Stored)
	// TakenBack is called when such an agent was ended before the message was complete, with the reason.
	TakenBack(begun audit.Stored, why string)
	// Ended is called when an agent with its own message has ended.
	Ended(accepted receiver.Answer, e receiver.Execution)
	// Down is called when the transport fails, so that no messages can come. It is retried; Down is called
	// again for each failed try.
	Down(error)
	// Up is called when the transport works again.
	Up()
	// Trouble is called for other errors. Only the end of a [*LogError] is reported, by Recovered.
	Trouble(error)
	// Recovered is called when the audit log works again.
	Recovered()
}

// Observers are called for all events, in order.
type Observers []Observer

// Taken implements [Observer].
func (list Observers) Taken(m transport.Message) {
	for _, o := range list {
		o.Taken(m)
	}
}

// Answered implements [Observer].
func (list Observers) Answered(a receiver.Answer, latency time.Duration) {
	for _, o := range list {
		o.Answered(a, latency)
	}
}

// Revoked implements [Observer].
func (list Observers) Revoked(a receiver.Answer) {
	for _, o := range list {
		o.Revoked(a)
	}
}

// Begun implements [Observer].
func (list Observers) Begun(s audit.Stored) {
	for _, o := range list {
		o.Begun(s)
	}
}

// TakenBack implements [Observer].
func (list Observers) TakenBack(begun audit.Stored, why string) {
	for _, o := range list {
		o.TakenBack(begun, why)
	}
}

// Ended implements [Observer].
func (list Observers) Ended(accepted receiver.Answer, e receiver.Execution) {
	for _, o := range list {
		o.Ended(accepted, e)
	}
}

// Down implements [Observer].
func (list Observers) Down(err error) {
	for _, o := range list {
		o.Down(err)
	}
}

// Up implements [Observer].
func (list Observers) Up() {
	for _, o := range list {
		o.Up()
	}
}

// Trouble implements [Observer].
func (list Observers) Trouble(err error) {
	for _, o := range list {
		o.Trouble(err)
	}
}

// Recovered implements [Observer].
func (list Observers) Recovered() {
	for _, o := range list {
		o.Recovered()
	}
}

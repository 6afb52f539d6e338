package intake

import (
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// An Observer is told what happens to messages, to count or to print it. Its methods are called
// from several goroutines, and must not wait for anything.
type Observer interface {
	// Taken: a message has come.
	Taken(transport.Message)
	// Answered: a sender is told this of a message; of what an agent has got, once more when the
	// agent has ended. latency is how long the message took from its dispatch to the decision,
	// 0 if nobody knows.
	Answered(a receiver.Answer, latency time.Duration)
	// Revoked: a sender that takes a message back is told this: REJECTED with the reason REVOKED,
	// or what it was told before, if that comes too late.
	Revoked(a receiver.Answer)
	// Begun: an agent has begun with the first chunk of a stream, by this record.
	Begun(audit.Stored)
	// TakenBack: an agent that has begun so was ended before the message was whole, and why.
	TakenBack(begun audit.Stored, why string)
	// Ended: an agent has ended that had a message of its own.
	Ended(accepted receiver.Answer, e receiver.Execution)
	// Down: the transport does not work, and no message can come. That is tried again; each time
	// it does not help is told, too.
	Down(error)
	// Up: the transport works again.
	Up()
	// Trouble: something else did not work. Nothing is told when that is over, unless it is a
	// [*LogError].
	Trouble(error)
	// Recovered: the audit log works again.
	Recovered()
}

// Observers are told everything, one after the other.
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

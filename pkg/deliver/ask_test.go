package deliver_test

import (
	"context"
	"testing"

	"github.com/eaapl/handoff/pkg/deliver"
	"github.com/eaapl/handoff/pkg/receiver"
	"github.com/eaapl/handoff/pkg/transport"
)

// An asked place answers when it is asked, and with the message says that it was accepted.
type asked struct {
	transport.Publisher
	now []byte
}

func (a *asked) Publish(_ context.Context, m transport.Message) (*transport.Message, error) {
	return &transport.Message{Kind: transport.Answer, Key: m.Key, Body: answerText(m.Key, receiver.Accepted, nil)}, nil
}

func (a *asked) Answers(context.Context, string) (transport.Consumer, error) {
	return nil, transport.ErrNoAnswers
}

func (a *asked) Ask(_ context.Context, key string) (*transport.Message, error) {
	return &transport.Message{Kind: transport.Answer, Key: key, Body: a.now}, nil
}

// TestAskedAgain: where answers come with the message alone, the sender asks how the agent ended
// of a message that was accepted.
func TestAskedAgain(t *testing.T) {
	onStores(t, func(b *bench) {
		place := &asked{Publisher: new(transport.Memory).Publisher()}
		b.places["memory:a"] = place
		b.send(b.outgoing(example(b), "memory:a"))
		b.wantState(exampleID, deliver.Accepted)
		place.now = answerText(exampleID, receiver.Rejected, func(a *receiver.Answer) { a.Reason, a.Retryable = receiver.ExecutionFailed, true })
		list, err := b.store.Find(b.Context(), exampleID)
		if err == nil {
			err = b.sender.SweepFor(b.Context(), list)
		}
		if err == nil {
			err = b.sender.Settle(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
		b.wantState(exampleID, deliver.RolledBack)
	})
}

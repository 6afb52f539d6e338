package intake_test

import (
	"context"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/intake"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// TestLateRevocation checks that a late revocation is reported as a revocation, not as another accepted
// message.
func TestLateRevocation(t *testing.T) {
	b := newBench(t)
	b.send(message(1))
	b.publish(transport.Message{Kind: transport.Revocation, Body: []byte(`{"handoffId":"6e7f936b-cafd-4624-8754-000000000001"}`), ReplyTo: "sender"})
	if err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, a := range b.answers(2) {
		if a.Status != receiver.Accepted {
			t.Errorf("the sender was told %+v", a)
		}
	}
	if len(b.answered) != 1 || len(b.revoked) != 1 || b.revoked[0].Status != receiver.Accepted {
		t.Errorf("answers %+v, to revocations %+v", b.answered, b.revoked)
	}
	if e := b.events(); e[audit.Accepted] != 1 || e[audit.Revoked] != 1 {
		t.Errorf("records %v", e)
	}
}

// TestInFlight checks that the place that is reserved for the next message is not counted as in flight.
func TestInFlight(t *testing.T) {
	b := newBench(t)
	agents := &fakeAgents{started: make(chan string), letGo: make(chan int)}
	b.options.Stream, b.options.Runner, b.options.Concurrency, b.options.IdleTimeout = nil, agents, 3, 0
	waiting := make(chan int) // the number in flight while the intake waits for the next message
	var running *intake.Intake
	b.began = func(i *intake.Intake) { running = i }
	open := b.options.Open
	b.options.Open = func(ctx context.Context) (transport.Consumer, error) {
		return &hooked{Consumer: first(open(ctx)), before: func() { waiting <- running.InFlight() }}, nil
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.run(ctx) }()
	b.send(message(1), message(2))
	for want := range 2 {
		if n := <-waiting; n != want {
			t.Errorf("%d are in flight, want %d", n, want)
		}
		<-agents.started
	}
	if n := <-waiting; n != 2 {
		t.Errorf("%d are in flight, want 2", n)
	}
	agents.letGo <- 0
	agents.letGo <- 0
	for range 4 { // two acceptances and their results
		b.answers(1)
	}
	for deadline := time.Now().Add(10 * time.Second); running.InFlight() > 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if n := running.InFlight(); n != 0 {
		t.Errorf("%d are in flight at the end", n)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

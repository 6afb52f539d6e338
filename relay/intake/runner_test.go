package intake_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/intake"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// fakeAgents are agents that run until they are released, and fail on request.
type fakeAgents struct {
	started       chan string // the messages
	letGo         chan int    // exit codes
	running, most atomic.Int32
}

func (f *fakeAgents) Start(context.Context) (intake.Run, error) {
	f.most.Store(max(f.most.Load(), f.running.Add(1)))
	return fakeRun{f}, nil
}

type fakeRun struct{ agents *fakeAgents }

func (r fakeRun) Give(message []byte) error {
	r.agents.started <- string(message)
	return nil
}

func (fakeRun) End() error { return nil }

func (r fakeRun) Wait() receiver.Execution {
	code := <-r.agents.letGo
	r.agents.running.Add(-1)
	return receiver.Execution{ExitCode: code, AtOnce: code != 0, Problem: "failed"}
}

func (fakeRun) Kill() {}

// TestRunner checks that only the permitted number of agents runs, that other messages stay at the place, that
// senders are told the beginning and the end, and that the first signal waits for agents.
func TestRunner(t *testing.T) {
	b := newBench(t)
	agents := &fakeAgents{started: make(chan string), letGo: make(chan int)}
	b.options.Stream, b.options.Runner, b.options.Concurrency, b.options.IdleTimeout = nil, agents, 2, 0
	b.send(message(1), message(2), message(3), message(4))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.run(ctx) }()
	<-agents.started
	<-agents.started
	for _, a := range b.answers(2) {
		if a.Status != receiver.Accepted {
			t.Errorf("the answer is %+v", a)
		}
	}
	agents.letGo <- 0
	<-agents.started // for the third message
	if a := b.answers(2); a[0].Status == a[1].Status {
		t.Errorf("answers %+v", a)
	}
	stop()
	agents.letGo <- 3
	select {
	case err := <-ended:
		t.Fatalf("it ended while an agent ran (%v)", err)
	case agents.letGo <- 0:
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range b.answers(2) {
		got = append(got, string(a.Status)+" "+string(a.Reason))
	}
	slices.Sort(got)
	if want := []string{"COMPLETED ", "REJECTED EXECUTION_FAILED"}; !slices.Equal(got, want) {
		t.Errorf("answers %q, want %q", got, want)
	}
	if agents.most.Load() != 2 {
		t.Errorf("%d agents at once", agents.most.Load())
	}
	if e := b.events(); e[audit.Accepted] != 3 || e[audit.Completed] != 2 || e[audit.RolledBack] != 1 {
		t.Errorf("records %v", e)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if d, err := b.memory.Consumer().Next(ctx); err != nil || string(d.Message().Body) != string(message(4)) {
		t.Errorf("the fourth message was not given back (%v)", err)
	}
}

// TestAttemptOfEnd checks that the report of an agent's end has the number of the attempt, like the answer to
// the message.
func TestAttemptOfEnd(t *testing.T) {
	b := newBench(t)
	agents := &fakeAgents{started: make(chan string), letGo: make(chan int)}
	b.options.Stream, b.options.Runner, b.options.IdleTimeout = nil, agents, 0
	b.publish(transport.Message{ID: "1", Key: "key", Kind: transport.Handoff, Body: message(1), ReplyTo: "sender", Attempt: 3})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.run(ctx) }()
	<-agents.started
	agents.letGo <- 3
	answers, err := b.memory.Publisher().Answers(t.Context(), "sender")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // ACCEPTED, REJECTED
		d, err := answers.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if m := d.Message(); m.Attempt != 3 {
			t.Errorf("it is to attempt %d: %s", m.Attempt, m.Body)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestLeftWhileIdle checks that a message left by a dead receiver is handed over by a waiting receiver,
// although its only agent is reserved for the next message.
func TestLeftWhileIdle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	b := newBench(t)
	b.log = audittest.Open(t, path)
	agents := &fakeAgents{started: make(chan string), letGo: make(chan int)}
	b.options.Stream, b.options.Runner, b.options.IdleTimeout, b.options.ResumeEvery = nil, agents, 0, time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.run(ctx) }()
	for n := range 2 {
		if n == 0 { // the receiver waits
			b.send(message(1))
		} else {
			leave(t, path, message(2))
		}
		if got := <-agents.started; got != string(message(n+1)) {
			t.Errorf("the agent got %.80s", got)
		}
		agents.letGo <- 0
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// leave accepts a message with a receiver that dies before the handover.
func leave(t *testing.T, path string, text []byte) {
	store, err := sqlstore.Open(t.Context(), path, sqlstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	r, err := receiver.New(t.Context(), validate.New(validate.Options{}), audit.NewLog(store, nil), receiver.Options{Place: "here"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.Examine(t.Context(), jsonstream.NewRaw(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if answers, err := r.Record(t.Context(), []*receiver.Delivery{d}, nil); err != nil || answers[0].Status != receiver.Accepted {
		t.Fatalf("%+v, %v", answers, err)
	}
}

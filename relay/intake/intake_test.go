package intake_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/intake"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/schemas"
)

// bench is a place with an audit log, and the results of its intake.
type bench struct {
	*testing.T
	memory  transport.Memory
	log     *audit.Log
	out     lockedBuffer
	options intake.Options
	began   func(*intake.Intake) // called at the beginning of a run unless it is nil
	checks  validate.Options
	sealer  receiver.Sealer // nil without a policy
	observed
}

// newBench returns a bench with a stream, whose intakes end when the place is empty.
func newBench(t *testing.T) *bench {
	b := &bench{T: t, log: audittest.New(t)}
	b.options = intake.Options{
		Open:      func(context.Context) (transport.Consumer, error) { return b.memory.Consumer(), nil },
		Transport: "memory", Stream: intake.Lines{W: &b.out}, IdleTimeout: 50 * time.Millisecond, Observer: &b.observed,
	}
	return b
}

// run runs an intake to its end.
func (b *bench) run(ctx context.Context) error {
	b.Helper()
	r, err := receiver.New(ctx, validate.New(b.checks), b.log, receiver.Options{Place: "here", Personal: b.sealer})
	if err != nil {
		b.Fatal(err)
	}
	i, err := intake.New(r, b.options)
	if err != nil {
		b.Fatal(err)
	}
	if b.began != nil {
		b.began(i)
	}
	return i.Run(ctx)
}

// message returns the message with a number.
func message(n int) []byte {
	text, err := schemas.Example("message")
	if err != nil {
		panic(err) // it is embedded
	}
	return bytes.Replace(text, []byte("0bafc4e8acb3"), fmt.Appendf(nil, "%012x", n), 1)
}

// send publishes bodies as handoffs from a sender that expects answers.
func (b *bench) send(bodies ...[]byte) {
	b.Helper()
	for n, body := range bodies {
		b.publish(transport.Message{ID: fmt.Sprint(n), Key: fmt.Sprint("key ", n), Kind: transport.Handoff, Body: body, ReplyTo: "sender", DispatchedAt: time.Now()})
	}
}

func (b *bench) publish(m transport.Message) {
	b.Helper()
	if _, err := b.memory.Publisher().Publish(b.Context(), m); err != nil {
		b.Fatal(err)
	}
}

// answers returns the next n answers to the sender.
func (b *bench) answers(n int) (list []receiver.Answer) {
	b.Helper()
	c, err := b.memory.Publisher().Answers(b.Context(), "sender")
	if err != nil {
		b.Fatal(err)
	}
	for range n {
		ctx, cancel := context.WithTimeout(b.Context(), 10*time.Second)
		d, err := c.Next(ctx)
		cancel()
		if err != nil {
			b.Fatalf("after %d answers: %v", len(list), err)
		}
		var a receiver.Answer
		if err := json.Unmarshal(d.Message().Body, &a); err != nil {
			b.Fatal(err)
		}
		list = append(list, a)
		if err := d.Ack(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	return list
}

// events returns the numbers of records by event, and checks that no message is in flight.
func (b *bench) events() map[audit.Event]int {
	b.Helper()
	err := b.log.Store().View(b.Context(), func(r audit.Reader) error {
		left, err := r.Pending()
		if len(left) > 0 {
			b.Errorf("%d messages are left", len(left))
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return b.recorded()
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

// observed collects the reports of an intake.
type observed struct {
	mu        sync.Mutex
	troubles  []error
	downs     []error
	ups       int
	recovered int
	answered  []receiver.Answer
	revoked   []receiver.Answer
	begun     []audit.Stored
	takenBack []string
	latencies []time.Duration
}

func (*observed) Taken(transport.Message)                   {}
func (*observed) Ended(receiver.Answer, receiver.Execution) {}
func (o *observed) Begun(s audit.Stored) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.begun = append(o.begun, s)
}
func (o *observed) TakenBack(s audit.Stored, why string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.takenBack = append(o.takenBack, why)
}
func (o *observed) Answered(a receiver.Answer, latency time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answered = append(o.answered, a)
	if latency > 0 { // after its record and its handover
		o.latencies = append(o.latencies, latency+time.Since(a.Record.RecordedAt))
	}
}
func (o *observed) Revoked(a receiver.Answer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.revoked = append(o.revoked, a)
}
func (o *observed) Down(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.downs = append(o.downs, err)
}
func (o *observed) Up() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ups++
}
func (o *observed) Trouble(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.troubles = append(o.troubles, err)
}
func (o *observed) Recovered() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.recovered++
}

// TestStream checks that accepted messages are written in order, one per line, and that each is answered and
// none is left at the place.
func TestStream(t *testing.T) {
	b := newBench(t)
	var sent [][]byte
	for n := range 300 {
		sent = append(sent, message(n))
	}
	b.send(sent...)
	b.send(sent[7], []byte("{}"))
	if err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(b.out.Bytes(), []byte("\n")), []byte("\n"))
	if len(lines) != len(sent) {
		t.Fatalf("%d lines, want %d", len(lines), len(sent))
	}
	for n, line := range lines {
		if !bytes.Equal(line, jsonstream.Line(sent[n])) {
			t.Fatalf("line %d is %s", n, line)
		}
	}
	statuses := map[receiver.Status]int{}
	for _, a := range b.answers(302) {
		statuses[a.Status]++
	}
	if statuses[receiver.Accepted] != 300 || statuses[receiver.Duplicate] != 1 || statuses[receiver.Rejected] != 1 {
		t.Errorf("answers: %v", statuses)
	}
	if e := b.events(); e[audit.Accepted] != 300 || e[audit.HandedOver] != 300 || e[audit.Duplicate] != 1 || e[audit.Rejected] != 1 {
		t.Errorf("records: %v", e)
	}
	if len(b.latencies) == 0 || len(b.troubles) > 0 {
		t.Errorf("%d latencies, troubles %v", len(b.latencies), b.troubles)
	}
}

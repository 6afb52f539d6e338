package deliver_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/audit"
	"github.com/eaapl/handoff/pkg/audit/audittest"
	"github.com/eaapl/handoff/pkg/audit/storetest"
	"github.com/eaapl/handoff/pkg/deliver"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/receiver"
	"github.com/eaapl/handoff/pkg/transport"
	"github.com/eaapl/handoff/schemas"
)

// checkpoint is one with bytes that no JSON tool would leave alone.
var checkpoint = []byte("{ \"n\": 1.0, \"é\": \"\x00\xff\" }\r\n")

// exampleID and exampleTask are those of the example message.
const (
	exampleID   = "6e7f936b-cafd-4624-8754-0bafc4e8acb3"
	exampleTask = "cc35de8b-6ece-4435-abfd-a60e12baff98"
)

// A bench is a sender with all around it.
type bench struct {
	*testing.T
	address string // of the store
	log     *audit.Log
	places  map[string]transport.Publisher // by address
	store   *deliver.Store
	sender  *deliver.Sender
	options deliver.SenderOptions
	now     time.Time
}

// onStores runs a test with a store in SQLite, and one in PostgreSQL.
func onStores(t *testing.T, test func(*bench)) {
	for _, database := range []string{"SQLite", "PostgreSQL"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			address := filepath.Join(t.TempDir(), "state.db")
			if database == "PostgreSQL" {
				address = storetest.Postgres(t)
			}
			b := &bench{T: t, address: address, log: audittest.New(t), places: map[string]transport.Publisher{}, now: time.Date(2026, 6, 12, 10, 0, 0, 0, time.UTC)}
			b.open()
			t.Cleanup(b.close)
			test(b)
		})
	}
}

func (b *bench) open() {
	b.Helper()
	var err error
	if b.store, err = deliver.Open(b.Context(), b.address, deliver.Options{Create: true}); err != nil {
		b.Fatal(err)
	}
	o := b.options
	o.Open = func(_ context.Context, address string) (transport.Publisher, error) {
		if p := b.places[address]; p != nil {
			return p, nil
		}
		return nil, fmt.Errorf("nobody is at %s", address)
	}
	o.Transport = func(address string) string { return strings.SplitN(address, ":", 2)[0] }
	o.Now = func() time.Time { return b.now }
	b.sender = deliver.NewSender(b.store, b.log, o)
}

func (b *bench) close() {
	if b.store == nil {
		return
	}
	if err := b.sender.Close(); err != nil {
		b.Error(err)
	}
	if err := b.store.Close(); err != nil {
		b.Error(err)
	}
	b.store = nil
}

// reopen is what another process does.
func (b *bench) reopen() {
	b.close()
	b.open()
}

// example returns the example message, with some texts replaced.
func example(t testing.TB, replace ...string) []byte {
	t.Helper()
	text, err := schemas.Example("message")
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.NewReplacer(replace...).Replace(string(text)))
}

// outgoing returns a message to some addresses, one for each of its receivers.
func (b *bench) outgoing(message []byte, addresses ...string) *deliver.Outgoing {
	b.Helper()
	o, err := b.store.Examine(jsonstream.NewRaw(message), jsonstream.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	o.Checkpoint = checkpoint
	for i, address := range addresses {
		o.To = append(o.To, deliver.Address{Receiver: o.Receivers[i], Destination: address})
	}
	return o
}

func (b *bench) send(list ...*deliver.Outgoing) []deliver.Result {
	b.Helper()
	results, err := b.sender.Send(b.Context(), list)
	if err != nil {
		b.Fatal(err)
	}
	return results
}

// state returns where a handoff is.
func (b *bench) state(id string) (states []deliver.State) {
	b.Helper()
	list, err := b.store.Find(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	for _, h := range list {
		states = append(states, h.State)
	}
	return states
}

// events returns the events of the audit log, in order.
func (b *bench) events() string {
	b.Helper()
	var list []string
	err := b.log.Store().View(b.Context(), func(r audit.Reader) error {
		for s, err := range r.Records(audit.Filter{}) {
			if err != nil {
				return err
			}
			list = append(list, string(s.Event))
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return strings.Join(list, " ")
}

func (b *bench) wantEvents(want string) {
	b.Helper()
	if got := b.events(); got != want {
		b.Errorf("the audit log has %s\nwant %s", got, want)
	}
}

func (b *bench) wantState(id string, want ...deliver.State) {
	b.Helper()
	if got := b.state(id); fmt.Sprint(got) != fmt.Sprint(want) {
		b.Errorf("%s is %v, want %v", id, got, want)
	}
}

// patience is how long a test waits for what has to come.
const patience = time.Minute

// next returns the next message at a place.
func (b *bench) next(c transport.Consumer) transport.Delivery {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	d, err := c.Next(ctx)
	if err != nil {
		b.Fatal(err)
	}
	return d
}

var answers atomic.Int64 // each is later than those before

// answerText returns an answer as receivers write it.
func answerText(id string, status receiver.Status, change func(*receiver.Answer)) []byte {
	a := receiver.Answer{
		HandoffID: id, Status: status, Attempt: 1,
		RecordedAt: audit.FormatTime(time.Date(2026, 6, 12, 11, 0, 0, int(answers.Add(1))*1000, time.UTC)),
	}
	if change != nil {
		change(&a)
	}
	text, err := a.AppendJSON(nil)
	if err != nil {
		panic(err)
	}
	return text
}

// answer answers a message, and acknowledges it.
func (b *bench) answer(d transport.Delivery, status receiver.Status, change func(*receiver.Answer)) {
	b.Helper()
	m := d.Message()
	err := d.Answer(b.Context(), transport.Message{Kind: transport.Answer, Key: m.Key, Attempt: m.Attempt, Body: answerText(m.Key, status, change)})
	if err == nil {
		err = d.Ack(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
}

// wait waits until a handoff was answered.
func (b *bench) wait(id string) {
	b.Helper()
	list, err := b.store.Find(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	if err := b.sender.Wait(ctx, list); err != nil {
		b.Fatal(err)
	}
	if ctx.Err() != nil {
		b.Fatalf("no answer to %s", id)
	}
}

func TestSend(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		b.places["memory:a"] = place.Publisher()
		message := example(b)
		results := b.send(b.outgoing(message, "memory:a"))
		if r := results[0]; r.Err != nil || r.Earlier || r.State != deliver.Dispatched || r.Attempt != 1 {
			b.Errorf("%+v", r)
		}
		b.wantEvents("DISPATCHED")
		d := b.next(place.Consumer())
		m := d.Message()
		if !bytes.Equal(m.Body, message) {
			b.Errorf("the body is not the message: %q", m.Body)
		}
		if want := exampleID + "/risk-scoring-agent/1"; m.ID != want || m.Key != exampleID || m.Group != exampleTask || m.Kind != transport.Handoff || m.Attempt != 1 {
			b.Errorf("it goes with %+v", m)
		}
		if m.ReplyTo != b.store.Name() || !transport.IsName(m.ReplyTo) || m.DispatchedAt.IsZero() || m.Traceparent == "" {
			b.Errorf("it goes with %+v", m)
		}
		b.reopen() // its name stays, so that answers find it
		if m.ReplyTo != b.store.Name() {
			b.Errorf("the name was %s, and is %s", m.ReplyTo, b.store.Name())
		}
		if r := b.send(b.outgoing(message, "memory:a"))[0]; !r.Earlier || r.State != deliver.Dispatched {
			b.Errorf("again: %+v", r)
		}
		b.answer(d, receiver.Accepted, nil)
		b.wait(exampleID)
		b.wantState(exampleID, deliver.Accepted)
		if r := b.send(b.outgoing(message, "memory:a"))[0]; !r.Earlier || r.State != deliver.Accepted || r.Err != nil {
			b.Errorf("after its acceptance: %+v", r)
		}
		if r := b.send(b.outgoing(example(b, "Score the", "Skip the"), "memory:a"))[0]; r.Err == nil {
			b.Error("other content under an accepted id was sent")
		}
		b.wantEvents("DISPATCHED")
	})
}

func TestUnreachable(t *testing.T) {
	onStores(t, func(b *bench) {
		message := example(b)
		r := b.send(b.outgoing(message, "memory:a"))[0]
		if r.State != deliver.Waiting || r.Problem != "nobody is at memory:a" || r.Tries != 1 || !r.Next.After(b.now) {
			b.Errorf("%+v", r)
		}
		b.wantEvents("DISPATCHED")
		none := func([]*deliver.Handoff) error { b.Error("it was tried before it was due"); return nil }
		if err := b.sender.Flush(b.Context(), none); err != nil {
			b.Error(err)
		}
		b.now = r.Next
		if err := b.sender.Flush(b.Context(), func(list []*deliver.Handoff) error {
			if len(list) != 1 || list[0].Tries != 2 {
				b.Errorf("%+v", list)
			}
			return nil
		}); err != nil {
			b.Error(err)
		}
		if r := b.send(b.outgoing(example(b, "Score the", "Skip the"), "memory:a"))[0]; r.Err == nil {
			b.Error("other content in flight was sent")
		}
		var place transport.Memory
		b.places["memory:a"] = place.Publisher()
		b.reopen()
		if err := b.store.Hasten(b.Context(), b.now); err != nil {
			b.Fatal(err)
		}
		if err := b.sender.Flush(b.Context(), func([]*deliver.Handoff) error { return nil }); err != nil {
			b.Error(err)
		}
		b.next(place.Consumer())
		b.wantState(exampleID, deliver.Dispatched)
		b.wantEvents("DISPATCHED")
	})
}

func TestAttempts(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		b.places["memory:a"] = place.Publisher()
		c := place.Consumer()
		for attempt, want := range []deliver.State{deliver.Rejected, deliver.Rejected, deliver.RolledBack} {
			message := example(b, "Score the", fmt.Sprint("Score ", attempt))
			if r := b.send(b.outgoing(message, "memory:a"))[0]; r.Earlier || r.Attempt != attempt+1 {
				b.Errorf("%+v", r)
			}
			d := b.next(c)
			if !bytes.Equal(d.Message().Body, message) || d.Message().Attempt != attempt+1 {
				b.Errorf("attempt %d: %+v", attempt+1, d.Message())
			}
			b.answer(d, receiver.Rejected, func(a *receiver.Answer) { a.Reason, a.Retryable = "SCHEMA_INVALID", true })
			b.wait(exampleID)
			if err := b.sender.Settle(b.Context()); err != nil {
				b.Error(err)
			}
			b.wantState(exampleID, want)
		}
		b.wantEvents("DISPATCHED DISPATCHED DISPATCHED ROLLED_BACK ESCALATED")
		if news := b.sender.News(); len(news.Alerts) != 2 {
			b.Errorf("alerts: %+v", news.Alerts)
		}
	})
}

// Whatever else a receiver says, the newest answer counts.
func TestAnswers(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		b.places["memory:a"] = place.Publisher()
		c := place.Consumer()
		b.send(b.outgoing(example(b), "memory:a"))
		m := b.next(c).Message()
		reply := func(text []byte, attempt int) {
			b.Helper()
			if err := c.Reply(b.Context(), m.ReplyTo, transport.Message{Kind: transport.Answer, Key: m.Key, Attempt: attempt, Body: text}); err != nil {
				b.Fatal(err)
			}
		}
		sweep := func(want ...deliver.State) {
			b.Helper()
			list, err := b.store.Find(b.Context(), exampleID)
			if err == nil {
				b.reopen() // a listener that was silent may have more now
				err = b.sender.Sweep(b.Context(), deliver.Addresses(list))
			}
			if err != nil {
				b.Fatal(err)
			}
			if err := b.sender.Settle(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.wantState(exampleID, want...)
		}
		reply([]byte("no answer"), 1)
		reply(answerText("another", receiver.Accepted, nil), 1)
		sweep(deliver.Dispatched)
		old := answerText(exampleID, receiver.Rejected, func(a *receiver.Answer) { a.Reason, a.Retryable = "SCHEMA_INVALID", true })
		reply(old, 1)
		sweep(deliver.Rejected)
		b.send(b.outgoing(example(b, "Score the", "Score all"), "memory:a"))
		reply(old, 1)
		// A copy of the first attempt that came late, as a receiver answers it now.
		reply(answerText(exampleID, receiver.Rejected, func(a *receiver.Answer) { a.Reason = receiver.ExecutionFailed }), 1)
		sweep(deliver.Dispatched)
		early := answerText(exampleID, receiver.Duplicate, nil)
		reply(answerText(exampleID, receiver.Accepted, nil), 2)
		sweep(deliver.Accepted)
		reply(early, 2)
		reply(answerText(exampleID, receiver.Rejected, func(a *receiver.Answer) { a.Reason = "HANDOFF_ID_REUSED" }), 2)
		sweep(deliver.Accepted)
		reply(answerText(exampleID, receiver.Rejected, func(a *receiver.Answer) { a.Reason, a.Retryable = receiver.ExecutionFailed, true }), 2)
		sweep(deliver.RolledBack)
		b.send(b.outgoing(example(b, "Score the", "Score all"), "memory:a"))
		reply(answerText(exampleID, receiver.Completed, nil), 3)
		reply(answerText(exampleID, receiver.Duplicate, nil), 3)
		sweep(deliver.Completed)
		b.wantEvents("DISPATCHED DISPATCHED ROLLED_BACK DISPATCHED")
	})
}

func TestFanOut(t *testing.T) {
	onStores(t, func(b *bench) {
		var left, right transport.Memory
		b.places["memory:left"], b.places["memory:right"] = left.Publisher(), right.Publisher()
		message := example(b, `"timestamp"`, `"receiverList": [{"agentType":"risk-scoring-agent"}, "report-agent"], "timestamp"`)
		b.send(b.outgoing(message, "memory:left", "memory:right"))
		b.wantEvents("DISPATCHED DISPATCHED")
		missing := func(want ...string) {
			b.Helper()
			_, got, err := b.store.Acknowledged(b.Context(), exampleID)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				b.Errorf("%v are missing, want %v; error %v", got, want, err)
			}
		}
		missing("risk-scoring-agent", "report-agent")
		for _, place := range []*transport.Memory{&left, &right} {
			d := b.next(place.Consumer())
			if !bytes.Equal(d.Message().Body, message) {
				b.Errorf("the copy is %s", d.Message().Body)
			}
			b.answer(d, receiver.Accepted, nil)
		}
		b.wait(exampleID)
		if err := b.sender.Settle(b.Context()); err != nil {
			b.Error(err)
		}
		missing()
		b.wantEvents("DISPATCHED DISPATCHED ACKNOWLEDGED ACKNOWLEDGED")
	})
}

// One place that is written in two ways has one queue of answers: what the listener of one
// spelling gets for the other is left to that one. And no place can answer for another.
func TestAnswersElsewhere(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		b.places["memory:a"], b.places["memory://a"] = place.Publisher(), place.Publisher()
		other := strings.Replace(exampleID, "6e7f936b", "6e7f936c", 1)
		b.send(b.outgoing(example(b), "memory:a"), b.outgoing(example(b, exampleID, other), "memory://a"))
		c := place.Consumer()
		b.answer(b.next(c), receiver.Accepted, nil)
		b.answer(b.next(c), receiver.Accepted, nil)
		b.sender.Listen("memory:a")
		b.wait(exampleID)
		b.wait(other)
	})
}

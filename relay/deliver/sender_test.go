package deliver_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/storetest"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/transporttest"
	"github.com/eaapl/handoff/schemas"
)

// checkpoint has bytes that JSON tools would change.
var checkpoint = []byte("{ \"n\": 1.0, \"é\": \"\x00\xff\" }\r\n")

// exampleID and exampleTask are those of the example message.
const (
	exampleID   = "6e7f936b-cafd-4624-8754-0bafc4e8acb3"
	exampleTask = "cc35de8b-6ece-4435-abfd-a60e12baff98"
)

// bench is a sender with its environment.
type bench struct {
	*testing.T
	address string // of the store
	log     *audit.Log
	places  map[string]transport.Publisher // by address; see put
	store   *deliver.Store
	sender  *deliver.Sender
	options deliver.SenderOptions
	now     time.Time // see set
	mu      sync.Mutex
}

// set sets the clock. Senders also read it while they listen.
func (b *bench) set(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = now
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
		b.mu.Lock()
		defer b.mu.Unlock()
		if p := b.places[address]; p != nil {
			return p, nil
		}
		return nil, fmt.Errorf("nobody is at %s", address)
	}
	o.Transport = func(address string) string { return strings.SplitN(address, ":", 2)[0] }
	o.Now = func() time.Time {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.now
	}
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

// reopen replaces the sender with one of another process.
func (b *bench) reopen() {
	b.close()
	b.open()
}

// put sets the place of an address. Senders also look for it while they listen.
func (b *bench) put(address string, p transport.Publisher) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.places[address] = p
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

// outgoing returns a message to several addresses, one per receiver.
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

// state returns the state of a handoff.
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

// events returns the events in the audit log, in order.
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

// patience is the maximum wait for an expected event.
const patience = time.Minute

// next returns the next message at a place.
func (b *bench) next(c transport.Consumer) transport.Delivery {
	b.Helper()
	return transporttest.Next(b, c)
}

var answers atomic.Int64 // each is later than the previous one

// answerText returns an answer in the form of receivers.
func answerText(id string, status receiver.Status, change func(*receiver.Answer)) []byte {
	a := receiver.Answer{
		HandoffID: id, Status: status, Attempt: 1, RecordHash: audit.Hash{1},
		RecordedAt: audit.FormatTime(time.Date(2026, 6, 12, 10, 0, 0, int(answers.Add(1))*1000, time.UTC)),
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

// wait waits until a handoff is answered.
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

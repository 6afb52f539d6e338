package intake_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/intake"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// TestHandoverFails checks that, if the stream cannot be written, the run ends, nothing is acknowledged, and
// the next run hands over the accepted messages.
func TestHandoverFails(t *testing.T) {
	b := newBench(t)
	broken := errors.New("closed")
	b.options.Stream = streamFunc(func([][]byte) error { return broken })
	b.send(message(1))
	if err := b.run(t.Context()); !errors.Is(err, broken) {
		t.Fatalf("the error is %v", err)
	}
	if d, err := b.memory.Consumer().Next(t.Context()); err != nil || len(d.Message().Body) == 0 {
		t.Errorf("the message was not given back (%v)", err)
	}
}

type streamFunc func([][]byte) error

func (f streamFunc) HandOver(messages [][]byte) error { return f(messages) }

// brokenStore is a store that does not accept records while it is broken.
type brokenStore struct {
	audit.Store
	mu     sync.Mutex
	broken bool
	tries  int
}

func (s *brokenStore) set(broken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = broken
}

func (s *brokenStore) Update(ctx context.Context, f func(audit.Tx) error) error {
	s.mu.Lock()
	broken := s.broken
	s.tries++
	s.mu.Unlock()
	if broken {
		return errors.New("the disk is full")
	}
	return s.Store.Update(ctx, f)
}

// TestLogFails checks that no message is handed over while the audit log does not accept records. Afterwards
// all are; if the failure persists, the run ends with an error, and all messages are returned.
func TestLogFails(t *testing.T) {
	for _, lasts := range []bool{false, true} {
		t.Run(fmt.Sprint("lasts ", lasts), func(t *testing.T) {
			b := newBench(t)
			store := &brokenStore{Store: b.log.Store()}
			b.log = audit.NewLog(store, nil)
			b.options.Patience = 30 * time.Second
			if lasts {
				b.options.Patience = time.Millisecond
			}
			b.options.IdleTimeout, b.options.MaxMessages = 0, 1
			b.options.Observer = onTrouble(func(error) {
				if !lasts {
					store.set(false)
				}
			})
			open := b.options.Open
			b.options.Open = func(ctx context.Context) (transport.Consumer, error) {
				return &hooked{Consumer: first(open(ctx)), before: func() { store.set(true) }}, nil
			}
			b.send(message(1))
			err := b.run(t.Context())
			store.set(false)
			if problem := (*intake.LogError)(nil); errors.As(err, &problem) != lasts {
				t.Errorf("the error is %v", err)
			}
			if passed := b.out.Len() > 0; passed == lasts {
				t.Errorf("%q passed", b.out.String())
			}
			if lasts {
				if _, err := b.memory.Consumer().Next(t.Context()); err != nil {
					t.Error("the message was not given back")
				}
			}
		})
	}
}

func first[T any](v T, err error) T { return v }

// hooked is a consumer that calls a function before each message.
type hooked struct {
	transport.Consumer
	before func()
}

func (h *hooked) Next(ctx context.Context) (transport.Delivery, error) {
	h.before()
	return h.Consumer.Next(ctx)
}

// onTrouble is an observer that reports only trouble.
type onTrouble func(error)

func (onTrouble) Taken(transport.Message)                   {}
func (onTrouble) Begun(audit.Stored)                        {}
func (onTrouble) TakenBack(audit.Stored, string)            {}
func (onTrouble) Answered(receiver.Answer, time.Duration)   {}
func (onTrouble) Ended(receiver.Answer, receiver.Execution) {}
func (onTrouble) Revoked(receiver.Answer)                   {}
func (onTrouble) Down(error)                                {}
func (onTrouble) Up()                                       {}
func (f onTrouble) Trouble(err error)                       { f(err) }
func (onTrouble) Recovered()                                {}

// TestReconnects checks that a consumer that ended is replaced after a growing pause, and that its end and its
// return are reported.
func TestReconnects(t *testing.T) {
	b := newBench(t)
	opened := 0
	gone := errors.New("the connection was lost")
	open := b.options.Open
	b.options.Open = func(ctx context.Context) (transport.Consumer, error) {
		opened++
		switch opened {
		case 1:
			return failingConsumer{first(open(ctx)), gone}, nil
		case 2:
			return nil, gone
		}
		return open(ctx)
	}
	b.options.IdleTimeout, b.options.MaxMessages = 0, 1
	b.send(message(1))
	synctest.Test(t, func(t *testing.T) {
		s := intake.NewSource(b.options.Open, &b.observed)
		begin := time.Now()
		if _, err := s.Next(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took < 1500*time.Millisecond || took > 3*time.Second {
			t.Errorf("it took %s", took)
		}
	})
	if opened != 3 || len(b.downs) != 2 || b.ups != 1 || len(b.troubles)+b.recovered > 0 {
		t.Errorf("opened %d times, down %v, up %d times, troubles %v, recovered %d times", opened, b.downs, b.ups, b.troubles, b.recovered)
	}
}

type failingConsumer struct {
	transport.Consumer
	err error
}

func (f failingConsumer) Next(context.Context) (transport.Delivery, error) { return nil, f.err }

// TestPermanent checks that a permanent error ends the run.
func TestPermanent(t *testing.T) {
	b := newBench(t)
	denied := &transport.PermanentError{Err: errors.New("wrong password")}
	open := b.options.Open
	b.options.Open = func(ctx context.Context) (transport.Consumer, error) {
		return failingConsumer{first(open(ctx)), denied}, nil
	}
	if err := b.run(t.Context()); !errors.Is(err, denied) {
		t.Errorf("the error is %v", err)
	}
}

// TestUnanswered checks that a message whose answer cannot be sent is not acknowledged, but delivered again as
// a duplicate, and answered.
func TestUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		open := b.options.Open
		failures := 1
		b.options.Open = func(ctx context.Context) (transport.Consumer, error) {
			return deaf{first(open(ctx)), &failures}, nil
		}
		b.options.IdleTimeout = 3 * time.Second
		b.send(message(1))
		if err := b.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if a := b.answers(1); a[0].Status != receiver.Duplicate {
			t.Errorf("the answer is %+v", a)
		}
		if e := b.events(); e[audit.Accepted] != 1 || e[audit.HandedOver] != 1 || strings.Count(b.out.String(), "\n") != 1 {
			t.Errorf("records %v, %q passed", e, b.out.String())
		}
	})
}

// deaf is a consumer whose first answers fail.
type deaf struct {
	transport.Consumer
	failures *int
}

func (c deaf) Next(ctx context.Context) (transport.Delivery, error) {
	d, err := c.Consumer.Next(ctx)
	return deafDelivery{d, c.failures}, err
}

type deafDelivery struct {
	transport.Delivery
	failures *int
}

func (d deafDelivery) Answer(ctx context.Context, m transport.Message) error {
	if *d.failures > 0 {
		*d.failures--
		return errors.New("the connection was lost")
	}
	return d.Delivery.Answer(ctx, m)
}

// TestOtherKinds checks that a revocation is recorded before later messages, that chunks are rejected, and that
// messages of unknown kinds are dead letters.
func TestOtherKinds(t *testing.T) {
	b := newBench(t)
	b.publish(transport.Message{Kind: transport.Revocation, Body: []byte(`{"handoffId":"6e7f936b-cafd-4624-8754-000000000001","explanation":"too late"}`), ReplyTo: "sender"})
	b.send(message(1))
	b.publish(transport.Message{Kind: transport.Revocation, Body: []byte(`{}`), ReplyTo: "sender"})
	b.publish(transport.Message{Kind: transport.Chunk, Body: []byte(`{}`), ReplyTo: "sender"})
	b.publish(transport.Message{Kind: "spam", Body: []byte(`{}`), ReplyTo: "sender"})
	if err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range b.answers(3) {
		got = append(got, string(a.Status)+" "+string(a.Reason))
	}
	slices.Sort(got)
	if want := []string{"REJECTED REVOKED", "REJECTED REVOKED", "REJECTED SCHEMA_INVALID"}; !slices.Equal(got, want) {
		t.Errorf("answers %q, want %q", got, want)
	}
	if len(b.revoked) != 1 || len(b.answered) != 2 {
		t.Errorf("%d answers to revocations, and %d to others", len(b.revoked), len(b.answered))
	}
	if len(b.troubles) != 2 || len(b.downs) > 0 { // the failure is not the transport's
		t.Errorf("troubles %v, down %v", b.troubles, b.downs)
	}
	if n := len(b.memory.DeadLetters()); n != 2 {
		t.Errorf("%d dead letters", n)
	}
	if b.out.Len() > 0 {
		t.Errorf("%q passed", b.out.String())
	}
}

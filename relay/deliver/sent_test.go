package deliver_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// scripted is a place that publishes with a function.
type scripted struct {
	transport.Publisher
	publish func(transport.Message) (transport.Receipt, error)
}

func (p scripted) Publish(_ context.Context, m transport.Message) (transport.Receipt, error) {
	return p.publish(m)
}

func (scripted) Answers(context.Context, string) (transport.Consumer, error) {
	return nil, transport.ErrNoAnswers
}

func (scripted) Close() error { return nil }

// TestSentElsewhere checks that a message that was or may have been sent to one address is not sent to another
// one: the error has both addresses and the remedy, and nothing is published.
func TestSentElsewhere(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		b.put("memory://h/a", place.Publisher())
		b.put("memory://me:old@h/a", place.Publisher())
		b.put("memory://h/wrong", scripted{publish: func(transport.Message) (transport.Receipt, error) {
			b.Error("it was published at another place as well")
			return transport.Receipt{}, nil
		}})
		b.put("memory://h/broken", scripted{publish: func(transport.Message) (transport.Receipt, error) {
			return transport.Receipt{}, errors.New("cut")
		}})
		refused := func(message []byte, address string, want ...string) {
			b.Helper()
			err := b.send(b.outgoing(message, address))[0].Err
			if !errors.As(err, new(*deliver.BusyError)) {
				b.Errorf("it was sent to %s as well: %v", address, err)
				return
			}
			for _, text := range want {
				if !strings.Contains(err.Error(), text) {
					b.Errorf("the error has no %q: %v", text, err)
				}
			}
		}
		b.send(b.outgoing(example(b), "memory://h/a"))
		refused(example(b), "memory://h/wrong", "was sent to memory://h/a (", "is not sent to memory://h/wrong", "revoke it there with a forced rollback", "new handoffId")
		refused(example(b), "memory://other@h/a", "by another user")
		b.answer(b.next(place.Consumer()), receiver.Accepted, nil)
		b.wait(exampleID)
		refused(example(b), "memory://h/wrong", "was sent to memory://h/a, where its receiver accepted it", "it is not sent to memory://h/wrong", "new handoffId")

		second := example(b, "0bafc4e8acb3", "000000000002")
		b.send(b.outgoing(second, "memory://h/broken"))
		refused(second, "memory://h/wrong", "may have been sent to memory://h/broken", "is not sent to memory://h/wrong")

		// An address with another password is the same place, and a message that was never given to a transport
		// may be sent elsewhere.
		third := example(b, "0bafc4e8acb3", "000000000003")
		b.send(b.outgoing(third, "memory://me:old@h/a"))
		if r := b.send(b.outgoing(third, "memory://me:new@h/a"))[0]; r.Err != nil || r.Before != deliver.Dispatched {
			b.Errorf("with another password: %+v", r)
		}
		fourth := example(b, "0bafc4e8acb3", "000000000004")
		b.send(b.outgoing(fourth, "memory://h/nobody"))
		if r := b.send(b.outgoing(fourth, "memory://h/a"))[0]; r.Err != nil || r.Confirmed != deliver.Taken {
			b.Errorf("after a place that could not be opened: %+v", r)
		}
	})
}

// TestConfirmed checks that the sender reports the confirmation of the transport: that it took the message, or
// already had it.
func TestConfirmed(t *testing.T) {
	onStores(t, func(b *bench) {
		had := false
		b.put("memory:a", scripted{publish: func(transport.Message) (transport.Receipt, error) {
			if !had {
				had = true
				return transport.Receipt{}, errors.New("cut")
			}
			return transport.Receipt{Duplicate: true}, nil
		}})
		if r := b.send(b.outgoing(example(b), "memory:a"))[0]; r.Confirmed != deliver.NotConfirmed || r.State != deliver.Waiting {
			b.Errorf("%+v", r)
		}
		if r := b.send(b.outgoing(example(b), "memory:a"))[0]; r.Confirmed != deliver.Known || r.State != deliver.Dispatched {
			b.Errorf("%+v", r)
		}
		if r := b.send(b.outgoing(example(b), "memory:a"))[0]; r.Confirmed != deliver.NotConfirmed || r.Before != deliver.Dispatched {
			b.Errorf("%+v", r)
		}
	})
}

// TestIDsOfSenders checks that no transport confuses the messages of two senders.
func TestIDsOfSenders(t *testing.T) {
	onStores(t, func(b *bench) {
		var ids []string
		b.put("memory:a", scripted{publish: func(m transport.Message) (transport.Receipt, error) {
			ids = append(ids, m.ID)
			return transport.Receipt{}, nil
		}})
		b.send(b.outgoing(example(b), "memory:a"))
		b.close()
		b.address = filepath.Join(b.TempDir(), "other.db")
		b.open()
		b.send(b.outgoing(example(b), "memory:a"))
		if len(ids) != 2 || ids[0] == ids[1] {
			b.Errorf("the messages of two senders have the IDs %q", ids)
		}
	})
}

// TestNoAnswerToIt checks that a response that is not an answer to the message does not count as its arrival.
func TestNoAnswerToIt(t *testing.T) {
	onStores(t, func(b *bench) {
		for i, body := range []string{
			`{"error":"no such tenant"}`, `{}`, `[]`, `"ok"`, `{"handoffId":`,
			string(answerText("another", receiver.Accepted, nil)), string(answerText("", receiver.Accepted, nil)), string(answerText(exampleID, "OK", nil)),
		} {
			address := fmt.Sprint("memory:", i)
			b.put(address, scripted{publish: func(m transport.Message) (transport.Receipt, error) {
				return transport.Receipt{Answer: &transport.Message{Kind: transport.Answer, Body: []byte(body)}}, nil
			}})
			id := strings.Replace(exampleID, "0bafc4e8acb3", fmt.Sprintf("%012d", i), 1)
			r := b.send(b.outgoing(example(b, exampleID, id), address))[0]
			if r.State != deliver.Waiting || r.Confirmed != deliver.NotConfirmed || !strings.Contains(r.Problem, "not an answer to this handoff") {
				b.Errorf("after %s it is %s, %q, %q", body, r.State, r.Confirmed, r.Problem)
			}
		}
	})
}

package deliver_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// forge sends an answer to a sender, signed by a key unless it is nil, and returns the resulting state of the
// example's handoff.
func (b *bench) forge(place *transport.Memory, key *sign.Key, change func(*receiver.Answer, *transport.Message)) *deliver.Handoff {
	b.Helper()
	h := b.first(exampleID)
	a := receiver.Answer{
		HandoffID: exampleID, TaskID: exampleTask, Receiver: h.Receiver, Status: receiver.Accepted, Attempt: 1,
		RecordHash: audit.Hash{1}, RecordedAt: audit.FormatTime(b.now.Add(time.Duration(answers.Add(1)) * time.Microsecond)),
	}
	m := transport.Message{Kind: transport.Answer, Key: exampleID, Attempt: 1}
	if change != nil {
		change(&a, &m)
	}
	if m.Body == nil {
		r, err := receiver.New(b.Context(), validate.New(validate.Options{}), audittest.New(b.T), receiver.Options{AnswerKey: key})
		if err == nil {
			m.Body, err = r.AppendAnswer(nil, a)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.reopen() // a silent listener could take more, and end before it acknowledges it
	if err := place.Consumer().Reply(b.Context(), b.store.Name(), m); err != nil {
		b.Fatal(err)
	}
	if err := b.sender.Sweep(b.Context(), []string{h.Destination}); err != nil {
		b.Fatal(err)
	}
	return b.first(exampleID)
}

func (b *bench) first(id string) *deliver.Handoff {
	b.Helper()
	list, err := b.store.Find(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	return list[0]
}

// sent returns a place to which the example was sent.
func (b *bench) sent() *transport.Memory {
	b.Helper()
	place := &transport.Memory{}
	b.put("mem:a", place.Publisher())
	b.send(b.outgoing(example(b), "mem:a"))
	return place
}

// trusting reopens the sender with a key of the example's receiver, and returns the key.
func (b *bench) trusting(agents ...string) *sign.Key {
	b.Helper()
	key := sign.NewEd25519Key("scorer-1")
	public, _ := key.Public()
	v, err := sign.NewVerifier([]sign.Key{public})
	if err != nil {
		b.Fatal(err)
	}
	b.options.Verifier = v.WithTrust(sign.Trust{{KeyID: "scorer-1", Agents: agents}})
	b.reopen()
	return &key
}

// TestForgedAnswer checks that an answer that contradicts the sent message changes nothing, with and without
// keys.
func TestForgedAnswer(t *testing.T) {
	onStores(t, func(b *bench) {
		place := b.sent()
		for want, change := range map[string]func(*receiver.Answer, *transport.Message){
			"recordHash is zero": func(a *receiver.Answer, _ *transport.Message) { a.RecordHash = audit.Hash{} },
			"after the present time": func(a *receiver.Answer, _ *transport.Message) {
				a.RecordedAt = audit.FormatTime(b.now.Add(6 * time.Minute))
			},
			"before the message was sent at": func(a *receiver.Answer, _ *transport.Message) {
				a.RecordedAt = audit.FormatTime(b.now.Add(-6 * time.Minute))
			},
			"its time is not valid: ":          func(a *receiver.Answer, _ *transport.Message) { a.RecordedAt = "soon" },
			"it answers attempt 2":             func(_ *receiver.Answer, m *transport.Message) { m.Attempt = 2 },
			"attempts is negative: -1":         func(a *receiver.Answer, _ *transport.Message) { a.Attempt = -1 },
			"it answers another message: its":  func(_ *receiver.Answer, m *transport.Message) { m.Key = "other" },
			"it is about another task":         func(a *receiver.Answer, _ *transport.Message) { a.TaskID = "other" },
			"the digests differ":               func(a *receiver.Answer, _ *transport.Message) { a.MessageDigest = audit.Hash{2} },
			"the unknown status \"TAKEN\"":     func(a *receiver.Answer, _ *transport.Message) { a.Status = "TAKEN" },
			"it answers attempt 3, but the la": func(a *receiver.Answer, m *transport.Message) { a.Status, m.Attempt = receiver.Rejected, 3 },
		} {
			before := b.first(exampleID)
			key := sign.NewEd25519Key("any") // only signed answers have the digest
			h := b.forge(place, &key, change)
			if h.State != deliver.Dispatched || h.Answer != nil || h.Refused != before.Refused+1 || !strings.Contains(h.Refusal, want) {
				b.Errorf("%s: %s, answer %v, %d refused: %s", want, h.State, h.Answer, h.Refused, h.Refusal)
			}
		}
		if h := b.forge(place, nil, nil); h.State != deliver.Accepted || h.AnswerCheck != deliver.AnswerUnsigned {
			b.Errorf("%s, %s", h.State, h.AnswerCheck)
		}
		_, err := b.sender.Rollback(b.Context(), b.Context(), deliver.Rollback{HandoffID: exampleID})
		if err == nil || !strings.Contains(err.Error(), "there is only an unverified answer from") {
			b.Errorf("%v", err)
		}
	})
}

// TestSignedAnswer checks that, if the sender has a key of a receiver, only answers signed by it count, also
// answers of that receiver's agents.
func TestSignedAnswer(t *testing.T) {
	onStores(t, func(b *bench) {
		key := b.trusting("risk-*")
		place := b.sent()
		stranger := sign.NewEd25519Key("scorer-1")
		for name, key := range map[string]*sign.Key{"unsigned": nil, "another key": &stranger} {
			for _, status := range []receiver.Status{receiver.Accepted, receiver.Rejected, receiver.Completed, receiver.Duplicate} {
				h := b.forge(place, key, func(a *receiver.Answer, _ *transport.Message) { a.Status = status })
				if h.State != deliver.Dispatched || h.Answer != nil || !strings.Contains(h.Refusal, "it is not signed by a key that may answer for ") {
					b.Errorf("%s, %s: %s, %v: %s", name, status, h.State, h.Answer, h.Refusal)
				}
			}
		}
		if h := b.forge(place, key, nil); h.State != deliver.Accepted || h.AnswerCheck != deliver.AnswerVerified || h.AnswerKey != "scorer-1" {
			b.Errorf("%s, %s: %s", h.State, h.AnswerCheck, h.Refusal)
		}
		if h := b.forge(place, key, func(a *receiver.Answer, _ *transport.Message) { a.Status = receiver.Completed }); h.State != deliver.Completed {
			b.Errorf("%s: %s", h.State, h.Refusal)
		}
		_, err := b.sender.Rollback(b.Context(), b.Context(), deliver.Rollback{HandoffID: exampleID})
		if err == nil || strings.Contains(err.Error(), "unverified") {
			b.Errorf("%v", err)
		}
	})
}

// TestAnswerWithoutKeyOfReceiver checks that a receiver without a known key is treated as without keys, and
// that the sender reports whether its answer is signed.
func TestAnswerWithoutKeyOfReceiver(t *testing.T) {
	onStores(t, func(b *bench) {
		key := b.trusting("legal-*")
		place := b.sent()
		if h := b.forge(place, key, nil); h.State != deliver.Accepted || h.AnswerCheck != deliver.AnswerUnchecked {
			b.Errorf("%s, %s: %s", h.State, h.AnswerCheck, h.Refusal)
		}
	})
}

// TestAnswerReplayed checks that a signature for another handoff, another document or an earlier attempt is
// refused.
func TestAnswerReplayed(t *testing.T) {
	onStores(t, func(b *bench) {
		key := b.trusting("risk-*")
		place := b.sent()
		rejected := func(a *receiver.Answer, _ *transport.Message) {
			a.Status, a.Reason, a.Retryable = receiver.Rejected, "SCHEMA_INVALID", true
		}
		text := string(key.SignText([]byte("any")))
		for name, body := range map[string]string{
			"no signature of this text": `{"handoffAnswer":"1.0","handoffId":"` + exampleID + `","status":"ACCEPTED","attempt":1,"recordHash":"` + (audit.Hash{1}).String() + `","recordedAt":"` + audit.FormatTime(b.now) + `","signature":"` + text + `"}`,
		} {
			if h := b.forge(place, nil, func(_ *receiver.Answer, m *transport.Message) { m.Body = []byte(body) }); h.State != deliver.Dispatched {
				b.Errorf("%s: %s", name, h.State)
			}
		}
		var old []byte
		h := b.forge(place, key, func(a *receiver.Answer, m *transport.Message) {
			rejected(a, m)
			r, err := receiver.New(b.Context(), validate.New(validate.Options{}), audittest.New(b.T), receiver.Options{AnswerKey: key})
			if err == nil {
				old, err = r.AppendAnswer(nil, *a)
			}
			if err != nil {
				b.Fatal(err)
			}
			m.Body = old
		})
		if h.State != deliver.Rejected {
			b.Fatalf("%s: %s", h.State, h.Refusal)
		}
		b.set(b.now.Add(time.Second))
		b.send(b.outgoing(example(b), "mem:a"))
		h = b.forge(place, nil, func(_ *receiver.Answer, m *transport.Message) { m.Body, m.Attempt = old, 2 })
		if h.State != deliver.Dispatched || h.Attempt != 2 {
			b.Errorf("%s, attempt %d", h.State, h.Attempt)
		}
	})
}

// TestAnswerOfAnotherReceiver checks that one of several receivers cannot acknowledge for another.
func TestAnswerOfAnotherReceiver(t *testing.T) {
	onStores(t, func(b *bench) {
		key := b.trusting("*")
		place, other := &transport.Memory{}, &transport.Memory{}
		b.put("mem:a", place.Publisher())
		b.put("mem:b", other.Publisher())
		b.send(b.outgoing(example(b, `"toAgent"`, `"receiverList": [{"agentType": "one"}, {"agentType": "two"}], "toAgent"`), "mem:a", "mem:b"))
		b.forge(place, key, func(a *receiver.Answer, _ *transport.Message) { a.Receiver = "two" })
		b.wantState(exampleID, deliver.Dispatched, deliver.Dispatched)
		taken, missing, err := b.store.Acknowledged(b.Context(), exampleID)
		if err != nil || len(taken) != 0 || len(missing) != 2 {
			b.Errorf("%v, %v, %v", taken, missing, err)
		}
	})
}

// TestLongAnswer checks that an answer longer than any receiver writes is refused, and that texts in an answer
// are cut.
func TestLongAnswer(t *testing.T) {
	onStores(t, func(b *bench) {
		place := b.sent()
		h := b.forge(place, nil, func(_ *receiver.Answer, m *transport.Message) {
			m.Body = []byte(`{"handoffId":"` + exampleID + `","x":"` + strings.Repeat("x", receiver.MaxAnswer) + `"}`)
		})
		if h.State != deliver.Dispatched || h.Answer != nil || b.sender.News().Unknown != 1 {
			b.Errorf("%s", h.State)
		}
		h = b.forge(place, nil, func(a *receiver.Answer, _ *transport.Message) {
			a.Details, a.Status = strings.Repeat("y", 2*receiver.MaxExplanation), receiver.Rejected
		})
		if h.Answer == nil || len(h.Answer.Details) > receiver.MaxExplanation {
			b.Errorf("%s", h.State)
		}
	})
}

// TestRevocationSigned checks that a rollback signs the revocation like its message, so that the process that
// publishes it needs no key.
func TestRevocationSigned(t *testing.T) {
	onStores(t, func(b *bench) {
		key := sign.NewEd25519Key("legal-1")
		place := b.sent()
		b.next(place.Consumer())
		b.put("mem:a", nil)
		b.reopen()
		ctx, cancel := context.WithCancel(b.Context())
		cancel()
		if _, err := b.sender.Rollback(b.Context(), ctx, deliver.Rollback{HandoffID: exampleID, Force: true, Key: &key, Explanation: strings.Repeat("z", 1<<20)}); err != nil {
			b.Fatal(err)
		}
		b.put("mem:a", place.Publisher())
		b.reopen()
		if err := b.store.Hasten(b.Context(), b.now); err != nil {
			b.Fatal(err)
		}
		if err := b.sender.Flush(b.Context(), func([]*deliver.Handoff) error { return nil }); err != nil {
			b.Fatal(err)
		}
		m := b.next(place.Consumer()).Message()
		public, _ := key.Public()
		v, err := sign.NewVerifier([]sign.Key{public})
		if err != nil {
			b.Fatal(err)
		}
		r, err := receiver.New(b.Context(), validate.New(validate.Options{Verifier: v}), audittest.New(b.T), receiver.Options{Limits: jsonstream.Limits{}})
		if err != nil {
			b.Fatal(err)
		}
		read, err := r.ReadRevocation(m.Body, b.now)
		if err == nil {
			_, err = r.Revoke(b.Context(), read)
		}
		if err != nil || m.Kind != transport.Revocation || len(m.Body) > 2*receiver.MaxExplanation {
			b.Errorf("%v: %s of %d bytes", err, m.Kind, len(m.Body))
		}
	})
}

// TestSignedAnswerAfterForged checks that a signed answer replaces earlier and later forged acceptances.
func TestSignedAnswerAfterForged(t *testing.T) {
	onStores(t, func(b *bench) {
		place := b.sent()
		h := b.forge(place, nil, func(a *receiver.Answer, _ *transport.Message) {
			a.RecordedAt = audit.FormatTime(b.now.Add(4 * time.Minute))
		})
		if h.State != deliver.Accepted {
			b.Fatalf("%s: %s", h.State, h.Refusal)
		}
		key := b.trusting("risk-*")
		b.forge(place, key, func(a *receiver.Answer, _ *transport.Message) {
			a.Status, a.Reason, a.MessageDigest = receiver.Rejected, "SAFETY_VIOLATION", digestOf(b.T)
		})
		if err := b.sender.Settle(b.Context()); err != nil {
			b.Fatal(err)
		}
		if h = b.first(exampleID); h.State != deliver.RolledBack || h.AnswerCheck != deliver.AnswerVerified {
			b.Errorf("%s, %s: %s", h.State, h.AnswerCheck, h.Refusal)
		}
	})
}

// digestOf returns the digest of the example.
func digestOf(t *testing.T) audit.Hash {
	t.Helper()
	m, err := message.Parse(example(t), message.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := m.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return audit.Hash(d)
}

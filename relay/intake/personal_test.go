package intake_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
	"github.com/eaapl/handoff/relay/audit/personal/sqlkeys"
	"github.com/eaapl/handoff/relay/transport"
)

// The customer of messages with personal data, and the other personal data.
const (
	customer     = "SUBJ-98017"
	personalName = "zebedee qx"
)

// withPolicy sets the policy of a bench, and returns the sealer with the keys.
func (b *bench) withPolicy() *personal.Sealer {
	b.Helper()
	keys, err := sqlkeys.Open(b.Context(), filepath.Join(b.TempDir(), "keys.db"), sqlkeys.Options{Create: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { keys.Close() })
	scanner, err := privacy.New(privacy.Policy{Subject: "/currentState/customer/id", Always: []string{"/currentState/customer/*", "/taskDescription"}})
	if err != nil {
		b.Fatal(err)
	}
	sealer, err := personal.New(personal.Options{Scanner: scanner, Keys: func(context.Context) (personal.KeyStore, error) { return keys, nil }})
	if err != nil {
		b.Fatal(err)
	}
	b.sealer = sealer
	return sealer
}

// aboutCustomer returns the message with a number, with personal data.
func aboutCustomer(n int) []byte {
	text := bytes.Replace(message(n), []byte(`"taskDescription": "`), []byte(`"taskDescription": "`+personalName+`: `), 1)
	return bytes.Replace(text, []byte(`"currentState": {`), []byte(`"currentState": {"customer": {"id": "`+customer+`", "name": "`+personalName+`"},`), 1)
}

// rejected returns the only record of a rejection.
func (b *bench) rejected() audit.Stored {
	b.Helper()
	var list []audit.Stored
	err := b.log.Store().View(b.Context(), func(r audit.Reader) error {
		for s, err := range r.Records(audit.Filter{Events: []audit.Event{audit.Rejected}}) {
			if err != nil {
				return err
			}
			list = append(list, s)
		}
		return nil
	})
	if err != nil || len(list) != 1 {
		b.Fatalf("%d records say that something is rejected, want 1; error %v", len(list), err)
	}
	return list[0]
}

// kept returns the only rejected message in the log: as stored, and restored.
func (b *bench) kept(sealer *personal.Sealer) (stored, original []byte, err error) {
	b.Helper()
	rejected := b.rejected()
	failed := b.log.Store().View(b.Context(), func(r audit.Reader) error {
		frame, failed := r.Frame(rejected.Sequence)
		if failed != nil {
			return failed
		}
		if stored, failed = audit.ReadFrame(frame, 1<<20); failed != nil {
			return failed
		}
		original, err = sealer.Restore(b.Context(), r, rejected, stored)
		return nil
	})
	if failed != nil {
		b.Fatal(failed)
	}
	return stored, original, err
}

// checkErased checks that an erasure leaves nothing of the only rejected message.
func (b *bench) checkErased(sealer *personal.Sealer, of personal.Subject) {
	b.Helper()
	if _, err := sealer.Erase(b.Context(), b.log, of, personal.Decision{Reason: "a test"}); err != nil {
		b.Fatal(err)
	}
	if _, _, err := b.kept(sealer); !errors.As(err, new(*personal.ErasedError)) {
		b.Errorf("after the erasure the error is %v", err)
	}
}

// TestUnshown checks that a valid message that cannot be rendered for the receiver is recorded as received,
// complete or in chunks, with its personal data stored separately, and erased with its subject.
func TestUnshown(t *testing.T) {
	for name, publish := range map[string]func(*bench){
		"whole":     func(b *bench) { b.send(aboutCustomer(1)) },
		"in chunks": func(b *bench) { b.publishAll(b.chunksOf(aboutCustomer(1), 1, nil)) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newStreamBench(t)
			sealer := b.withPolicy()
			b.options.Show = func([]byte) ([]byte, error) { return nil, errors.New("it cannot be rendered") }
			publish(b)
			if err := b.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			stored, original, err := b.kept(sealer)
			if err != nil {
				t.Fatal(err)
			}
			compact := func(text []byte) string { return string(jsonstream.AppendCompact(nil, text)) }
			if compact(original) != compact(aboutCustomer(1)) {
				t.Errorf("the log has\n%s", original)
			}
			for _, word := range []string{customer, personalName} {
				if bytes.Contains(stored, []byte(word)) {
					t.Errorf("%q is stored in plain text", word)
				}
			}
			b.checkErased(sealer, personal.Subject{ID: customer})
		})
	}
}

// TestRejectedChunks checks that everything recorded of a stream that is rejected before it is complete is
// stored separately, including a chunk, which does not have the values named by the policy.
func TestRejectedChunks(t *testing.T) {
	for name, tt := range map[string]struct {
		damage func([]transport.Message) []transport.Message
		want   func([]transport.Message) []byte // the recorded text
	}{
		"the first chunk is wrong": {
			func(list []transport.Message) []transport.Message {
				list[0].Body = bytes.Replace(list[0].Body, []byte(`"schemaVersion":"2.0"`), []byte(`"schemaVersion":"9"`), 1)
				return list[:1]
			},
			func(list []transport.Message) []byte { return list[0].Body },
		},
		"the first chunk is missing": {
			func(list []transport.Message) []transport.Message {
				return slices.DeleteFunc(list[1:], func(m transport.Message) bool { return !bytes.Contains(m.Body, []byte(personalName)) })
			},
			func(list []transport.Message) []byte { return list[0].Body },
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newStreamBench(t)
			sealer := b.withPolicy()
			b.options.Streams.Timeout = 10 * time.Millisecond
			b.options.Streams.FirstWithin = time.Hour
			list := tt.damage(b.chunksOf(aboutCustomer(1), 1, nil))
			if len(list) == 0 || !bytes.Contains(list[0].Body, []byte(personalName)) {
				t.Fatal("no personal data in the chunk")
			}
			b.publishAll(list)
			if err := b.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			stored, original, err := b.kept(sealer)
			if err != nil {
				t.Fatal(err)
			}
			if want := tt.want(list); !bytes.Equal(original, want) {
				t.Errorf("the log has\n%s\nwant\n%s", original, want)
			}
			if bytes.Contains(stored, []byte(personalName)) {
				t.Errorf("stored in plain text:\n%s", stored)
			}
			sequence := b.rejected().Sequence
			b.checkErased(sealer, personal.Subject{Record: &sequence})
		})
	}
}

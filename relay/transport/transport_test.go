package transport_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/transporttest"
)

func TestMemory(t *testing.T) {
	transporttest.Run(t, func(*testing.T) transporttest.Place {
		var m transport.Memory
		return transporttest.Place{
			Publisher: func(*testing.T) transport.Publisher { return m.Publisher() },
			Consumer:  func(*testing.T) transport.Consumer { return m.Consumer() },
			DeadLetters: func(*testing.T) (bodies [][]byte) {
				for _, letter := range m.DeadLetters() {
					bodies = append(bodies, letter.Body)
				}
				return bodies
			},
		}
	})
}

func FuzzHeaders(f *testing.F) {
	f.Add("", "")
	f.Add("Handoff-Attempt", "-1")
	f.Add("traceparent", "00-%0")
	f.Fuzz(func(t *testing.T, name, value string) {
		var m transport.Message
		m.SetHeader(name, value)
		var again transport.Message
		for _, h := range m.Headers() {
			for _, c := range []byte(h.Value) {
				if c <= ' ' || c > '~' {
					t.Errorf("%s has the byte %#x", h.Name, c)
				}
			}
			again.SetHeader(h.Name, h.Value)
		}
		if again.Key != m.Key || again.DispatchedAt != m.DispatchedAt || again.Attempt != m.Attempt || again.Claim != m.Claim {
			t.Errorf("%+v came back as %+v", m, again)
		}
	})
}

// TestMemoryInTurn checks that the consumer that has waited longest gets the next message, so that a message
// that one consumer returns reaches another one.
func TestMemoryInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var place transport.Memory
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan string, 1)
		wait := func(name string, c transport.Consumer) {
			go func() {
				if _, err := c.Next(ctx); err == nil {
					got <- name
				}
			}()
			synctest.Wait()
		}
		consumers := map[string]transport.Consumer{"a": place.Consumer(), "b": place.Consumer()}
		wait("a", consumers["a"])
		wait("b", consumers["b"])
		for _, want := range []string{"a", "b", "a", "b"} {
			if _, err := place.Publisher().Publish(ctx, transport.Message{}); err != nil {
				t.Fatal(err)
			}
			if name := <-got; name != want {
				t.Errorf("%s gets the message, want %s", name, want)
			}
			wait(want, consumers[want])
		}
		cancel()
		synctest.Wait()
		// A consumer that has stopped waiting gets no message.
		if _, err := place.Publisher().Publish(t.Context(), transport.Message{}); err != nil {
			t.Fatal(err)
		}
		if _, err := consumers["a"].Next(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

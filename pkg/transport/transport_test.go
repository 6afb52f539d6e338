package transport_test

import (
	"testing"

	"github.com/eaapl/handoff/pkg/transport"
	"github.com/eaapl/handoff/pkg/transport/transporttest"
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

package deliver_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/http"
)

// busy is a place that cannot accept messages now.
type busy struct {
	transport.Publisher
	err error
}

func (p busy) Publish(context.Context, transport.Message) (transport.Receipt, error) {
	return transport.Receipt{}, p.err
}

func (busy) Close() error { return nil }

// TestPutOff checks that a receiver that names a time for the next try is not tried before it, but is not
// delayed longer than any other.
func TestPutOff(t *testing.T) {
	for _, tt := range []struct {
		name     string
		after    time.Duration
		min, max time.Duration // time until the next try
	}{
		{"it did not say", 0, 500 * time.Millisecond, time.Second},
		{"sooner than anyhow", time.Millisecond, 500 * time.Millisecond, time.Second},
		{"later", 40 * time.Second, 40 * time.Second, 40 * time.Second},
		{"much later", time.Hour, 5 * time.Minute, 5 * time.Minute},
		{"nonsense", -time.Hour, 500 * time.Millisecond, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onStores(t, func(b *bench) {
				b.put("memory:a", busy{err: fmt.Errorf("posting: %w", &http.BusyError{Err: errors.New("it has too much to do"), After: tt.after})})
				r := b.send(b.outgoing(example(b), "memory:a"))[0]
				if d := r.Next.Sub(b.now); r.State != deliver.Waiting || d < tt.min || d > tt.max {
					b.Errorf("it is %s, and tried again after %s", r.State, d)
				}
				if next, err := b.store.NextDue(b.Context()); err != nil || next != r.Next.Truncate(time.Microsecond) {
					b.Errorf("the next is due at %s, want %s (%v)", next, r.Next, err)
				}
			})
		})
	}
}

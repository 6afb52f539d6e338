package intake_test

import (
	"context"
	"net/url"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/intake"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/dir"
)

// BenchmarkIntake measures messages from a transport, with the audit log in a file: the rate for messages that
// already wait, and the latency at 200 messages per second, from the publication to the record and the
// handover.
func BenchmarkIntake(b *testing.B) {
	places := map[string]func(*testing.B) place{
		"memory": func(*testing.B) place {
			var m transport.Memory
			return place{m.Publisher(), func(context.Context) (transport.Consumer, error) { return m.Consumer(), nil }}
		},
		"dir": func(b *testing.B) place {
			u := &url.URL{Scheme: "dir", Path: b.TempDir()}
			p, err := dir.Publish(b.Context(), u, transport.Options{})
			if err != nil {
				b.Fatal(err)
			}
			return place{p, func(ctx context.Context) (transport.Consumer, error) { return dir.Consume(ctx, u, transport.Options{}) }}
		},
	}
	for name, open := range places {
		b.Run(name+"/all at once", func(b *testing.B) {
			p := open(b)
			for n := range b.N {
				p.send(b, n)
			}
			b.ResetTimer()
			p.receive(b)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
		})
		b.Run(name+"/200 a second", func(b *testing.B) {
			p := open(b)
			go func() {
				tick := time.NewTicker(5 * time.Millisecond)
				defer tick.Stop()
				for n := range b.N {
					<-tick.C
					p.send(b, n)
				}
			}()
			b.ResetTimer()
			latencies := p.receive(b)
			slices.Sort(latencies)
			for name, part := range map[string]float64{"p50-ms": 0.5, "p99-ms": 0.99, "max-ms": 1} {
				b.ReportMetric(latencies[int(float64(len(latencies)-1)*part)].Seconds()*1000, name)
			}
		})
	}
}

// place is a queue of a transport.
type place struct {
	publisher transport.Publisher
	open      func(context.Context) (transport.Consumer, error)
}

func (p place) send(b *testing.B, n int) {
	_, err := p.publisher.Publish(context.Background(), transport.Message{Kind: transport.Handoff, Body: message(n), ReplyTo: "sender", DispatchedAt: time.Now()})
	if err != nil {
		b.Error(err)
	}
}

// receive receives the messages of a benchmark, and returns the latencies.
func (p place) receive(b *testing.B) []time.Duration {
	store, err := sqlstore.Open(b.Context(), filepath.Join(b.TempDir(), "audit.db"), sqlstore.Options{Create: true})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	r, err := receiver.New(b.Context(), validate.New(validate.Options{}), audit.NewLog(store, nil), receiver.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var out lockedBuffer
	var seen observed
	i, err := intake.New(r, intake.Options{Open: p.open, Stream: intake.Lines{W: &out}, MaxMessages: b.N, Observer: &seen})
	if err != nil {
		b.Fatal(err)
	}
	if err := i.Run(b.Context()); err != nil {
		b.Fatal(err)
	}
	if len(seen.latencies) != b.N {
		b.Errorf("%d messages, want %d", len(seen.latencies), b.N)
	}
	return seen.latencies
}

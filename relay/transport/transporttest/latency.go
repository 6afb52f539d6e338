package transporttest

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/transport"
)

// Latency publishes 200 messages of 2 kB a second, and reports the time from the call to Publish
// until Next returns each. The messages are acknowledged at the same time.
func Latency(b *testing.B, p transport.Publisher, c transport.Consumer) {
	const every = 5 * time.Millisecond
	ctx := context.WithoutCancel(b.Context())
	body := bytes.Repeat([]byte("x"), 2000)
	var sending sync.WaitGroup
	sending.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for j := range b.N {
			<-tick.C
			sending.Go(func() { // even if the previous one has not arrived
				m := numbered(j)
				m.Body, m.DispatchedAt = body, time.Now()
				if _, err := p.Publish(ctx, m); err != nil {
					b.Error(err)
				}
			})
		}
	})
	took := make([]time.Duration, 0, b.N)
	for range b.N {
		d, err := c.Next(ctx)
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(d.Message().DispatchedAt))
		sending.Go(func() {
			if err := d.Ack(ctx); err != nil {
				b.Error(err)
			}
		})
	}
	sending.Wait()
	slices.Sort(took)
	for name, i := range map[string]int{"p50-ms": len(took) / 2, "p99-ms": len(took) * 99 / 100, "max-ms": len(took) - 1} {
		b.ReportMetric(float64(took[i].Microseconds())/1000, name)
	}
	closing(b, c)
	closing(b, p)
}

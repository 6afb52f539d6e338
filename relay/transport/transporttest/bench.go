package transporttest

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/transport"
)

// Benchmark publishes messages of 2 kB from 64 goroutines, then takes and acknowledges them in one,
// and reports both rates.
func Benchmark(b *testing.B, p transport.Publisher, c transport.Consumer) {
	const publishers = 64
	ctx := context.WithoutCancel(b.Context())
	body := bytes.Repeat([]byte("x"), 2000)
	var sending sync.WaitGroup
	start := time.Now()
	for i := range publishers {
		sending.Go(func() {
			for j := i; j < b.N; j += publishers {
				m := numbered(j)
				m.Body = body
				if _, err := p.Publish(ctx, m); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	sending.Wait()
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "published/s")
	start = time.Now()
	for range b.N {
		d, err := c.Next(ctx)
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Ack(ctx); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "consumed/s")
	for _, end := range []func() error{c.Close, p.Close} {
		if err := end(); err != nil {
			b.Error(err)
		}
	}
}

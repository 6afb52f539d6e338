package sqlqueue_test

import (
	"bytes"
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/transporttest"
)

func BenchmarkQueue(b *testing.B) {
	for name, start := range map[string]func(testing.TB) *url.URL{"SQLite": onSQLite, "PostgreSQL": onPostgres} {
		b.Run(name+"/rate", func(b *testing.B) {
			u := start(b)
			transporttest.Benchmark(b, publisher(b, u), consumer(b, u, transport.Options{}))
		})
		b.Run(name+"/latency", func(b *testing.B) {
			u := start(b)
			transporttest.Latency(b, publisher(b, u), consumer(b, u, transport.Options{}))
		})
		b.Run(name+"/through", func(b *testing.B) { through(b, start(b)) })
	}
}

// through sends messages from 4 publishers, each of which waits for every message, while a consumer takes them
// and 8 goroutines acknowledge them.
func through(b *testing.B, u *url.URL) {
	const publishers, workers = 4, 8
	body := bytes.Repeat([]byte("x"), 2000)
	c := consumer(b, u, transport.Options{})
	var open []transport.Publisher
	for range publishers {
		open = append(open, publisher(b, u))
	}
	began := time.Now()
	var running sync.WaitGroup
	for i, p := range open {
		running.Go(func() {
			for j := i; j < b.N; j += publishers {
				if _, err := p.Publish(b.Context(), transport.Message{ID: fmt.Sprint(j), Body: body}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	work := make(chan transport.Delivery)
	for range workers {
		running.Go(func() {
			for d := range work {
				ack(b, d)
			}
		})
	}
	for range b.N {
		work <- transporttest.Next(b, c)
	}
	close(work)
	running.Wait()
	b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "through/s")
	end(b, c)
	for _, p := range open {
		end(b, p)
	}
}

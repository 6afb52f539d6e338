package live_test

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/eaapl/handoff/relay/audit"
)

var logRecords = flag.Int("records", 20_000, "how many records the log of the benchmark has")

// BenchmarkPages measures the time of pages of a log.
func BenchmarkPages(b *testing.B) {
	s := newBenchmarkSite(b)
	last := *logRecords / 8
	for _, page := range []struct{ name, path string }{
		{"newest", "/"},
		{"older", fmt.Sprintf("/?before=%d", *logRecords/2)},
		{"task", fmt.Sprintf("/?id=00000%03x-", last/2%4096)},
		{"handoff", fmt.Sprintf("/?id=%08x-0000-4000-9000-000000000001", last/2)},
		{"no such id", "/?id=ffff"},
		{"agent", "/?agent=agent-3"},
		{"no such agent", "/?agent=nobody"},
		{"event", "/?event=DEAD_LETTERED"},
		{"reason", "/?reason=SAFETY_VIOLATION"},
		{"no such reason", "/?reason=NONE"},
		{"time", "/?since=30d&until=1h"},
		{"letters", "/letters"},
		{"report", fmt.Sprintf("/task?id=%08x-0000-4000-8000-000000000000", last/2)},
	} {
		b.Run(page.name, func(b *testing.B) {
			for b.Loop() {
				r := httptest.NewRequest("GET", "http://127.0.0.1"+page.path, nil)
				r.Header.Set("Authorization", "Bearer "+token)
				w := httptest.NewRecorder()
				s.handler.ServeHTTP(w, r)
				if w.Code != 200 {
					b.Fatalf("status %d", w.Code)
				}
			}
		})
	}
}

// newBenchmarkSite returns a site with many records: eight per task, for two handoffs.
func newBenchmarkSite(b *testing.B) *site {
	b.Helper()
	s := newSite(b, nil)
	for first := 0; first < *logRecords/8; first += 1000 {
		err := s.log.Append(b.Context(), func(batch *audit.Batch) error {
			for i := first; i < min(first+1000, *logRecords/8); i++ {
				for h := range 2 {
					base := audit.Record{TaskID: fmt.Sprintf("%08x-0000-4000-8000-000000000000", i), HandoffID: fmt.Sprintf("%08x-0000-4000-9000-%012x", i, h), Sender: fmt.Sprintf("agent-%d", i%10), Receiver: fmt.Sprintf("agent-%d", i%10+h)}
					events := []audit.Event{audit.Dispatched, audit.Accepted, audit.HandedOver, audit.Completed}
					if i%50 == 0 && h == 1 {
						events = []audit.Event{audit.Dispatched, audit.Rejected, audit.DeadLettered, audit.Discarded}
					}
					for _, e := range events {
						r := base
						r.Event = e
						if e == audit.Rejected || e == audit.DeadLettered {
							r.Reason = "SAFETY_VIOLATION"
						}
						if _, err := batch.Add(r, nil); err != nil {
							return err
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return s
}

package metrics_test

import (
	"os"

	"github.com/eaapl/handoff/relay/metrics"
)

func ExampleWriter() {
	w := metrics.NewWriter(os.Stdout, "team_")
	w.Family("handoffs_total", metrics.Counter, "Handoffs, by sender.")
	w.Sample("", 3, "sender", metrics.Label("reader"))
	if err := w.Flush(); err != nil {
		panic(err)
	}
	// Output:
	// # HELP team_handoffs_total Handoffs, by sender.
	// # TYPE team_handoffs_total counter
	// team_handoffs_total{sender="reader"} 3
}

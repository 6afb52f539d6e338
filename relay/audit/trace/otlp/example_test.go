package otlp_test

import (
	"context"
	"fmt"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/trace"
	"github.com/eaapl/handoff/relay/audit/trace/otlp"
)

func ExampleExport() {
	err := audittest.With([]audit.Record{
		{Event: audit.Accepted, HandoffID: "h1", TaskID: "t1", Sender: "reader", Receiver: "scorer", Transport: "nats", LatencyMicros: 4000},
	}, func(ctx context.Context, store audit.Store) error {
		return store.View(ctx, func(r audit.Reader) error {
			task, err := trace.Read(r, "t1")
			if err != nil {
				return err
			}
			request, err := otlp.Export(r, task, "1.0")
			if err != nil {
				return err
			}
			for _, resource := range request.ResourceSpans {
				for _, span := range resource.ScopeSpans[0].Spans {
					fmt.Println(span.Name, (span.End-span.Start)/1e6, "ms")
				}
			}
			return nil
		})
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// handoff scorer 4 ms
}

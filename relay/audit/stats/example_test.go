package stats_test

import (
	"context"
	"fmt"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/stats"
)

func Example() {
	err := audittest.With([]audit.Record{
		{Event: audit.Accepted, Sender: "reader", Receiver: "scorer", Transport: "http", LatencyMicros: 650_000},
		{Event: audit.Rejected, Sender: "reader", Receiver: "scorer", Reason: "SCHEMA_INVALID"},
	}, func(ctx context.Context, store audit.Store) error {
		report, err := stats.Read(ctx, store, stats.Options{})
		if err != nil {
			return err
		}
		fmt.Println(report.Total.Rate(report.Total.Rejected))
		for _, metric := range report.Total.Over() {
			fmt.Println(metric)
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// 0.5
	// validation failure rate
	// p99 latency
	// maximum latency
}

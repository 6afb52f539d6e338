package trace_test

import (
	"context"
	"fmt"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/trace"
)

func Example() {
	err := audittest.With([]audit.Record{
		{Event: audit.Accepted, HandoffID: "1", TaskID: "contract", Sender: "reader", Receiver: "scorer", CostSpentUSD: "0.08", CostRemainingUSD: "0.32"},
		{Event: audit.Accepted, HandoffID: "2", ParentHandoffID: "1", TaskID: "contract", Sender: "scorer", Receiver: "writer", CostSpentUSD: "0.11", CostRemainingUSD: "0.29"},
	}, func(ctx context.Context, store audit.Store) error {
		return store.View(ctx, func(r audit.Reader) error {
			task, err := trace.Read(r, "contract")
			if err != nil {
				return err
			}
			for n := range task.Nodes() {
				fmt.Println(n.From, "→", n.To, n.Step.SpentUSD, task.Of(n).Status)
			}
			fmt.Println(task.Total.SpentUSD)
			return nil
		})
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// reader → scorer 0.08 ACCEPTED
	// scorer → writer 0.03 ACCEPTED
	// 0.11
}

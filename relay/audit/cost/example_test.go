package cost_test

import (
	"context"
	"fmt"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/cost"
)

func Example() {
	err := audittest.With([]audit.Record{
		{Event: audit.Accepted, HandoffID: "1", TaskID: "contract", Sender: "reader", Receiver: "scorer", CostSpentUSD: "0.08", CostRemainingUSD: "0.32"},
		{Event: audit.Accepted, HandoffID: "2", ParentHandoffID: "1", TaskID: "contract", Sender: "scorer", Receiver: "writer", CostSpentUSD: "0.11", CostRemainingUSD: "0.29"},
	}, func(ctx context.Context, store audit.Store) error {
		return store.View(ctx, func(r audit.Reader) error {
			bill, err := cost.OfAll(r, cost.Options{By: cost.Agent})
			if err != nil {
				return err
			}
			for _, s := range bill.Sums {
				fmt.Println(s.Name, s.Cost.SpentUSD)
			}
			return nil
		})
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// reader 0.08
	// scorer 0.03
}

package receiver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/schemas"
)

// BenchmarkRecord accepts messages in groups, like handoff accept, each with the handovers of the previous
// group.
func BenchmarkRecord(b *testing.B) {
	message, err := schemas.Example("message")
	if err != nil {
		b.Fatal(err)
	}
	for _, group := range []int{1, 64, 512} {
		b.Run(fmt.Sprint(group), func(b *testing.B) {
			r, err := receiver.New(b.Context(), validate.New(validate.Options{}), audittest.New(b), receiver.Options{})
			if err != nil {
				b.Fatal(err)
			}
			var handedOver []receiver.Handover
			n := 0
			for b.Loop() {
				b.StopTimer()
				deliveries := make([]*receiver.Delivery, group)
				for i := range deliveries {
					text := strings.Replace(string(message), "6e7f936b-cafd-4624-8754-0bafc4e8acb3", fmt.Sprintf("6e7f936b-cafd-4624-8754-%012x", n), 1)
					n++
					if deliveries[i], err = r.Examine(b.Context(), jsonstream.NewRaw([]byte(text)), nil); err != nil {
						b.Fatal(err)
					}
				}
				b.StartTimer()
				answers, err := r.Record(b.Context(), deliveries, handedOver)
				if err != nil {
					b.Fatal(err)
				}
				handedOver = handedOver[:0]
				for _, a := range answers {
					handedOver = append(handedOver, receiver.Handover{Accepted: a.Record})
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*group), "µs/message")
		})
	}
}

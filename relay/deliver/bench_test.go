package deliver_test

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/dir"
)

// BenchmarkSend sends messages in groups: checkpoint, record, publication, note.
func BenchmarkSend(b *testing.B) {
	for _, place := range []string{"memory", "dir"} {
		for _, size := range []int{1, 16, 512} {
			b.Run(fmt.Sprintf("%s/group=%d", place, size), func(b *testing.B) {
				folder := b.TempDir()
				store, err := deliver.Open(b.Context(), filepath.Join(folder, "state.db"), deliver.Options{Create: true})
				if err != nil {
					b.Fatal(err)
				}
				defer store.Close()
				var memory transport.Memory
				sender := deliver.NewSender(store, audittest.New(b), deliver.SenderOptions{
					Open: func(ctx context.Context, _ string) (transport.Publisher, error) {
						if place == "memory" {
							return memory.Publisher(), nil
						}
						return dir.Publish(ctx, &url.URL{Scheme: "dir", Path: filepath.Join(folder, "queue")}, transport.Options{})
					},
					Transport: func(string) string { return place },
				})
				defer sender.Close()
				sent := 0
				for b.Loop() {
					var list []*deliver.Outgoing
					for range size {
						sent++
						id := fmt.Sprintf("%012d", sent)
						o, err := store.Examine(jsonstream.NewRaw(example(b, "0bafc4e8acb3", id, "a60e12baff98", id)), jsonstream.Limits{})
						if err != nil {
							b.Fatal(err)
						}
						o.Checkpoint, o.To = checkpoint, []deliver.Address{{Receiver: o.Receivers[0], Destination: place + ":"}}
						list = append(list, o)
					}
					if _, err := sender.Send(b.Context(), list); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(sent)/b.Elapsed().Seconds(), "messages/s")
			})
		}
	}
}

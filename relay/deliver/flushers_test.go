package deliver_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/transport"
)

// counting counts the publications of each message.
type counting struct {
	transport.Memory
	mu        sync.Mutex
	published map[string]int
}

type countingPublisher struct {
	transport.Publisher
	*counting
}

func (p countingPublisher) Publish(ctx context.Context, m transport.Message) (transport.Receipt, error) {
	p.mu.Lock()
	p.published[m.ID]++
	p.mu.Unlock()
	return p.Publisher.Publish(ctx, m)
}

// TestSeveralFlushers checks that several processes that flush one outbox at the same time publish each message
// once.
func TestSeveralFlushers(t *testing.T) {
	onStores(t, func(b *bench) {
		const messages, flushers = 700, 4
		var list []*deliver.Outgoing
		for i := range messages {
			list = append(list, b.outgoing(example(b, "0bafc4e8acb3", fmt.Sprintf("%012d", i)), "memory:a"))
		}
		for _, r := range b.send(list...) {
			if r.State != deliver.Waiting {
				b.Fatalf("%+v", r)
			}
		}
		b.close()
		c := &counting{published: map[string]int{}}
		var running sync.WaitGroup
		for range flushers {
			store, err := deliver.Open(b.Context(), b.address, deliver.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			sender := deliver.NewSender(store, b.log, deliver.SenderOptions{
				Open: func(context.Context, string) (transport.Publisher, error) {
					return countingPublisher{c.Publisher(), c}, nil
				},
				Transport: func(string) string { return "memory" },
				Now:       func() time.Time { return b.now.Add(time.Hour) },
			})
			defer sender.Close()
			running.Go(func() {
				if err := sender.Flush(b.Context(), func([]*deliver.Handoff) error { return nil }); err != nil {
					b.Error(err)
				}
			})
		}
		running.Wait()
		for id, n := range c.published {
			if n != 1 {
				b.Errorf("%s was published %d times", id, n)
			}
		}
		if len(c.published) != messages {
			b.Errorf("%d messages were published, want %d", len(c.published), messages)
		}
		b.open()
	})
}

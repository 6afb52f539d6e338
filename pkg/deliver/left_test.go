package deliver_test

import (
	"context"
	"testing"

	"github.com/eaapl/handoff/pkg/deliver"
	"github.com/eaapl/handoff/pkg/transport"
)

// ending is a place whose message arrives just when the context of its sender ends.
type ending struct {
	transport.Publisher
	end func()
}

func (e *ending) Publish(ctx context.Context, m transport.Message) (*transport.Message, error) {
	defer e.end()
	return e.Publisher.Publish(ctx, m)
}

// What a process was publishing when it could not note what came of that, the same process goes on
// with.
func TestLeftBySameProcess(t *testing.T) {
	onStores(t, func(b *bench) {
		var place transport.Memory
		ctx, cancel := context.WithCancel(b.Context())
		e := &ending{place.Publisher(), cancel}
		b.put("memory:a", e)
		if _, err := b.sender.Send(ctx, []*deliver.Outgoing{b.outgoing(example(b), "memory:a")}); err == nil {
			b.Fatal("it was noted that it was published")
		}
		e.end = func() {}
		b.wantState(exampleID, deliver.Waiting)
		if err := b.sender.Flush(b.Context(), func([]*deliver.Handoff) error { return nil }); err != nil {
			b.Fatal(err)
		}
		b.wantState(exampleID, deliver.Dispatched)
	})
}

package deliver_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/transport"
)

// TestErase checks that handoffs are removed with their checkpoints in any state, and that others are
// unchanged.
func TestErase(t *testing.T) {
	onStores(t, func(b *bench) {
		b.put("memory:a", saying{new(transport.Memory).Publisher(), b})
		for _, id := range []string{"accept-1", "away-1", "silent-1", "silent-2", "fail-1"} {
			b.named(id, "task")
		}
		erase := []string{"accept-1", "away-1", "silent-1", "nobody's"}
		n, err := b.store.Erase(b.Context(), erase)
		if want := (deliver.Pruned{Handoffs: 3, Checkpoints: 3}); err != nil || n != want {
			b.Errorf("removed %+v, want %+v; error %v", n, want, err)
		}
		if got, want := b.kept(), []string{"fail-1", "silent-2"}; !slices.Equal(got, want) {
			b.Errorf("%q are left, want %q", got, want)
		}
		if _, err := b.store.Find(b.Context(), "away-1"); !errors.As(err, new(*deliver.UnknownError)) {
			b.Errorf("error %v", err)
		}
		if n, err := b.store.Erase(b.Context(), erase); err != nil || n != (deliver.Pruned{}) {
			b.Errorf("removed %+v again, error %v", n, err)
		}
	})
}

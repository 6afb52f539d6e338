package deliver

import (
	"context"
	"slices"

	"github.com/eaapl/handoff/relay/internal/database"
)

// Erase removes handoffs with their messages, chunks and answers, in any state, and the checkpoints that no
// other handoff uses. Unsent messages are no longer sent, and cannot be rolled back. With [Options].Wipe a
// SQLite file keeps no trace of them.
func (s *Store) Erase(ctx context.Context, handoffs []string) (removed Pruned, err error) {
	for list := range slices.Chunk(handoffs, maxNamed) {
		ids := make([]any, len(list))
		for i, id := range list {
			ids[i] = id
		}
		in := " WHERE handoff_id IN (" + database.Marks(len(ids)) + ")"
		err := s.update(ctx, func(t *database.Tx) error {
			found, err := read(t, in[1:]+s.forUpdate(), ids...)
			if err != nil {
				return err
			}
			removed.Handoffs += len(found)
			if err := t.Exec("DELETE FROM delivery_chunk"+in, ids...); err != nil {
				return err
			}
			return t.Exec("DELETE FROM delivery_handoff"+in, ids...)
		})
		if err != nil {
			return removed, err
		}
	}
	if removed.Handoffs == 0 {
		return removed, nil
	}
	if err := s.pruneCheckpoints(ctx, &removed); err != nil {
		return removed, err
	}
	for _, table := range []string{"delivery_handoff", "delivery_chunk", "delivery_checkpoint"} {
		if err := s.db.Sweep(ctx, table); err != nil {
			return removed, err
		}
	}
	return removed, nil
}

package deliver

import (
	"context"
	"slices"
	"time"

	"github.com/eaapl/handoff/relay/internal/database"
)

// Pruned is the number of removed rows of each kind.
type Pruned struct{ Tasks, Handoffs, Checkpoints int }

// Prune removes the tasks that ended before a time, with their messages, chunks, answers and checkpoints, a
// group at a time. A task is removed as a whole, since its status and its failure count depend on all its
// handoffs. A handoff has ended when its receiver has it, or when it was rolled back and its sender has the
// checkpoint, or has sent the task on in another handoff that its receiver has. With an error, Prune returns
// the numbers removed before it. Several calls may run at once.
func (s *Store) Prune(ctx context.Context, before time.Time) (all Pruned, err error) {
	for last := ""; ; {
		var tasks []any
		if tasks, last, err = s.oldTasks(ctx, last, before); err != nil {
			return all, err
		}
		if last == "" {
			return all, s.pruneCheckpoints(ctx, &all)
		}
		if len(tasks) == 0 {
			continue
		}
		removed, err := s.pruneTasks(ctx, tasks, before)
		if err != nil {
			return all, err
		}
		all.Tasks += removed.Tasks
		all.Handoffs += removed.Handoffs
	}
}

// oldTasks returns tasks that may have ended, from the next handoffs after the id last. next is the id of the
// last of these, "" at the end.
func (s *Store) oldTasks(ctx context.Context, last string, before time.Time) (tasks []any, next string, err error) {
	err = s.db.View(ctx, func(t *database.Tx) error {
		rows, err := t.Query("SELECT handoff_id, task_id FROM delivery_handoff WHERE handoff_id > ? AND state IN ('ACCEPTED', 'COMPLETED', 'REJECTED', 'ROLLED_BACK') AND since_at < ? ORDER BY handoff_id LIMIT ?",
			last, micros(before), groupSize)
		if err != nil {
			return err
		}
		defer rows.Close() // read only: errors of Close do not matter
		tasks, next = nil, ""
		for rows.Next() {
			var task string
			if err := rows.Scan(&next, &task); err != nil {
				return err
			}
			if !slices.Contains(tasks, any(task)) {
				tasks = append(tasks, task)
			}
		}
		return rows.Err()
	})
	return tasks, next, err
}

// pruneTasks removes the ended tasks of a list.
func (s *Store) pruneTasks(ctx context.Context, tasks []any, before time.Time) (removed Pruned, err error) {
	err = s.update(ctx, func(t *database.Tx) error {
		removed = Pruned{}
		found, err := read(t, "WHERE task_id IN ("+database.Marks(len(tasks))+")"+s.forUpdate(), tasks...)
		if err != nil {
			return err
		}
		byTask := map[string][]*Handoff{}
		for _, h := range found {
			byTask[h.TaskID] = append(byTask[h.TaskID], h)
		}
		for task, list := range byTask {
			if !ended(list, before) {
				continue
			}
			removed.Tasks++
			removed.Handoffs += len(list)
			if err := t.Exec("DELETE FROM delivery_handoff WHERE task_id = ?", task); err != nil {
				return err
			}
			for _, h := range list {
				if !h.InChunks() { // a message in chunks has only one receiver
					continue
				}
				if err := t.Exec("DELETE FROM delivery_chunk WHERE handoff_id = ?", h.HandoffID); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return removed, err
}

// ended reports whether all handoffs of a task ended before a time.
func ended(task []*Handoff, before time.Time) bool {
	return !slices.ContainsFunc(task, func(h *Handoff) bool {
		waits := h.InFlight() || !h.Next.IsZero() || h.Stuck() || h.settle || h.restorer != ""
		sentOn := slices.ContainsFunc(task, func(o *Handoff) bool {
			return o.HandoffID != h.HandoffID && o.Sender == h.Sender && o.State.Taken() && o.Queued.After(h.Queued)
		})
		back := h.State == RolledBack && h.Restored || (h.State == RolledBack || h.State == Rejected) && sentOn
		return waits || !h.since.Before(before) || !h.State.Taken() && !back
	})
}

// pruneCheckpoints removes the checkpoints of removed handoffs and of earlier attempts, which no handoff
// uses.
func (s *Store) pruneCheckpoints(ctx context.Context, removed *Pruned) error {
	const unused = "SELECT digest FROM delivery_checkpoint WHERE NOT EXISTS (SELECT 1 FROM delivery_handoff WHERE checkpoint = delivery_checkpoint.digest)"
	for last := []byte{}; ; {
		var list []any
		err := s.db.View(ctx, func(t *database.Tx) (err error) {
			list, err = digests(t, unused+" AND digest > ? ORDER BY digest LIMIT ?", last, groupSize)
			return err
		})
		if err != nil || len(list) == 0 {
			return err
		}
		last = list[len(list)-1].([]byte)
		n := 0
		err = s.update(ctx, func(t *database.Tx) error { // another process may have used it since
			still, err := digests(t, unused+" AND digest IN ("+database.Marks(len(list))+")", list...)
			if n = len(still); err != nil || n == 0 {
				return err
			}
			return t.Exec("DELETE FROM delivery_checkpoint WHERE digest IN ("+database.Marks(n)+")", still...)
		})
		if err != nil {
			return err
		}
		removed.Checkpoints += n
	}
}

// digests returns the digests that a query selects.
func digests(t *database.Tx, query string, args ...any) (list []any, err error) {
	rows, err := t.Query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // read only: errors of Close do not matter
	for rows.Next() {
		var digest []byte
		if err := rows.Scan(&digest); err != nil {
			return nil, err
		}
		list = append(list, digest)
	}
	return list, rows.Err()
}

package deliver

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/eaapl/handoff/internal/polling"
	"github.com/eaapl/handoff/relay/internal/database"
)

// minPause and maxPause bound the pause between two tries to publish a message.
const (
	minPause = time.Second
	maxPause = 5 * time.Minute
)

// pause returns the pause after a number of failed tries. It doubles with each, and half of it is random, so
// that senders that failed together do not all try again together.
func pause(tries int) time.Duration {
	d := maxPause
	if tries < 10 {
		d = min(d, minPause<<tries)
	}
	return polling.Spread(d)
}

// putOff returns the time that a receiver asked the sender to wait, 0 if it did not: errors of any transport
// may have the method for it. The result is at most maxPause.
func putOff(err error) time.Duration {
	if later := (interface{ RetryAfter() time.Duration })(nil); errors.As(err, &later) {
		return min(later.RetryAfter(), maxPause)
	}
	return 0
}

// groupSize is the number of messages that are claimed, recorded and published together.
const groupSize = 256

// Flush publishes all messages of the outbox that are due, and calls each with the results. It skips messages
// claimed by other live processes, and takes over the messages of dead ones. It returns when no message is
// due.
func (s *Sender) Flush(ctx context.Context, each func([]*Handoff) error) error {
	began := s.options.Now() // a try that fails during the call is due later
	for {
		claimed, err := s.store.claim(ctx, began)
		if err != nil || len(claimed) == 0 {
			return err
		}
		if err := s.dispatch(ctx, claimed); err != nil {
			return err
		}
		if err := each(claimed); err != nil {
			return err
		}
	}
}

// Hasten makes all messages that wait for their next try due at once.
func (s *Store) Hasten(ctx context.Context, now time.Time) error {
	return s.update(ctx, func(t *database.Tx) error {
		return t.Exec("UPDATE delivery_handoff SET next_at = ? WHERE next_at > ?", micros(now), micros(now))
	})
}

// claim claims messages that are due, or whose claimant died. Other processes do not publish them while this
// process lives.
func (s *Store) claim(ctx context.Context, now time.Time) (list []*Handoff, err error) {
	// Concurrent claims do not block each other: each process locks its rows and skips locked ones.
	err = s.db.Update(ctx, "delivery claim "+s.instance, func(t *database.Tx) error {
		live, dead, err := s.claimants(t)
		if err != nil {
			return err
		}
		where, args := "WHERE next_at IS NOT NULL AND (next_at <= ?", []any{micros(now)}
		if len(dead) > 0 {
			where += " OR claimed IN (" + database.Marks(len(dead)) + ")"
			args = append(args, dead...)
		}
		where += ")"
		if len(live) > 0 {
			where += " AND claimed NOT IN (" + database.Marks(len(live)) + ")"
			args = append(args, live...)
		}
		where += " ORDER BY queued_at, position LIMIT ?"
		if s.db.Postgres {
			where += " FOR UPDATE SKIP LOCKED"
		}
		found, err := readWhole(t, where, append(args, groupSize)...)
		if err != nil {
			return err
		}
		list = nil
		for _, h := range found {
			if h.claimed != "" && !slices.Contains(dead, any(h.claimed)) { // claimed by a process that started since, or by this one
				working, err := s.atWork(t, h)
				if err != nil {
					return err
				}
				if working {
					continue
				}
			}
			list = append(list, h)
			h.uncertain = h.uncertain || h.claimed != "" // a claimant that died may have published it
			h.claimed = s.instance
			if err := h.save(t); err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

// claimants returns the instances that have claimed messages, live and dead. If this process abandoned some
// of its claims, it is in neither list.
func (s *Store) claimants(t *database.Tx) (live, dead []any, err error) {
	rows, err := t.Query("SELECT DISTINCT claimed FROM delivery_handoff WHERE next_at IS NOT NULL AND claimed <> ''")
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close() // read only: errors of Close do not matter
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, nil, err
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		return nil, nil, err
	}
	anyLeft := false
	s.left.Range(func(any, any) bool { anyLeft = true; return false })
	for _, name := range names {
		if anyLeft && name == s.instance {
			continue
		}
		alive, err := t.Alive(name)
		if err != nil {
			return nil, nil, err
		}
		if alive {
			live = append(live, name)
		} else {
			dead = append(dead, name)
		}
	}
	return live, dead, nil
}

// Retry makes a handoff's stopped messages, whose publication failed permanently, due again. It returns their
// number.
func (s *Store) Retry(ctx context.Context, handoff string, now time.Time) (n int, err error) {
	err = s.update(ctx, func(t *database.Tx) error {
		list, err := read(t, "WHERE handoff_id = ?"+s.forUpdate(), handoff)
		if err != nil {
			return err
		}
		n = 0
		for _, h := range list {
			if h.InFlight() || !h.Stuck() && h.Next.IsZero() {
				continue
			}
			n++
			h.Next, h.Tries = now, 0
			if h.State == Stopped {
				h.State = Waiting
			}
			if err := h.save(t); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// Stuck reports whether a part of a handoff waits for a person to allow its publication again.
func (h *Handoff) Stuck() bool {
	return h.State == Stopped || h.Revoked && h.State == RolledBack && h.Next.IsZero() && h.Problem != ""
}

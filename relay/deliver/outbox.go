package deliver

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/eaapl/handoff/internal/polling"
	"github.com/eaapl/handoff/relay/internal/database"
)

// Between two tries to publish a message there are minPause and more, up to maxPause.
const (
	minPause = time.Second
	maxPause = 5 * time.Minute
)

// pause returns how long to wait after a number of tries that failed: twice as long each time,
// half of it by chance, so that senders that failed together do not try again together.
func pause(tries int) time.Duration {
	d := maxPause
	if tries < 10 {
		d = min(d, minPause<<tries)
	}
	return polling.Spread(d)
}

// putOff returns how long a receiver has asked not to be tried again, 0 if it has not: an error of
// any transport may have that method. No receiver puts a sender off for longer than maxPause.
func putOff(err error) time.Duration {
	if later := (interface{ RetryAfter() time.Duration })(nil); errors.As(err, &later) {
		return min(later.RetryAfter(), maxPause)
	}
	return 0
}

// groupSize is how many messages are claimed, recorded and published together.
const groupSize = 256

// Flush publishes what waits in the outbox and is due, and calls each with what became of it.
// What another process is publishing is left to that; what a process left that died is taken
// over. It returns when nothing is due any more.
func (s *Sender) Flush(ctx context.Context, each func([]*Handoff) error) error {
	began := s.options.Now() // what fails now is due later
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

// Hasten makes all due that waits for its next try.
func (s *Store) Hasten(ctx context.Context, now time.Time) error {
	return s.update(ctx, func(t *database.Tx) error {
		return t.Exec("UPDATE delivery_handoff SET next_at = ? WHERE next_at > ?", micros(now), micros(now))
	})
}

// NextDue returns when the next message is due that no process is publishing; zero if none is.
func (s *Store) NextDue(ctx context.Context) (next time.Time, err error) {
	err = s.db.View(ctx, func(t *database.Tx) error {
		var at int64
		err := t.QueryRow("SELECT coalesce(min(next_at), 0) FROM delivery_handoff WHERE next_at IS NOT NULL").Scan(&at)
		next = moment(at)
		return err
	})
	return next, err
}

// claim takes messages that are due, or that a process left that died: nobody else publishes
// them while this process lives.
func (s *Store) claim(ctx context.Context, now time.Time) (list []*Handoff, err error) {
	// Claims of several processes wait for nobody: each locks its own rows, and skips those of
	// others.
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
			if h.claimed != "" && !slices.Contains(dead, any(h.claimed)) { // by a process that has begun since, or by this one
				working, err := s.atWork(t, h)
				if err != nil {
					return err
				}
				if working {
					continue
				}
			}
			list = append(list, h)
			h.uncertain = h.uncertain || h.claimed != "" // who claimed it may have published it, and died
			h.claimed = s.instance
			if err := h.save(t); err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

// claimants returns the instances that have claimed messages: those that run, and those that
// have died. If this process has left some of what it has claimed, it is among neither.
func (s *Store) claimants(t *database.Tx) (live, dead []any, err error) {
	rows, err := t.Query("SELECT DISTINCT claimed FROM delivery_handoff WHERE next_at IS NOT NULL AND claimed <> ''")
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close() // what it read is what counts
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

// Retry lets messages be tried again that were stopped, since publishing them failed for good:
// those of one handoff. It returns how many there were.
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

// Stuck reports whether something of a handoff waits for a person who lets it be published
// again.
func (h *Handoff) Stuck() bool {
	return h.State == Stopped || h.Revoked && h.State == RolledBack && h.Next.IsZero() && h.Problem != ""
}

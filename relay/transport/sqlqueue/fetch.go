package sqlqueue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eaapl/handoff/internal/polling"
	"github.com/eaapl/handoff/relay/internal/database"
)

const (
	// look is the interval of the search for messages of dead processes and, with notifications, for
	// messages whose notification was missed.
	look = time.Second
	// maxBatch is the maximum number of messages taken at once. A consumer begins with one, and
	// doubles the number as long as each batch is used up within quick.
	maxBatch = 64
	quick    = 100 * time.Millisecond
	// maxFetched is the maximum number of bytes taken at once, unless a single message has more.
	maxFetched = 16 << 20
)

// fetch takes messages if there are any, and otherwise returns the time until the next attempt.
func (c *consumer) fetch(ctx context.Context, idle time.Duration) (wait time.Duration, err error) {
	if time.Since(c.checked).Abs() > look {
		if err := c.putBack(ctx); err != nil {
			return 0, err
		}
		c.checked = time.Now()
	}
	if err := c.settle(ctx); err != nil {
		return 0, err
	}
	if !c.queue.db.Postgres { // taking would block writers
		wait, err := c.due(ctx, polling.Pause(idle))
		if wait > 0 || err != nil {
			return wait, err
		}
	}
	if err := c.take(ctx); err != nil || len(c.fetched) > 0 || !c.queue.db.Postgres {
		return polling.Pause(idle), err
	}
	return c.due(ctx, look)
}

// due returns the time until the next message, at most limit; 0 if there is one now.
func (c *consumer) due(ctx context.Context, limit time.Duration) (wait time.Duration, err error) {
	err = c.queue.db.View(ctx, func(tx *database.Tx) error {
		var milliseconds int64
		err := tx.QueryRow(c.queue.dialect.due, c.queue.name, c.sender).Scan(&milliseconds)
		if errors.Is(err, sql.ErrNoRows) {
			wait = limit
			return nil
		}
		wait = max(0, min(limit, time.Duration(milliseconds)*time.Millisecond))
		return err
	})
	return wait, err
}

// take fetches waiting messages.
func (c *consumer) take(ctx context.Context) error {
	c.mu.Lock()
	free := c.queue.options.Prefetch - len(c.held)
	c.mu.Unlock()
	if time.Since(c.taken) < quick {
		c.batch = max(1, min(2*c.batch, maxBatch, free))
	} else {
		c.batch = 1
	}
	type row struct {
		delivery *delivery
		due      int64
		unusable string
	}
	var rows []row
	longest := c.queue.options.MaxBytes
	err := c.queue.db.Change(ctx, database.Soon, func(tx *database.Tx) error {
		list, err := tx.Query(c.queue.dialect.take, c.queue.name, c.sender, c.batch, c.instance, maxFetched, longest)
		if err != nil {
			return err
		}
		defer list.Close()
		for list.Next() {
			r := row{delivery: &delivery{consumer: c}}
			var size int64
			var headers []byte
			if err := list.Scan(&r.delivery.sequence, &r.due, &size, &headers, &r.delivery.message.Body); err != nil {
				return err
			}
			if size > longest {
				r.unusable = fmt.Sprintf("it has %d bytes, more than the limit of %d", size, longest)
			} else if err := decode(&r.delivery.message, headers); err != nil {
				r.unusable = err.Error()
			}
			rows = append(rows, r)
		}
		return list.Err()
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.doubtful = true
		return err
	}
	slices.SortFunc(rows, func(x, y row) int {
		if x.due != y.due {
			return int(x.due - y.due)
		}
		return int(x.delivery.sequence - y.delivery.sequence)
	})
	for _, r := range rows {
		c.held[r.delivery.sequence] = true
		if r.unusable == "" {
			c.fetched = append(c.fetched, r.delivery)
			continue
		}
		c.ends.begin(r.delivery.buried(r.unusable)) // Close waits for it; after an error, the message is taken again
	}
	if len(rows) > 0 {
		c.taken, c.popped = time.Now(), time.Now()
	}
	return nil
}

// putBack gives back the messages of dead processes. In PostgreSQL, a process that has lost its
// connection looks dead until it reconnects: it is dead if it looks so twice.
func (c *consumer) putBack(ctx context.Context) error {
	var dead []string
	err := c.queue.db.View(ctx, func(tx *database.Tx) error {
		rows, err := tx.Query("SELECT DISTINCT taken_by FROM handoff_message WHERE taken_by IS NOT NULL")
		if err != nil {
			return err
		}
		defer rows.Close()
		var names []string
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				return err
			}
			names = append(names, name)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		for _, name := range names {
			lives, err := tx.Alive(name)
			if err != nil {
				return err
			}
			if !lives {
				dead = append(dead, name)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if c.queue.db.Postgres {
		before := c.suspects
		c.suspects = slices.Clone(dead)
		dead = slices.DeleteFunc(dead, func(name string) bool { return !slices.Contains(before, name) })
	}
	if len(dead) == 0 {
		return nil
	}
	return c.queue.db.Change(ctx, database.Soon, func(tx *database.Tx) error {
		for _, name := range dead {
			if err := tx.Exec("UPDATE handoff_message SET taken_by = NULL WHERE taken_by = ?", name); err != nil {
				return err
			}
		}
		return c.queue.notify(tx, c.queue.channel(c.sender))
	})
}

// settle gives back messages that were taken in a transaction whose result this consumer did not
// receive.
func (c *consumer) settle(ctx context.Context) error {
	c.mu.Lock()
	doubtful := c.doubtful
	keep := make([]int64, 0, len(c.held))
	for sequence := range c.held {
		keep = append(keep, sequence)
	}
	c.mu.Unlock()
	if !doubtful {
		return nil
	}
	err := c.queue.db.Change(ctx, database.Soon, func(tx *database.Tx) error {
		return tx.Exec("UPDATE handoff_message SET taken_by = NULL WHERE taken_by = ? AND NOT sequence "+c.queue.dialect.in, c.instance, c.queue.dialect.list(keep))
	})
	if err == nil {
		c.mu.Lock()
		c.doubtful = false
		c.mu.Unlock()
	}
	return err
}

// giveBack gives back some messages, or all messages of this consumer if list is nil.
func (c *consumer) giveBack(ctx context.Context, list []int64) error {
	return c.queue.db.Change(ctx, database.Soon, func(tx *database.Tx) error {
		query, args := "UPDATE handoff_message SET taken_by = NULL WHERE taken_by = ?", []any{c.instance}
		if list != nil {
			query += " AND sequence " + c.queue.dialect.in
			args = append(args, c.queue.dialect.list(list))
		}
		if err := tx.Exec(query, args...); err != nil {
			return err
		}
		return c.queue.notify(tx, c.queue.channel(c.sender))
	})
}

// giveBackUnused gives back messages taken in advance if Next is not called.
func (c *consumer) giveBackUnused(ctx context.Context) {
	for ; ctx.Err() == nil; polling.Sleep(ctx, look) {
		select {
		case c.turn <- struct{}{}:
		default:
			continue // Next uses them
		}
		if len(c.fetched) > 0 && time.Since(c.popped) > look {
			list := make([]int64, len(c.fetched))
			for i, d := range c.fetched {
				list[i] = d.sequence
			}
			if c.giveBack(ctx, list) == nil { // otherwise later
				c.forget(list, false)
				c.fetched = nil
			}
		}
		<-c.turn
	}
}

// forget drops messages that are no longer this consumer's, or marks its own state as unknown.
func (c *consumer) forget(list []int64, doubtful bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, sequence := range list {
		delete(c.held, sequence)
	}
	c.doubtful = c.doubtful || doubtful
}

package sqlqueue

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/eaapl/handoff/internal/polling"
	"github.com/eaapl/handoff/relay/internal/database"
)

// A group combines the operations of several callers into one transaction: all that arrive while the
// previous one is being written to disk.
type group[T interface{ size() int }] struct {
	do func(context.Context, []T) error
	db *database.DB

	mu      sync.Mutex
	waiting []*item[T]
	running bool
	closed  bool
	ended   sync.WaitGroup
}

type item[T any] struct {
	thing T
	done  chan error
}

// Limits of one transaction.
const (
	maxItems = 128
	maxBytes = 8 << 20
)

// patience bounds a transaction, including the wait for a lost connection.
const patience = 30 * time.Second

func newGroup[T interface{ size() int }](db *database.DB, do func(context.Context, []T) error) *group[T] {
	return &group[T]{db: db, do: do}
}

// add returns when the operation is done. If ctx ends before, the operation may be done or not.
func (g *group[T]) add(ctx context.Context, thing T) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case err := <-g.begin(thing):
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin returns at once; the channel receives the error when the operation is done.
func (g *group[T]) begin(thing T) <-chan error {
	i := &item[T]{thing, make(chan error, 1)}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		i.done <- errClosed
		return i.done
	}
	g.waiting = append(g.waiting, i)
	if !g.running {
		g.running = true
		g.ended.Go(g.run)
	}
	return i.done
}

// run performs pending operations until there are none.
func (g *group[T]) run() {
	for {
		g.mu.Lock()
		n, bytes := 0, 0
		for n < len(g.waiting) && n < maxItems && (n == 0 || bytes+g.waiting[n].thing.size() <= maxBytes) {
			bytes += g.waiting[n].thing.size()
			n++
		}
		batch := g.waiting[:n:n]
		g.waiting = g.waiting[n:]
		if n == 0 {
			g.running = false
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		g.commit(batch)
	}
}

func (g *group[T]) commit(batch []*item[T]) {
	things := make([]T, len(batch))
	for i, b := range batch {
		things[i] = b.thing
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	err := retry(ctx, g.db, func() error { return g.do(ctx, things) })
	away := ctx.Err() != nil
	cancel()
	if err != nil && !away && len(batch) > 1 {
		for i := range batch { // one of them may have caused the error
			g.commit(batch[i : i+1])
		}
		return
	}
	for _, b := range batch {
		b.done <- err
	}
}

// retry retries an operation while the database cannot be reached.
func retry(ctx context.Context, db *database.DB, do func() error) error {
	for pause := minRetry; ; pause = min(2*pause, maxRetry) {
		err := do()
		if !db.Passes(err) || ctx.Err() != nil {
			return err
		}
		polling.Sleep(ctx, pause)
	}
}

// The bounds of the pauses between retries while the database cannot be reached.
const (
	minRetry = 20 * time.Millisecond
	maxRetry = 2 * time.Second
)

// close waits for the pending operations; new ones fail.
func (g *group[T]) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.ended.Wait()
}

var errClosed = errors.New("the queue was closed")

package sqlqueue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/eaapl/handoff/internal/polling"
	"github.com/eaapl/handoff/relay/transport"
)

// A consumer takes the messages of a queue, or the answers to a sender.
type consumer struct {
	queue    *queue
	sender   string
	instance string
	puts     *group[pendingMessage]
	ends     *group[outcome]
	slots    chan struct{} // one for each message returned by Next that has not ended
	turn     chan struct{} // held by the goroutine that may use the following fields
	wake     chan struct{} // there may be a message (PostgreSQL)
	stop     func()        // stops background work
	stopped  context.Context
	beside   sync.WaitGroup

	fetched []*delivery // taken, and not yet returned by Next
	popped  time.Time   // when Next last returned a message
	batch   int         // maximum number of messages to take
	taken   time.Time   // when messages were last taken
	checked time.Time   // when messages of dead processes were last given back
	// suspects are processes that looked dead at that time.
	suspects []string

	mu       sync.Mutex
	held     map[int64]bool // taken messages that have not ended
	doubtful bool           // the table may have further messages of this consumer
	closed   bool
}

func newConsumer(ctx context.Context, q *queue, sender string) (*consumer, error) {
	instance, err := q.db.Instance(ctx)
	if err != nil {
		return nil, err
	}
	beside, stop := context.WithCancel(context.Background())
	c := &consumer{
		queue: q, sender: sender, instance: instance, puts: newGroup(q.db, q.put),
		slots: make(chan struct{}, q.options.Prefetch), turn: make(chan struct{}, 1), wake: make(chan struct{}, 1),
		stop: stop, stopped: beside, held: map[int64]bool{},
	}
	c.ends = newGroup(q.db, c.end)
	c.beside.Go(func() { c.giveBackUnused(beside) })
	if q.db.Postgres {
		c.beside.Go(func() { c.listen(beside) })
	}
	return c, nil
}

// listen waits for notifications of new messages until ctx is done.
func (c *consumer) listen(ctx context.Context) {
	for pause := minRetry; ctx.Err() == nil; pause = min(2*pause, maxRetry) {
		started := time.Now()
		// Next runs into the same error, and eventually returns it.
		_ = c.queue.db.Listen(ctx, c.queue.channel(c.sender), func() {
			select {
			case c.wake <- struct{}{}:
			default:
			}
		})
		if time.Since(started) > maxRetry {
			pause = minRetry
		}
		polling.Sleep(ctx, pause)
	}
}

func (c *consumer) Next(ctx context.Context) (transport.Delivery, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := c.enter(ctx, c.slots); err != nil {
		return nil, err
	}
	d, err := c.next(ctx)
	if err != nil {
		<-c.slots
		return nil, err
	}
	return d, nil
}

// enter waits until it can send to a channel.
func (c *consumer) enter(ctx context.Context, room chan<- struct{}) error {
	select {
	case room <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.stopped.Done():
		return errClosed
	}
}

func (c *consumer) next(ctx context.Context) (*delivery, error) {
	if err := c.enter(ctx, c.turn); err != nil {
		return nil, err
	}
	defer func() { <-c.turn }()
	both, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.stopped, cancel)()

	var failing time.Time
	for started, pause := time.Now(), minRetry; len(c.fetched) == 0; {
		wait, err := c.fetch(both, time.Since(started))
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case c.stopped.Err() != nil:
			return nil, errClosed
		case err == nil:
			failing, pause = time.Time{}, minRetry
		case !c.queue.db.Passes(err), !failing.IsZero() && time.Since(failing) > patience:
			return nil, fmt.Errorf("the queue %q: %w", c.queue.name, err)
		default:
			if failing.IsZero() {
				failing = time.Now()
			}
			wait, pause = pause, min(2*pause, maxRetry)
		}
		if len(c.fetched) == 0 {
			c.pause(both, wait)
		}
	}
	d := c.fetched[0]
	c.fetched, c.popped = c.fetched[1:], time.Now()
	return d, nil
}

// pause waits for the given time, a notification or the end of ctx.
func (c *consumer) pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-c.wake:
	case <-timer.C:
	}
}

func (c *consumer) Reply(ctx context.Context, replyTo string, answer transport.Message) error {
	return reply(ctx, c.puts, replyTo, &answer)
}

func (c *consumer) Close() error {
	c.mu.Lock()
	closed := c.closed
	c.closed = true
	c.mu.Unlock()
	if closed {
		return nil
	}
	c.stop()
	c.turn <- struct{}{} // never released
	c.ends.close()
	c.puts.close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := retry(ctx, c.queue.db, func() error { return c.giveBack(ctx, nil) })
	c.beside.Wait()
	return errors.Join(err, c.queue.close())
}

package sqlqueue

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/eaapl/handoff/relay/internal/database"
	"github.com/eaapl/handoff/relay/transport"
)

type delivery struct {
	consumer *consumer
	sequence int64
	message  transport.Message
	ended    atomic.Bool
}

func (d *delivery) Message() transport.Message { return d.message }

func (d *delivery) Answer(ctx context.Context, answer transport.Message) error {
	return transport.Respond(ctx, d.consumer, d.message, answer)
}

func (d *delivery) Ack(ctx context.Context) error {
	return d.end(ctx, outcome{sequence: d.sequence, last: acknowledge})
}

func (d *delivery) Return(ctx context.Context, after time.Duration) error {
	return d.end(ctx, outcome{sequence: d.sequence, last: delay, after: max(0, after)})
}

func (d *delivery) DeadLetter(ctx context.Context, reason string) error {
	return d.end(ctx, d.buried(reason))
}

// buried returns the ending that makes it a dead letter.
func (d *delivery) buried(reason string) outcome {
	e := outcome{sequence: d.sequence, last: bury, reason: reason}
	if d.consumer.queue.options.Withhold {
		letter := d.message.Withheld(reason)
		e.letter = &letter
	}
	return e
}

func (d *delivery) end(ctx context.Context, e outcome) error {
	if d.ended.Swap(true) {
		return nil
	}
	defer func() { <-d.consumer.slots }()
	return d.consumer.ends.add(ctx, e)
}

// An outcome is the outcome of a taken message.
type outcome struct {
	sequence int64
	last     last
	after    time.Duration      // of delay
	reason   string             // of bury
	letter   *transport.Message // of bury: the replacement of the message; nil for the message itself
}

func (outcome) size() int { return 0 }

type last int

const (
	acknowledge last = iota
	delay
	bury
)

// end applies the endings of some messages. A process that has handled a message removes it, even if
// others have assumed that the process is dead.
func (c *consumer) end(ctx context.Context, list []outcome) error {
	commit := database.Soon
	all, gone := make([]int64, len(list)), make([]int64, 0, len(list))
	for i, e := range list {
		all[i] = e.sequence
		if e.last != delay {
			gone = append(gone, e.sequence)
		}
		if e.last == bury {
			commit = database.Durable
		}
	}
	err := c.queue.db.Change(ctx, commit, func(tx *database.Tx) error {
		for _, e := range list {
			if err := c.endOne(tx, e); err != nil {
				return err
			}
		}
		if len(gone) > 0 {
			if err := tx.Exec("DELETE FROM handoff_message WHERE sequence "+c.queue.dialect.in, c.queue.dialect.list(gone)); err != nil {
				return err
			}
		}
		if len(gone) == len(list) {
			return nil
		}
		return c.queue.notify(tx, c.queue.channel(c.sender))
	})
	if !c.queue.db.Passes(err) || ctx.Err() != nil { // it is not retried
		c.forget(all, err != nil)
	}
	return err
}

// The statement that makes a message a dead letter, before and after its headers and body.
const (
	letters   = "INSERT INTO handoff_dead_letter (sequence, queue, sender, died, reason, headers, body) SELECT sequence, queue, sender, ?, ?, "
	ofMessage = "FROM handoff_message WHERE sequence = ? ON CONFLICT DO NOTHING"
)

// endOne applies the statements of a single ending.
func (c *consumer) endOne(tx *database.Tx, e outcome) error {
	switch e.last {
	case delay:
		return tx.Exec(c.queue.dialect.delay, e.after.Milliseconds(), e.sequence, c.instance)
	case bury:
		at, reason := time.Now().UTC().Format(time.RFC3339Nano), transport.OneLine(e.reason)
		if e.letter == nil {
			return tx.Exec(letters+"headers, body "+ofMessage, at, reason, e.sequence)
		}
		headers, err := encode(e.letter)
		if err != nil {
			return err
		}
		return tx.Exec(letters+"?, "+c.queue.dialect.bytes+" "+ofMessage, at, reason, headers, e.letter.Body, e.sequence)
	default:
		return nil
	}
}

package deliver

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eaapl/handoff/internal/polling"
	"github.com/eaapl/handoff/relay/internal/database"
	"github.com/eaapl/handoff/relay/transport"
)

// The outcome of an accepted handoff is requested after firstAsk, and then at intervals that double until the
// next would exceed lastAsk: 21 requests in twelve days.
const (
	firstAsk = time.Second
	lastAsk  = 7 * 24 * time.Hour
)

// asking is the interval for polling a receiver that answers only in its reply to a message, and maxAsked the
// maximum number of accepted handoffs in each poll.
const (
	asking   = 500 * time.Millisecond
	maxAsked = 1000
)

// ask requests answers from the receiver of a place that did not come with the reply to a message.
func (s *Sender) ask(ctx context.Context, l *listener, p transport.Publisher) error {
	asker, ok := p.(transport.Asker)
	for ctx.Err() == nil {
		if ok {
			if err := s.askOpen(ctx, l.address, asker); err != nil {
				return err
			}
		}
		l.set(true, nil)
		polling.Sleep(ctx, asking)
	}
	return ctx.Err()
}

// askOpen requests the answers to a place's unanswered handoffs, and with [SenderOptions].FollowUp the
// outcome of accepted handoffs that are due.
func (s *Sender) askOpen(ctx context.Context, address string, asker transport.Asker) error {
	now := s.options.Now()
	var open, accepted []*Handoff
	var last int64 // due time of the last handoff in the request
	err := s.store.db.View(ctx, func(t *database.Tx) (err error) {
		open, err = read(t, "WHERE destination = ? AND (state = 'DISPATCHED' OR uncertain = 1 AND state = 'WAITING')", address)
		if err != nil || !s.options.FollowUp {
			return err
		}
		last = micros(now)
		err = t.QueryRow("SELECT ask_at FROM delivery_handoff WHERE destination = ? AND ask_at <= ? ORDER BY ask_at LIMIT 1 OFFSET ?", address, last, maxAsked-1).Scan(&last)
		if err != nil && !errors.Is(err, sql.ErrNoRows) { // fewer than the maximum: all that are due
			return err
		}
		accepted, err = read(t, "WHERE destination = ? AND ask_at <= ?", address, last)
		return err
	})
	if err == nil {
		err = s.askFor(ctx, asker, append(open, accepted...))
	}
	if err != nil || len(accepted) == 0 {
		return err
	}
	return s.store.looked(ctx, address, moment(last), now)
}

// askFor requests the outcome of some handoffs of one place. Even after an error, the received answers are
// stored.
func (s *Sender) askFor(ctx context.Context, asker transport.Asker, list []*Handoff) error {
	answers, errs := make([]*transport.Message, len(list)), make([]error, len(list))
	var next atomic.Int64
	var failed atomic.Bool // the others would fail too, and each may take long
	var lanes sync.WaitGroup
	for range min(publishers, len(list)) {
		lanes.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list) && !failed.Load(); i = int(next.Add(1)) - 1 {
				if answers[i], errs[i] = asker.Ask(ctx, key(list[i].HandoffID)); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	lanes.Wait()
	var messages []transport.Message
	for _, a := range answers {
		if a != nil {
			messages = append(messages, *a)
		}
	}
	for group := range slices.Chunk(messages, groupSize) {
		if _, err := s.takeMessages(ctx, list[0].Destination, group); err != nil {
			return err
		}
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

// looked notes an attempt to get the outcome of a place's accepted handoffs that were due until a time.
func (s *Store) looked(ctx context.Context, address string, until, now time.Time) error {
	return s.update(ctx, func(t *database.Tx) error {
		return t.Exec("UPDATE delivery_handoff SET ask_at = CASE WHEN ask_pause > ? THEN NULL ELSE ask_pause + ? END, ask_pause = 2 * ask_pause WHERE destination = ? AND ask_at <= ?",
			lastAsk.Microseconds(), micros(now), address, micros(until))
	})
}

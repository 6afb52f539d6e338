package deliver

import (
	"context"
	"time"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/internal/database"
)

// Find returns a handoff to each of its receivers, in order. The error is an [*UnknownError] if this store
// has not sent it.
func (s *Store) Find(ctx context.Context, handoff string) ([]*Handoff, error) {
	return s.find(ctx, "handoff", handoff, "WHERE handoff_id = ?")
}

// FindTask returns the handoffs of a task, oldest first. The error is an [*UnknownError] if this store has
// not sent any.
func (s *Store) FindTask(ctx context.Context, task string) ([]*Handoff, error) {
	return s.find(ctx, "handoff of the task", task, "WHERE task_id = ?")
}

func (s *Store) find(ctx context.Context, what, name, where string) (list []*Handoff, err error) {
	err = s.db.View(ctx, func(t *database.Tx) error {
		list, err = read(t, where+" ORDER BY queued_at, position, receiver", name)
		return err
	})
	if err == nil && len(list) == 0 {
		err = &UnknownError{what, name}
	}
	return list, err
}

// List returns the handoffs in the outbox, oldest first, or all handoffs of the store.
func (s *Store) List(ctx context.Context, all bool) (list []*Handoff, err error) {
	where := "WHERE next_at IS NOT NULL OR state IN ('WAITING', 'STOPPED') OR revoked = 1 AND problem <> ''"
	if all {
		where = ""
	}
	err = s.db.View(ctx, func(t *database.Tx) error {
		list, err = read(t, where+" ORDER BY queued_at, position, receiver")
		return err
	})
	return list, err
}

// Unanswered returns the addresses with messages that are not answered, or were accepted and are due for a
// request of their outcome.
func (s *Store) Unanswered(ctx context.Context, now time.Time) (list []string, err error) {
	err = s.db.View(ctx, func(t *database.Tx) error {
		rows, err := t.Query("SELECT destination FROM delivery_handoff WHERE state = 'DISPATCHED' UNION SELECT destination FROM delivery_handoff WHERE ask_at <= ? ORDER BY destination", micros(now))
		if err != nil {
			return err
		}
		defer rows.Close() // read only: errors of Close do not matter
		list = nil
		for rows.Next() {
			var address string
			if err := rows.Scan(&address); err != nil {
				return err
			}
			list = append(list, address)
		}
		return rows.Err()
	})
	return list, err
}

// TaskStatus returns the status of a task, by its newest handoff: [PendingHandoff] if the sender has any part
// of it, or DISPATCHED, ACCEPTED or COMPLETED.
func TaskStatus(list []*Handoff) string {
	newest := list[len(list)-1].HandoffID
	status := string(Completed)
	for _, h := range list {
		if h.HandoffID != newest {
			continue
		}
		switch {
		case h.State.Pending() || h.Stuck() || h.State == Waiting && !h.uncertain:
			return PendingHandoff
		case h.State == Dispatched || h.State == Waiting:
			status = string(Dispatched)
		case h.State == Accepted && status == string(Completed):
			status = string(Accepted)
		}
	}
	return status
}

// Message returns the message of a handoff as received.
func (s *Store) Message(ctx context.Context, h *Handoff) (text []byte, err error) {
	var frame []byte
	err = s.db.View(ctx, func(t *database.Tx) error {
		return t.QueryRow("SELECT frame FROM delivery_handoff WHERE handoff_id = ? AND receiver = ?", h.HandoffID, h.Receiver).Scan(&frame)
	})
	if err != nil {
		return nil, err
	}
	return unpack(frame)
}

// Acknowledged returns the receivers that have accepted a handoff, and the others: all of its receiverList,
// including those to which nothing was sent (section 14.2). The error is an [*UnknownError] if this store has
// not sent the handoff.
func (s *Store) Acknowledged(ctx context.Context, handoff string) (taken, missing []string, err error) {
	list, err := s.Find(ctx, handoff)
	if err != nil {
		return nil, nil, err
	}
	text, err := s.Message(ctx, list[0])
	if err != nil {
		return nil, nil, err
	}
	o, err := s.Examine(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return nil, nil, err
	}
	states := map[string]State{}
	for _, h := range list {
		states[h.Receiver] = h.State
	}
	for _, name := range o.Receivers {
		if states[name].Taken() {
			taken = append(taken, name)
		} else {
			missing = append(missing, name)
		}
	}
	return taken, missing, nil
}

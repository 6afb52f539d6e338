package deliver

import (
	"context"
	"time"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/internal/database"
)

// Find returns a handoff to each of its receivers, in their order. The error is an
// [*UnknownError] if it was not sent from this store.
func (s *Store) Find(ctx context.Context, handoff string) ([]*Handoff, error) {
	return s.find(ctx, "handoff", handoff, "WHERE handoff_id = ?")
}

// FindTask returns the handoffs of a task, the oldest first. The error is an [*UnknownError] if
// none was sent from this store.
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

// List returns what waits to be published, the oldest first, or all that the store has.
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

// Unanswered returns the addresses that have messages which nobody has answered, or which were
// accepted and of which it is time to look what has become of them.
func (s *Store) Unanswered(ctx context.Context, now time.Time) (list []string, err error) {
	err = s.db.View(ctx, func(t *database.Tx) error {
		rows, err := t.Query("SELECT destination FROM delivery_handoff WHERE state = 'DISPATCHED' UNION SELECT destination FROM delivery_handoff WHERE ask_at <= ? ORDER BY destination", micros(now))
		if err != nil {
			return err
		}
		defer rows.Close() // what it read is what counts
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

// TaskStatus returns where a task is, by its newest handoff: [PendingHandoff] if any part of it
// is the sender's, or DISPATCHED, ACCEPTED or COMPLETED.
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

// Message returns the message of a handoff as it came.
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

// Acknowledged returns which receivers of a handoff have taken it, and which have not: all of
// its receiverList, also those to which nothing was sent (section 14.2). The error is an
// [*UnknownError] if the handoff was not sent from this store.
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

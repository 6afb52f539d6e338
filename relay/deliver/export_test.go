package deliver

import (
	"context"
	"time"

	"github.com/eaapl/handoff/relay/internal/database"
)

// Name returns the name to which answers to messages of this store are sent. It never changes, and
// transport.IsName accepts it.
func (s *Store) Name() string { return s.sender }

// NextDue returns the earliest due time of the messages that no process is publishing; zero if there are
// none.
func (s *Store) NextDue(ctx context.Context) (next time.Time, err error) {
	err = s.db.View(ctx, func(t *database.Tx) error {
		var at int64
		err := t.QueryRow("SELECT coalesce(min(next_at), 0) FROM delivery_handoff WHERE next_at IS NOT NULL").Scan(&at)
		next = moment(at)
		return err
	})
	return next, err
}

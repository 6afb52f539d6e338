package sqlqueue

import (
	"bytes"
	"context"
	"net/url"
	"slices"

	"github.com/eaapl/handoff/relay/internal/database"
	"github.com/eaapl/handoff/relay/transport"
)

// RemoveLetters removes the dead letters of some handoffs from a queue: letters whose key or body
// has the id of one of them. It returns their number. No trace of them remains in a SQLite file.
func RemoveLetters(ctx context.Context, u *url.URL, handoffs []string) (n int, err error) {
	q, err := open(ctx, u, transport.Options{Withhold: true})
	if err != nil {
		return 0, err
	}
	defer q.close() // committed changes are done
	var found []int64
	err = q.db.View(ctx, func(tx *database.Tx) error {
		rows, err := tx.Query("SELECT sequence, headers, body FROM handoff_dead_letter WHERE queue = ? AND sender = ''", q.name)
		if err != nil {
			return err
		}
		defer rows.Close() // the result is already complete
		for rows.Next() {
			var sequence int64
			var headers, body []byte
			if err := rows.Scan(&sequence, &headers, &body); err != nil {
				return err
			}
			var m transport.Message
			_ = decode(&m, headers) // otherwise its body identifies it
			if slices.ContainsFunc(handoffs, func(id string) bool { return m.Key == id || bytes.Contains(body, []byte(id)) }) {
				found = append(found, sequence)
			}
		}
		return rows.Err()
	})
	if err != nil || len(found) == 0 {
		return 0, err
	}
	err = q.db.Change(ctx, database.Durable, func(tx *database.Tx) error {
		return tx.Exec("DELETE FROM handoff_dead_letter WHERE sequence "+q.dialect.in, q.dialect.list(found))
	})
	if err == nil {
		err = q.db.Sweep(ctx, "handoff_dead_letter")
	}
	return len(found), err
}

package database

import (
	"context"
	"database/sql"
	"errors"
)

// A writer is the only connection of this process by which a file of SQLite is written. It
// prepares each statement once, and not for each transaction as package sql does, which takes
// longer than most of them run.
type writer struct {
	using    chan struct{} // full while the connection is used, which may wait for other processes
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
	commit   Commit // how the connection does it
}

// synchronous is what SQLite calls the kinds of commits.
var synchronous = map[Commit]string{Durable: "full", Soon: "normal"}

// maxPrepared is how many statements are kept. There are some dozens that come again; what
// names many values has too many forms.
const maxPrepared = 256

func newWriter(ctx context.Context, db *sql.DB) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &writer{using: make(chan struct{}, 1), conn: conn, prepared: map[string]*sql.Stmt{}, commit: Durable}, nil
}

// alone calls f with the connection, which nobody else uses meanwhile.
func (w *writer) alone(f func(*sql.Conn) error) error {
	w.using <- struct{}{}
	defer w.release()
	return f(w.conn)
}

// tryUse takes the connection if nobody uses it. The caller releases it.
func (w *writer) tryUse() bool {
	select {
	case w.using <- struct{}{}:
		return true
	default:
		return false
	}
}

func (w *writer) release() { <-w.using }

// update calls f in a transaction, which ends with it: what f has written is committed when
// update returns nil, and undone when it returns an error.
func (w *writer) update(ctx context.Context, commit Commit, f func() error) error {
	return w.alone(func(conn *sql.Conn) error {
		if w.commit != commit {
			// Not by a statement that is prepared: SQLite does it when it prepares it. Nor by one that may
			// be done and fail, as one does whose context ends at that moment.
			if _, err := conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA synchronous = "+synchronous[commit]); err != nil {
				return err
			}
			w.commit = commit
		}
		_, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE") // it may wait
		ctx = context.WithoutCancel(ctx)                   // it ends, one way or the other
		if err != nil {
			_, _ = w.ExecContext(ctx, "ROLLBACK") // it may have begun, and failed since its context ended
			return err
		}
		committed := false
		defer func() {
			if !committed {
				_, _ = w.ExecContext(ctx, "ROLLBACK") // which SQLite may have done itself
			}
		}()
		if err := f(); err != nil {
			return err
		}
		_, err = w.ExecContext(ctx, "COMMIT")
		committed = err == nil
		return err
	})
}

// statement returns a query prepared, or nil if it has too many forms to keep it, and the
// context to run it in. The statement is not run if ctx has ended, and not interrupted: that
// would cost a goroutine for each.
func (w *writer) statement(ctx context.Context, query string) (*sql.Stmt, context.Context, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	ctx = context.WithoutCancel(ctx)
	s := w.prepared[query]
	if s != nil || len(w.prepared) == maxPrepared {
		return s, ctx, nil
	}
	s, err := w.conn.PrepareContext(ctx, query)
	if err == nil {
		w.prepared[query] = s
	}
	return s, ctx, err
}

// ExecContext implements [session].
func (w *writer) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	switch s, ctx, err := w.statement(ctx, query); {
	case err != nil:
		return nil, err
	case s == nil:
		return w.conn.ExecContext(ctx, query, args...)
	default:
		return s.ExecContext(ctx, args...)
	}
}

// QueryContext implements [session].
func (w *writer) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	switch s, ctx, err := w.statement(ctx, query); {
	case err != nil:
		return nil, err
	case s == nil:
		return w.conn.QueryContext(ctx, query, args...)
	default:
		return s.QueryContext(ctx, args...)
	}
}

// QueryRowContext implements [session].
func (w *writer) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	s, inner, err := w.statement(ctx, query)
	if s == nil || err != nil {
		return w.conn.QueryRowContext(ctx, query, args...) // which has the error, if there is one
	}
	return s.QueryRowContext(inner, args...)
}

// close ends the connection.
func (w *writer) close() error {
	if w == nil {
		return nil
	}
	var err error
	for _, s := range w.prepared {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, w.conn.Close())
}

package database

import (
	"context"
	"database/sql"
	"errors"
)

// A writer is this process's only connection for writing to a SQLite file. It prepares each statement once.
// Package sql would prepare it for each transaction, which takes longer than most statements run.
type writer struct {
	using    chan struct{} // full while the connection is used, which may block on other processes
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
	commit   Commit // its current durability
}

// synchronous has SQLite's names for the kinds of commits.
var synchronous = map[Commit]string{Durable: "full", Soon: "normal"}

// maxPrepared is the maximum number of prepared statements. Some dozens are used again; queries with lists of
// values have too many forms.
const maxPrepared = 256

func newWriter(ctx context.Context, db *sql.DB) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &writer{using: make(chan struct{}, 1), conn: conn, prepared: map[string]*sql.Stmt{}, commit: Durable}, nil
}

// alone calls f with exclusive use of the connection.
func (w *writer) alone(f func(*sql.Conn) error) error {
	w.using <- struct{}{}
	defer w.release()
	return f(w.conn)
}

// tryUse takes the connection if it is free. The caller releases it.
func (w *writer) tryUse() bool {
	select {
	case w.using <- struct{}{}:
		return true
	default:
		return false
	}
}

func (w *writer) release() { <-w.using }

// update calls f in a transaction. The writes of f are committed when update returns nil, and undone when it
// returns an error.
func (w *writer) update(ctx context.Context, commit Commit, f func() error) error {
	return w.alone(func(conn *sql.Conn) error {
		if w.commit != commit {
			// Not with a prepared statement: SQLite executes the pragma when it prepares it. And not with a
			// context: if it ended at that moment, the pragma could take effect and yet return an error.
			if _, err := conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA synchronous = "+synchronous[commit]); err != nil {
				return err
			}
			w.commit = commit
		}
		_, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE") // it may block
		ctx = context.WithoutCancel(ctx)                   // it must end, with a commit or a rollback
		if err != nil {
			_, _ = w.ExecContext(ctx, "ROLLBACK") // BEGIN may have succeeded although the context ended
			return err
		}
		committed := false
		defer func() {
			if !committed {
				_, _ = w.ExecContext(ctx, "ROLLBACK") // SQLite may already have done it
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

// statement returns a prepared query, or nil if it has too many forms, and the context to run it with. A
// statement is not run after the end of ctx, but not interrupted either: that would need a goroutine for
// each.
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
		return w.conn.QueryRowContext(ctx, query, args...) // it returns the error, if there is one
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

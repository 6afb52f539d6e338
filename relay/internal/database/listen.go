package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// Listen calls heard for every notification of a PostgreSQL channel, and once at the beginning, for earlier
// ones. It uses the connection with the lock of this process ([DB.Instance]), and returns when ctx is done or
// the connection is lost. The next call opens a new connection, with the same name. It must not run twice
// concurrently.
func (db *DB) Listen(ctx context.Context, channel string, heard func()) error {
	if _, err := db.Instance(ctx); err != nil {
		return err
	}
	i := &db.instance
	i.mu.Lock()
	conn := i.conn
	i.mu.Unlock()
	if conn == nil {
		var err error
		if conn, err = i.holdAdvisoryLock(ctx, db.read); err != nil {
			return err
		}
		i.mu.Lock()
		i.conn = conn
		i.mu.Unlock()
	}
	err := listen(ctx, conn, channel, heard)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.conn = nil
	return errors.Join(err, conn.Close())
}

// listen returns when the connection is unusable.
func listen(ctx context.Context, conn *sql.Conn, channel string, heard func()) error {
	if _, err := conn.ExecContext(ctx, `LISTEN "`+strings.ReplaceAll(channel, `"`, `""`)+`"`); err != nil {
		return err
	}
	heard()
	return conn.Raw(func(c any) error {
		connection, ok := c.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the PostgreSQL driver, %T, does not support notifications", c)
		}
		for {
			if _, err := connection.Conn().WaitForNotification(ctx); err != nil {
				return fmt.Errorf("%w: %w", driver.ErrBadConn, err) // so that the pool drops the connection
			}
			heard()
		}
	})
}

// Passes reports whether an error is temporary: the connection to PostgreSQL was lost, the server is
// starting, or transactions conflicted.
func (db *DB) Passes(err error) bool {
	if !db.Postgres || err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		switch e.Code {
		case "40001", "40P01", // serialization failure, deadlock
			"53300",                   // too many connections
			"57P01", "57P02", "57P03": // shutting down, has crashed, is starting
			return true
		default:
			return strings.HasPrefix(e.Code, "08") // connection errors
		}
	}
	for _, lost := range []error{driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return errors.As(err, new(*UncertainError)) || errors.As(err, new(*pgconn.ConnectError)) || errors.As(err, new(net.Error)) || pgconn.SafeToRetry(err)
}

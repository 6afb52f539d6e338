package database

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"sync"
	"time"

	"github.com/eaapl/handoff/relay/internal/alive"
)

// An instance is this process as a user of a database. Other processes see from a lock that it runs; the
// lock is released when the process ends in any way.
type instance struct {
	once sync.Once
	name string // "" before once
	err  error
	sign *alive.Sign // SQLite
	mu   sync.Mutex
	conn *sql.Conn // PostgreSQL: holds an advisory lock
}

// instanceKey is the SQL expression for the advisory lock of an instance.
const instanceKey = "hashtextextended('handoff instance ' || $1, 0)"

// Instance returns the name of this process. From then on others see that it runs.
func (db *DB) Instance(ctx context.Context) (string, error) {
	i := &db.instance
	i.once.Do(func() {
		if db.Postgres {
			name := make([]byte, 8)
			rand.Read(name) // never fails
			i.name = hex.EncodeToString(name)
			i.conn, i.err = i.holdAdvisoryLock(ctx, db.read)
			return
		}
		if i.sign, i.err = alive.Show(db.instanceDirectory()); i.err == nil {
			i.name = i.sign.Name
		}
		i.err = plain(i.err)
	})
	return i.name, i.err
}

func (db *DB) instanceDirectory() string { return db.Path + "-running" }

// holdAdvisoryLock returns a connection that holds the lock of the instance.
func (i *instance) holdAdvisoryLock(ctx context.Context, db *sql.DB) (*sql.Conn, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err = conn.ExecContext(ctx, "SELECT pg_advisory_lock("+instanceKey+")", i.name); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func (i *instance) close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.conn != nil:
		return i.conn.Close()
	case i.sign != nil:
		return i.sign.End()
	default:
		return nil
	}
}

// Stay keeps this process visible to others until ctx is done, even if the connection with its lock is lost.
// It must not run concurrently with Listen.
func (db *DB) Stay(ctx context.Context) {
	if !db.Postgres { // a file lock is never lost
		return
	}
	for pause := minStayPause; ctx.Err() == nil; pause = min(2*pause, maxStayPause) {
		_ = db.Listen(ctx, "handoff instance", func() { pause = minStayPause }) // the next try is the only remedy for any error
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// The pauses before a connection is replaced.
const (
	minStayPause = 10 * time.Millisecond
	maxStayPause = time.Second
)

// Alive reports whether the process with a name runs and uses the database.
func (t *Tx) Alive(name string) (bool, error) {
	if name != "" && name == t.db.instance.name {
		return true, nil
	}
	if t.db.Postgres {
		// All lose their locks when the server restarts, and running processes lock again.
		var dead bool
		err := t.QueryRowContext(t.ctx, "SELECT pg_try_advisory_xact_lock_shared("+instanceKey+") AND pg_postmaster_start_time() < clock_timestamp() - interval '5 seconds'", name).Scan(&dead)
		return !dead, err
	}
	return alive.Is(t.db.instanceDirectory(), name)
}

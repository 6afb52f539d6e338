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

// An instance is this process among those that use a database. The others see that it runs by
// what ends with it, however it ends.
type instance struct {
	once sync.Once
	name string // "" before once
	err  error
	sign *alive.Sign // SQLite
	mu   sync.Mutex
	conn *sql.Conn // PostgreSQL: holds an advisory lock
}

// instanceKey returns the advisory lock of an instance.
const instanceKey = "hashtextextended('handoff instance ' || $1, 0)"

// Instance returns the name of this process. From then on others see it as running.
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

// holdAdvisoryLock returns a connection that has the lock of the instance.
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

// Stay keeps this process visible to the others until ctx is done, also when the connection is
// lost by which they see it. It must not run while Listen does.
func (db *DB) Stay(ctx context.Context) {
	if !db.Postgres { // a lock on a file is never lost
		return
	}
	for pause := minStayPause; ctx.Err() == nil; pause = min(2*pause, maxStayPause) {
		_ = db.Listen(ctx, "handoff instance", func() { pause = minStayPause }) // whatever it was, only the next try helps
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// How long is waited before a connection is replaced.
const (
	minStayPause = 10 * time.Millisecond
	maxStayPause = time.Second
)

// Alive reports whether the process of a name still runs and uses the database.
func (t *Tx) Alive(name string) (bool, error) {
	if name != "" && name == t.db.instance.name {
		return true, nil
	}
	if t.db.Postgres {
		// All have lost their locks when the server starts, and those that run get them again.
		var dead bool
		err := t.QueryRowContext(t.ctx, "SELECT pg_try_advisory_xact_lock_shared("+instanceKey+") AND pg_postmaster_start_time() < clock_timestamp() - interval '5 seconds'", name).Scan(&dead)
		return !dead, err
	}
	return alive.Is(t.db.instanceDirectory(), name)
}

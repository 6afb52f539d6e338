package database

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// An instance is this process among those that use a database. It holds a lock by which the
// others see that it runs, and which ends with it, however it ends.
type instance struct {
	once sync.Once
	name string // "" before once
	err  error
	file *os.File  // SQLite: locked
	conn *sql.Conn // PostgreSQL: holds an advisory lock
}

// instanceKey returns the advisory lock of an instance.
const instanceKey = "hashtextextended('handoff instance ' || $1, 0)"

// Instance returns the name of this process. From then on others see it as running.
func (db *DB) Instance(ctx context.Context) (string, error) {
	i := &db.instance
	i.once.Do(func() {
		name := make([]byte, 8)
		rand.Read(name) // never fails
		i.name = hex.EncodeToString(name)
		if db.Postgres {
			i.err = i.holdAdvisoryLock(ctx, db.read)
		} else {
			i.err = i.lockFile(db.instanceDirectory())
		}
	})
	return i.name, i.err
}

func (db *DB) instanceDirectory() string { return db.Path + "-running" }

func (i *instance) holdAdvisoryLock(ctx context.Context, db *sql.DB) (err error) {
	if i.conn, err = db.Conn(ctx); err != nil {
		return err
	}
	_, err = i.conn.ExecContext(ctx, "SELECT pg_advisory_lock("+instanceKey+")", i.name)
	return err
}

func (i *instance) lockFile(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return plain(err)
	}
	f, err := createLocked(filepath.Join(dir, i.name))
	i.file = f
	return plain(err)
}

func (i *instance) close() error {
	var err error
	if i.conn != nil {
		err = i.conn.Close()
	}
	if i.file != nil {
		err = errors.Join(os.Remove(i.file.Name()), i.file.Close())
		_ = os.Remove(filepath.Dir(i.file.Name())) // the last one does
	}
	return err
}

// Alive reports whether the process of a name still runs and uses the database.
func (t *Tx) Alive(name string) (bool, error) {
	if name != "" && name == t.db.instance.name {
		return true, nil
	}
	if t.db.Postgres {
		var dead bool
		err := t.QueryRowContext(t.ctx, "SELECT pg_try_advisory_xact_lock_shared("+instanceKey+")", name).Scan(&dead)
		return !dead, err
	}
	if _, err := hex.DecodeString(name); err != nil || name == "" {
		return false, nil
	}
	path := filepath.Join(t.db.instanceDirectory(), name)
	locked, err := isLocked(path)
	if err == nil && !locked {
		_ = os.Remove(path) // of a process that was killed
	}
	return locked, err
}

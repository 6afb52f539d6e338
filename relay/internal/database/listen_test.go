package database_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/audit/storetest"
	"github.com/eaapl/handoff/relay/internal/database"
)

// TestCommit checks that a durable change after a change that need not be on the disk is on the disk.
func TestCommit(t *testing.T) {
	for name, tt := range map[string]struct{ address, query, soon, durable string }{
		"SQLite":     {filepath.Join(t.TempDir(), "a.db"), "PRAGMA synchronous", "1", "2"},
		"PostgreSQL": {"", "SHOW synchronous_commit", "off", "on"},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.address == "" {
				tt.address = storetest.Postgres(t)
			}
			db := open(t, tt.address)
			check := func(commit database.Commit, want string) {
				t.Helper()
				err := db.Change(t.Context(), commit, func(tx *database.Tx) error {
					if got := ask(t, tx, tt.query); got != want {
						t.Errorf("%s is %s, want %s", tt.query, got, want)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
			check(database.Durable, tt.durable)
			check(database.Soon, tt.soon)
			check(database.Durable, tt.durable)
			check(database.Soon, tt.soon)
			err := db.Update(t.Context(), "test", func(tx *database.Tx) error {
				if got := ask(t, tx, tt.query); got != tt.durable {
					t.Errorf("in an update, %s is %s", tt.query, got)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestListen checks that notifications arrive even after a lost connection, and that the name of the process
// does not change.
func TestListen(t *testing.T) {
	address := storetest.Postgres(t)
	db, other := open(t, address), open(t, address)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range 2 {
		listening, stop := context.WithCancel(ctx)
		heard, ended := make(chan bool, 100), make(chan error)
		go func() { ended <- db.Listen(listening, `a "channel"`, func() { heard <- true }) }()
		wait := func() {
			t.Helper()
			select {
			case <-heard:
			case <-ctx.Done():
				t.Fatal("nothing was heard")
			}
		}
		wait() // it has begun
		name, err := db.Instance(ctx)
		if err != nil {
			t.Fatal(err)
		}
		alive := func(want bool) bool {
			t.Helper()
			var got bool
			err := other.View(ctx, func(tx *database.Tx) (err error) {
				got, err = tx.Alive(name)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return got == want
		}
		if !alive(true) {
			t.Error("others do not see that it runs")
		}
		err = other.Change(ctx, database.Durable, func(tx *database.Tx) error {
			return tx.Exec("SELECT pg_notify(?, '')", `a "channel"`)
		})
		if err != nil {
			t.Fatal(err)
		}
		wait()
		err = other.Change(ctx, database.Durable, func(tx *database.Tx) error {
			return tx.Exec("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid() AND ((classid::bigint << 32) | objid::bigint) = hashtextextended('handoff instance ' || ?, 0)", name)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := <-ended; !db.Passes(err) {
			t.Errorf("the connection was lost, and the error is %v", err)
		}
		stop()
		for !alive(false) {
		}
	}
}

func TestPasses(t *testing.T) {
	db := open(t, storetest.Postgres(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range map[string]error{
		"a canceled context": db.View(ctx, func(*database.Tx) error { return nil }),
		"no such table": db.View(t.Context(), func(tx *database.Tx) error {
			return tx.Exec("SELECT * FROM nowhere")
		}),
		"a wrong argument": db.View(t.Context(), func(tx *database.Tx) error {
			return tx.Exec("SELECT length(?)", 1)
		}),
		"another": errors.New("another"),
	} {
		if err == nil || db.Passes(err) {
			t.Errorf("%s passes: %v", name, err)
		}
	}
}

package database_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/audit/storetest"
	"github.com/eaapl/handoff/relay/internal/database"
)

// TestStay checks that a process that stays is visible again after it lost its connection.
func TestStay(t *testing.T) {
	address := storetest.Postgres(t)
	a, b := open(t, address), open(t, address)
	name, err := a.Instance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var staying sync.WaitGroup
	staying.Go(func() { a.Stay(ctx) })
	defer staying.Wait()
	defer stop()
	for range 3 {
		// It ends the waiting connection, which only Stay uses.
		until(t, b, "SELECT coalesce(bool_or(pg_terminate_backend(pid)), false) FROM pg_stat_activity WHERE pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND ((classid::bigint << 32) | objid::bigint) = hashtextextended('handoff instance ' || ?, 0)) AND pid <> pg_backend_pid()", name)
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			var alive bool
			err := b.View(t.Context(), func(tx *database.Tx) (err error) {
				alive, err = tx.Alive(name)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if alive {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("it is not seen again")
			}
		}
	}
}

// until repeats a query until its result is true.
func until(t *testing.T, db *database.DB, query string, args ...any) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		var yes bool
		err := db.View(t.Context(), func(tx *database.Tx) error { return tx.QueryRow(query, args...).Scan(&yes) })
		if err != nil {
			t.Fatal(err)
		}
		if yes {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the answer stays no")
		}
	}
}

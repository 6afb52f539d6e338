package database_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/eaapl/handoff/relay/audit/storetest"
	"github.com/eaapl/handoff/relay/internal/database"
)

// correct is the first version of SQLite in which several writing connections cannot damage the write-ahead
// log.
var correct = semver.MustParse("3.51.3")

// TestSQLite checks that the built-in SQLite has no known defect, and that each transaction is on the disk when
// it ends.
func TestSQLite(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "a.db"))
	settings := func(tx *database.Tx) error {
		for query, want := range map[string]string{
			"PRAGMA journal_mode": "wal",
			"PRAGMA synchronous":  "2", // FULL
		} {
			if got := ask(t, tx, query); got != want {
				t.Errorf("%s is %s, want %s", query, got, want)
			}
		}
		version, err := semver.NewVersion(ask(t, tx, "SELECT sqlite_version()"))
		if err != nil || version.LessThan(correct) {
			t.Errorf("SQLite is %v (%v), want %v or later", version, err, correct)
		}
		return nil
	}
	for _, in := range []func(context.Context, func(*database.Tx) error) error{
		db.View,
		func(ctx context.Context, f func(*database.Tx) error) error { return db.Update(ctx, "test", f) },
	} {
		if err := in(t.Context(), settings); err != nil {
			t.Error(err)
		}
	}
}

// TestMigrate checks that only missing steps are applied to tables, each once, and that tables of a newer
// program are not changed.
func TestMigrate(t *testing.T) {
	for name, address := range map[string]func(*testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "a.db") },
		"PostgreSQL": func(t *testing.T) string { return storetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t, address(t))
			steps := []string{
				"CREATE TABLE one (n INTEGER NOT NULL); INSERT INTO one VALUES (1)",
				"ALTER TABLE one ADD COLUMN text BLOB; INSERT INTO one (n) VALUES (2)",
			}
			if err := db.Migrate(t.Context(), "part", steps[:1], false); err == nil {
				t.Error("made tables where none were wanted")
			}
			for _, steps := range [][]string{steps[:1], steps[:1], steps, steps} {
				if err := db.Migrate(t.Context(), "part", steps, true); err != nil {
					t.Fatal(err)
				}
			}
			err := db.Migrate(t.Context(), "part", steps[:1], true)
			if err == nil || !strings.Contains(err.Error(), "version 2, but this program supports versions up to 1") {
				t.Errorf("an older program says %v", err)
			}
			failing := append(steps, "INSERT INTO one (n) VALUES (3); INSERT INTO nowhere VALUES (1)")
			if err := db.Migrate(t.Context(), "part", failing, true); err == nil {
				t.Error("a step that fails succeeds")
			}
			err = db.View(t.Context(), func(tx *database.Tx) error {
				if got := ask(t, tx, "SELECT sum(n) FROM one"); got != "3" {
					t.Errorf("the steps have added %s, want 1 + 2", got)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func open(t *testing.T, address string) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), address, database.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// ask returns the only value of a query's result.
func ask(t *testing.T, tx *database.Tx, query string) (value string) {
	t.Helper()
	if err := tx.QueryRow(query).Scan(&value); err != nil {
		t.Errorf("%s: %v", query, err)
	}
	return value
}

// TestContextsThatEnd checks that a context that ends at any time, also at the beginning of a transaction, does
// not affect the next transaction or its durability.
func TestContextsThatEnd(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "a.db"))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		ctx, cancel := context.WithCancel(t.Context())
		wait := time.Duration(rng.IntN(60)) * time.Microsecond
		go func() {
			time.Sleep(wait)
			cancel()
		}()
		commit := database.Durable
		if i%2 == 0 {
			commit = database.Soon
		}
		err := db.Change(ctx, commit, func(*database.Tx) error { return nil })
		if err == nil {
			err = db.View(ctx, func(*database.Tx) error { return nil })
		}
		if err != nil && ctx.Err() == nil {
			t.Fatalf("transaction %d: %v", i, err)
		}
		cancel()
	}
	if err := db.Change(t.Context(), database.Durable, func(tx *database.Tx) error {
		if got := ask(t, tx, "PRAGMA synchronous"); got != "2" {
			t.Errorf("synchronous is %s, want 2", got)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

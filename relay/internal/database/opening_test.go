package database_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/eaapl/handoff/relay/internal/database"
)

// TestOpenTogether opens a new file several times at once: SQLite does not wait for another connection that
// also changes the journal mode.
func TestOpenTogether(t *testing.T) {
	for range 50 {
		path := filepath.Join(t.TempDir(), "new.db")
		start := make(chan struct{})
		var running sync.WaitGroup
		for range 8 {
			running.Go(func() {
				<-start
				db, err := database.Open(t.Context(), path, database.Options{Create: true})
				if err != nil {
					t.Error(err)
					return
				}
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		close(start)
		running.Wait()
		if t.Failed() {
			return
		}
	}
}

// TestFull fills a database: the error names the file and the remedy.
func TestFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db := open(t, path)
	if err := db.Migrate(t.Context(), "part", []string{"CREATE TABLE one (text BLOB)"}, true); err != nil {
		t.Fatal(err)
	}
	err := db.Change(t.Context(), database.Durable, func(tx *database.Tx) error {
		ask(t, tx, "PRAGMA max_page_count = 1") // the present size, which is larger
		return tx.Exec("INSERT INTO one VALUES (zeroblob(1000000))")
	})
	if err == nil || !strings.HasPrefix(err.Error(), path+": the disk is full") || !strings.Contains(err.Error(), "free space") {
		t.Errorf("a full database says %v", err)
	}
}

package database_test

import (
	"path/filepath"
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

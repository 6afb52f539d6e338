package sqlstore_test

import (
	"path/filepath"
	"testing"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/audit/storetest"
)

func TestSQLite(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() audit.Store {
		path := filepath.Join(t.TempDir(), "audit.db")
		return func() audit.Store { return open(t, path) }
	})
}

func TestPostgreSQL(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() audit.Store {
		address := storetest.Postgres(t)
		return func() audit.Store { return open(t, address) }
	})
}

func open(t *testing.T, address string) audit.Store {
	s, err := sqlstore.Open(t.Context(), address, sqlstore.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

package live_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/audit/storetest"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/viewer/live"
)

// TestViewer checks that a PostgreSQL role that may only read is sufficient for viewing, which also proves that
// no page writes.
func TestViewer(t *testing.T) {
	address := storetest.Postgres(t)
	writer := siteAt(t, address, nil)
	n := writer.letter()
	raw, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	schema := ""
	if err := raw.QueryRowContext(t.Context(), "SELECT current_schema()").Scan(&schema); err != nil {
		t.Fatal(err)
	}
	name := schema + "_viewer"
	for _, statement := range []string{"CREATE ROLE " + name + " LOGIN", fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s", schema, name), sqlstore.Grants(sqlstore.Viewer, name)} {
		if _, err := raw.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if _, err := raw.Exec("DROP OWNED BY " + name + "; DROP ROLE " + name); err != nil {
			t.Error(err)
		}
	})
	store, err := sqlstore.Open(t.Context(), strings.Replace(address, "postgres@", name+"@", 1), sqlstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	o := writer.options
	o.Store, o.Release, o.Letters = store, nil, receiver.NewLetters(audit.NewLog(store, nil), nil)
	s := &site{TB: t, handler: live.New(o), options: o}
	for _, path := range []string{"/", "/?id=" + handoff, "/task?id=" + task, "/task/details?id=" + task + "&of=2&i=0", "/letters", fmt.Sprint("/letters/", n), "/stats", "/metrics", "/records/0"} {
		if w := s.do(ask{path: path}); w.Code != http.StatusOK {
			t.Errorf("%s: status %d: %s", path, w.Code, w.Body)
		}
	}
}

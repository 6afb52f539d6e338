package sqlstore_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/audit/storetest"
)

// TestVerifyLooksAtIndexes checks that verify detects an index without the rows of its table: records that are
// found through it would be missed, such as waiting dead letters and accepted messages.
func TestVerifyLooksAtIndexes(t *testing.T) {
	for index, table := range map[string]string{
		"audit_record_handoff": "audit_record", "audit_record_task": "audit_record", "audit_record_rare": "audit_record",
		"audit_personal_subject": "audit_personal",
	} {
		t.Run("sqlite/"+index, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "audit.db")
			s := open(t, path)
			fill(t, s)
			raw := rawly(t, "sqlite", path)
			raw.SetMaxOpenConns(1) // PRAGMA writable_schema applies to one connection
			var definition string
			if err := raw.QueryRowContext(t.Context(), "SELECT sql FROM sqlite_master WHERE name = ?", index).Scan(&definition); err != nil {
				t.Fatal(err)
			}
			// It is created again without rows, and then with a definition that covers all rows.
			all, _, _ := strings.Cut(definition, " WHERE ")
			run(t, raw, "DROP INDEX "+index, all+" WHERE sequence < 0", "PRAGMA writable_schema = ON",
				fmt.Sprintf("UPDATE sqlite_master SET sql = '%s' WHERE name = '%s'", definition, index))
			damaged(t, s, index)
		})
		t.Run("postgres/"+index, func(t *testing.T) {
			t.Parallel()
			address := storetest.PostgresDatabase(t)
			s := open(t, address)
			fill(t, s)
			raw := rawly(t, "pgx", address)
			if v, _ := verify(t, s); !strings.Contains(v.Unchecked, "CREATE EXTENSION amcheck") {
				t.Errorf("without amcheck: %q", v.Unchecked)
			}
			run(t, raw, "CREATE EXTENSION amcheck")
			if v, problems := verify(t, s); v.Unchecked != "" || len(problems) > 0 {
				t.Fatalf("unchanged: %q, %v", v.Unchecked, problems)
			}
			// The rows are added while no index is maintained.
			run(t, raw, "CREATE TABLE kept AS SELECT * FROM "+table, "TRUNCATE "+table,
				"UPDATE pg_index SET indisready = false, indisvalid = false WHERE indexrelid = '"+index+"'::regclass",
				"INSERT INTO "+table+" SELECT * FROM kept",
				"UPDATE pg_index SET indisready = true, indisvalid = true WHERE indexrelid = '"+index+"'::regclass")
			damaged(t, s, index)
		})
	}
}

func rawly(t *testing.T, driver, address string) *sql.DB {
	t.Helper()
	raw, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	return raw
}

func run(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// damaged checks that verify reports the damage of an index, and nothing else.
func damaged(t *testing.T, s audit.Store, index string) {
	t.Helper()
	_, problems := verify(t, s)
	if len(problems) == 0 {
		t.Error("found nothing")
	}
	for _, p := range problems {
		if p.Kind != audit.IndexDamaged || !strings.Contains(p.Message, index) {
			t.Errorf("found %+v", p)
		}
	}
}

// TestVerifyWithoutAmcheck checks that a user without permission for amcheck is told that the indexes were not
// checked.
func TestVerifyWithoutAmcheck(t *testing.T) {
	address := storetest.PostgresDatabase(t)
	fill(t, open(t, address))
	raw := rawly(t, "pgx", address)
	var name string
	if err := raw.QueryRowContext(t.Context(), "SELECT current_database() || '_viewer'").Scan(&name); err != nil {
		t.Fatal(err)
	}
	run(t, raw, "CREATE EXTENSION amcheck", "CREATE ROLE "+name+" LOGIN", sqlstore.Grants(sqlstore.Viewer, name))
	t.Cleanup(func() {
		if _, err := raw.Exec("DROP OWNED BY " + name + "; DROP ROLE " + name); err != nil {
			t.Error(err)
		}
	})
	v, problems := verify(t, open(t, strings.Replace(address, "postgres@", name+"@", 1)))
	if !strings.Contains(v.Unchecked, "GRANT EXECUTE") || len(problems) > 0 {
		t.Errorf("%q, %v", v.Unchecked, problems)
	}
}

// TestVerifyFindsNodesAtNoPlace checks that a node at a place that is not an integer is reported: SQLite stores
// any value in any column.
func TestVerifyFindsNodesAtNoPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	s := open(t, path)
	fill(t, s)
	raw := rawly(t, "sqlite", path)
	for _, place := range []string{"1.5, 0", "1, 0.5", "1, 'x'", "'x', 0", "1, x'00'", "x'00', 1", "0.5, 0", "1, -1", "2.5, 1e300"} {
		run(t, raw, "INSERT INTO audit_node VALUES ("+place+", zeroblob(32))")
		if _, problems := verify(t, s); len(problems) == 0 || problems[0].Kind != audit.RowChanged || !strings.Contains(problems[0].Message, "node") {
			t.Errorf("a node at %s: found %v", place, problems)
		}
		run(t, raw, "DELETE FROM audit_node WHERE hash = zeroblob(32)")
	}
	if _, problems := verify(t, s); len(problems) > 0 {
		t.Errorf("when they are gone again: %v", problems)
	}
}

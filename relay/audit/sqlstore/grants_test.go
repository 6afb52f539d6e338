package sqlstore_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/archive"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/audit/storetest"
)

// TestAppendOnly checks that, after the statements of audit grants, records can be added, but not changed or
// removed by any statement.
func TestAppendOnly(t *testing.T) {
	eachDatabase(t, func(t *testing.T, address string, raw *sql.DB) {
		postgres := strings.HasPrefix(address, "postgres:")
		s := open(t, address)
		fill(t, s)
		retain(t, s)
		for range 2 { // they can be run again
			if _, err := raw.ExecContext(t.Context(), sqlstore.Triggers(postgres)); err != nil {
				t.Fatal(err)
			}
		}
		for table := range keys {
			if table == "audit_pending" {
				continue
			}
			statements := []string{
				"DELETE FROM " + table,
				"UPDATE " + table + " SET " + keys[table][0] + " = " + keys[table][0],
			}
			if postgres {
				statements = append(statements, "TRUNCATE "+table)
			} else {
				statements = append(statements, "INSERT OR REPLACE INTO "+table+" SELECT * FROM "+table)
			}
			if table == "audit_record" {
				statements = append(statements, "UPDATE audit_record SET event = -1")
			}
			for _, statement := range statements {
				if _, err := raw.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "append-only") {
					t.Errorf("%s: %v", statement, err)
				}
			}
		}
		// The log permits these removals.
		appendOne(t, s)
		l, now := audit.NewLog(s, nil), time.Now()
		if m, err := archive.Move(t.Context(), l, now.Add(time.Hour), t.TempDir()); err != nil || m.Messages != 100 {
			t.Errorf("%+v %v", m, err)
		}
		if m, err := archive.Remove(t.Context(), l, now.AddDate(0, 0, -30), now.AddDate(8, 0, 0)); err != nil || m.Records != 200 {
			t.Errorf("%+v %v", m, err)
		}
		if v, problems := verify(t, s); v.Size != 609 || v.Tombstones != 400 || len(problems) > 0 {
			t.Errorf("%+v %v", v, problems)
		}
	})
}

func appendOne(t *testing.T, s audit.Store) {
	t.Helper()
	err := audit.NewLog(s, nil).Append(t.Context(), func(b *audit.Batch) error {
		if err := b.ClearPending([]audit.Copy{{HandoffID: "6a0e7f5e-0d43-4a8e-9f0a-0000000000ca", Receiver: "receiver"}}); err != nil {
			return err
		}
		if _, err := b.Add(audit.Record{Event: audit.HandedOver, HandoffID: "6a0e7f5e-0d43-4a8e-9f0a-0000000000ca"}, nil); err != nil {
			return err
		}
		accepted, err := b.Add(audit.Record{Event: audit.Accepted, HandoffID: "x"}, nil)
		if err != nil {
			return err
		}
		if err := b.Set("personal-log", "00"); err != nil {
			return err
		}
		return b.SetPending([]audit.Pending{{HandoffID: "x", Sequence: accepted.Sequence, Instance: "0123456789abcdef"}})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRoles checks that a writer can add records, including settings, that a keeper can archive and prune, that
// a viewer can only read, and that none of them can do anything else.
func TestRoles(t *testing.T) {
	address := storetest.Postgres(t)
	raw, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	exec := func(db *sql.DB, statement string) error {
		_, err := db.ExecContext(t.Context(), statement)
		return err
	}
	fill(t, open(t, address))
	schema := ""
	if err := raw.QueryRowContext(t.Context(), "SELECT current_schema()").Scan(&schema); err != nil {
		t.Fatal(err)
	}
	for _, role := range sqlstore.Roles() {
		name := schema + "_" + string(role)
		for _, statement := range []string{
			"CREATE ROLE " + name + " LOGIN", fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s", schema, name), sqlstore.Grants(role, name),
		} {
			if err := exec(raw, statement); err != nil {
				t.Fatal(err)
			}
		}
		t.Cleanup(func() {
			if _, err := raw.Exec("DROP OWNED BY " + name + "; DROP ROLE " + name); err != nil {
				t.Error(err)
			}
		})
		as := strings.Replace(address, "postgres@", name+"@", 1)
		other, err := sql.Open("pgx", as)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		s := open(t, as)
		switch role {
		case sqlstore.Writer:
			appendOne(t, s) // with a setting, like the first accept --personal-data
		case sqlstore.Keeper:
			retain(t, s)
		case sqlstore.Viewer:
			if err := audit.NewLog(s, nil).Append(t.Context(), func(b *audit.Batch) error {
				_, err := b.Add(audit.Record{Event: audit.Rejected}, nil)
				return err
			}); err == nil {
				t.Error("a viewer has added a record")
			}
		}
		if _, problems := verify(t, s); len(problems) > 0 {
			t.Error(problems)
		}
		for table := range keys {
			if table == "audit_pending" && role == sqlstore.Writer {
				continue
			}
			for _, statement := range []string{"DELETE FROM " + table, "TRUNCATE " + table, "UPDATE " + table + " SET " + keys[table][0] + " = " + keys[table][0]} {
				if role == sqlstore.Keeper && (strings.HasPrefix(statement, "UPDATE audit_record") || strings.HasPrefix(statement, "DELETE FROM audit_message") || strings.HasPrefix(statement, "DELETE FROM audit_personal")) {
					continue // by the triggers
				}
				if err := exec(other, statement); err == nil {
					t.Errorf("a %s may: %s", role, statement)
				}
			}
		}
	}
}

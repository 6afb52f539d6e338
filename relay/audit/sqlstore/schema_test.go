package sqlstore_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/relay/audit"
)

// toVersion1 changes the tables to the version in which receivers did not yet have separate copies of a
// message.
func toVersion1(postgres bool) []string {
	statements := []string{
		"DROP INDEX audit_record_failed",
		"CREATE TABLE before (handoff_id BLOB NOT NULL PRIMARY KEY, sequence INTEGER NOT NULL, instance TEXT NOT NULL, digest BLOB NOT NULL)",
		"INSERT INTO before SELECT handoff_id, sequence, instance, digest FROM audit_pending",
		"DROP TABLE audit_pending",
		"ALTER TABLE before RENAME TO audit_pending",
	}
	if postgres {
		statements = []string{
			"DROP INDEX audit_record_failed",
			"ALTER TABLE audit_pending DROP COLUMN receiver, DROP COLUMN running, DROP COLUMN reply_to, ADD PRIMARY KEY (handoff_id)",
		}
	}
	return append(statements, "UPDATE handoff_version SET version = 1 WHERE part = 'audit log'")
}

// TestTablesOfVersion1 checks that a log with tables of the first version is opened with all messages in
// flight, and that its records verify, although HANDED_OVER has no receiver there.
func TestTablesOfVersion1(t *testing.T) {
	eachDatabase(t, func(t *testing.T, address string, raw *sql.DB) {
		s := open(t, address)
		const instance = "0123456789abcdef"
		err := audit.NewLog(s, nil).Append(t.Context(), func(b *audit.Batch) error {
			for _, r := range []audit.Record{
				{Event: audit.Accepted, HandoffID: "6a0e7f5e-0d43-4a8e-9f0a-000000000001", Receiver: "a"},
				{Event: audit.HandedOver, HandoffID: "6a0e7f5e-0d43-4a8e-9f0a-000000000001"},
				{Event: audit.RolledBack, HandoffID: "6a0e7f5e-0d43-4a8e-9f0a-000000000001", Receiver: "a"},
				{Event: audit.Accepted, HandoffID: "6a0e7f5e-0d43-4a8e-9f0a-000000000001", Receiver: "b"},
				{Event: audit.HandedOver, HandoffID: "6a0e7f5e-0d43-4a8e-9f0a-000000000001"},
				{Event: audit.Accepted, HandoffID: "6a0e7f5e-0d43-4a8e-9f0a-000000000002", Receiver: "a"},
				{Event: audit.Accepted, HandoffID: "no UUID", Receiver: "b"},
			} {
				if _, err := b.Add(r, nil); err != nil {
					return err
				}
			}
			return b.SetPending([]audit.Pending{
				{HandoffID: "6a0e7f5e-0d43-4a8e-9f0a-000000000002", Receiver: "a", Sequence: 5, Instance: instance},
				{HandoffID: "no UUID", Receiver: "b", Sequence: 6, Instance: instance},
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range toVersion1(strings.HasPrefix(address, "postgres:")) {
			if _, err := raw.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		s = open(t, address)
		if _, problems := verify(t, s); len(problems) > 0 {
			t.Error(problems)
		}
		var list []audit.Pending
		if err := s.View(t.Context(), func(r audit.Reader) (err error) { list, err = r.Pending(); return err }); err != nil {
			t.Fatal(err)
		}
		want := []audit.Pending{
			{HandoffID: "6a0e7f5e-0d43-4a8e-9f0a-000000000002", Receiver: "a", Sequence: 5, Instance: instance},
			{HandoffID: "no UUID", Receiver: "b", Sequence: 6, Instance: instance},
		}
		if !slices.Equal(list, want) {
			t.Errorf("in flight: %+v, want %+v", list, want)
		}
		err = audit.NewLog(s, nil).Append(t.Context(), func(b *audit.Batch) error { // the copy of another receiver
			if _, err := b.Add(audit.Record{Event: audit.Accepted, HandoffID: "no UUID", Receiver: "c"}, nil); err != nil {
				return err
			}
			return b.SetPending([]audit.Pending{{HandoffID: "no UUID", Receiver: "c", Sequence: 7, Instance: instance}})
		})
		if err != nil {
			t.Error(err)
		}
		if _, problems := verify(t, s); len(problems) > 0 {
			t.Error(problems)
		}
	})
}

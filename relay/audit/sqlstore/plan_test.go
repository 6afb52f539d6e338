package sqlstore

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/database"
)

// TestIndexes checks that each selective filter uses its index, whatever the length of the log.
func TestIndexes(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "audit.db"), Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, tt := range map[string]struct {
		filter audit.Filter
		index  string
	}{
		"a task":                   {audit.Filter{Tasks: []string{"t"}}, "audit_record_task (task_id=?)"},
		"a task's rare events":     {audit.Filter{Tasks: []string{"t", "u"}, Events: []audit.Event{audit.Rejected, audit.DeadLettered}}, "audit_record_task (task_id=?)"},
		"what failed of a task":    {audit.Filter{Tasks: []string{"t", "u"}, Events: []audit.Event{audit.Rejected, audit.ExecutionFailed}}, "audit_record_failed (task_id=?)"},
		"a handoff":                {audit.Filter{Handoffs: []string{"h"}, From: 7}, "audit_record_handoff"},
		"a handoff's rare events":  {audit.Filter{Handoffs: []string{"h", "i"}, Events: []audit.Event{audit.Rejected, audit.DeadLettered}}, "audit_record_handoff"},
		"rare events":              {audit.Filter{Events: []audit.Event{audit.DeadLettered, audit.Released}}, "audit_record_rare"},
		"the newest rare event":    {audit.Filter{Events: []audit.Event{audit.Rejected}, Newest: true, Limit: 1}, "audit_record_rare"},
		"rare events since a time": {audit.Filter{Events: []audit.Event{audit.Rejected}, Since: time.Unix(1, 0)}, "audit_record_rare"},
		"all, task by task":        {audit.Filter{ByTask: true}, "audit_record_task"},
		"from a number on":         {audit.Filter{From: 7, Limit: 1}, "INTEGER PRIMARY KEY"},
		"before a number":          {audit.Filter{Before: 7, Newest: true}, "INTEGER PRIMARY KEY (rowid<?)"},
		"the beginning of a UUID":  {audit.Filter{Prefix: "6e7f936b", Newest: true, Limit: 1}, "audit_record_task (task_id>? AND task_id<?)"},
		"the beginning of an id":   {audit.Filter{Prefix: "run-", Newest: true, Limit: 1}, "audit_record_handoff (handoff_id>? AND handoff_id<?)"},
	} {
		t.Run(name, func(t *testing.T) {
			err := s.db.View(t.Context(), func(tx *database.Tx) error {
				where, args := condition(tt.filter)
				rows, err := tx.Query("EXPLAIN QUERY PLAN SELECT * FROM audit_record WHERE "+where+order(tt.filter), args...)
				if err != nil {
					return err
				}
				defer rows.Close()
				plan := ""
				for rows.Next() {
					var id, parent, unused int
					var step string
					if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
						return err
					}
					plan += step + "\n"
				}
				if !strings.Contains(plan, tt.index) {
					t.Errorf("the plan does not use %s:\n%s", tt.index, plan)
				}
				return rows.Err()
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestFirstSince checks that records far before a time are not read.
func TestFirstSince(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "audit.db"), Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now := time.Date(2026, 6, 12, 0, 0, 0, 0, time.UTC)
	log := audit.NewLog(s, func() time.Time { return now })
	const records = 5 * sampled
	for i := range 2 * 5 { // a batch has half as many records as a sample, an hour apart
		err := log.Append(t.Context(), func(b *audit.Batch) error {
			for range sampled / 2 {
				if _, err := b.Add(audit.Record{Event: audit.Accepted}, nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if i < 2*5-1 {
			now = now.Add(time.Hour)
		}
	}
	for hours, want := range map[int]int64{9: 0, 3: 2 * sampled, 2: 3 * sampled, 0: 4 * sampled, -1: 4 * sampled} {
		err := s.db.Scan(t.Context(), func(r database.Scanner) error {
			first, err := inspector{Scanner: r}.firstSince(now.Add(-time.Duration(hours) * time.Hour).UnixMicro())
			if first != want {
				t.Errorf("%d hours ago: from %d of %d on, want %d", hours, first, records, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

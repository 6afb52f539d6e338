package sqlstore_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/archive"
	"github.com/eaapl/handoff/relay/audit/storetest"
)

// eachDatabase runs a test on a new database of each kind. raw gives the access of a user with the database's
// password.
func eachDatabase(t *testing.T, test func(t *testing.T, address string, raw *sql.DB)) {
	for _, driver := range []string{"sqlite", "pgx"} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			address := filepath.Join(t.TempDir(), "audit.db")
			if driver == "pgx" {
				address = storetest.Postgres(t)
			}
			raw, err := sql.Open(driver, address)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { raw.Close() })
			test(t, address, raw)
		})
	}
}

// full returns records that use every column, and records that use few.
func full(n int) (records []audit.Record, frames [][]byte) {
	code := 3
	for i := range n {
		frame := fmt.Appendf(nil, "message %d", i)
		records = append(records, audit.Record{
			Event: audit.Completed, HandoffID: fmt.Sprintf("6a0e7f5e-0d43-4a8e-9f0a-%012x", i), TaskID: "a task that is no UUID", ParentHandoffID: "fifteen letters",
			Sender: "sender", Receiver: "receiver", Reason: "SCHEMA_INVALID", Attempt: 2, CostSpentUSD: "0.10", CostRemainingUSD: "1e-3",
			PromptTokens: 12, CompletionTokens: 1 << 40, TraceID: strings.Repeat("0a", 16), Transport: "nats", LatencyMicros: 12, KeyID: "k",
			MessageDigest: sha256.Sum256(frame), MessageBytes: 9, FrameDigest: sha256.Sum256(frame),
			Details: audit.Details{Explanation: "because", ExitCode: &code},
		}, audit.Record{Event: audit.Erased})
		frames = append(frames, frame, nil)
	}
	return records, frames
}

// fill adds 600 records, a third of them ten years old and a third one year old, then a setting, which is
// record 600, and messages in flight.
func fill(t *testing.T, s audit.Store) {
	records, frames := full(300)
	records[404].Event = audit.Accepted
	// Its agent has ended, but its sender may not know.
	concerns := int64(406)
	records[406].Event, records[410].Event = audit.Accepted, audit.HandedOver
	records[410].Details = audit.Details{Running: true, Concerns: &concerns}
	records[410].HandoffID, records[412].HandoffID = records[406].HandoffID, records[406].HandoffID
	records[20].Event = audit.Revoked // its number follows those of the events whose records are kept
	now := time.Now()
	for part, at := range []time.Time{now.AddDate(-10, 0, 0), now.AddDate(-1, 0, 0), now} {
		err := audit.NewLog(s, func() time.Time { return at }).Append(t.Context(), func(b *audit.Batch) error {
			for i := 200 * part; i < 200*(part+1); i++ {
				var payload []byte
				if i == 10 || i == 408 { // its personal data is stored separately
					payload = fmt.Append(nil, "personal data of record ", i)
					digest := audit.Hash(sha256.Sum256(payload))
					records[i].Details.Subject, records[i].Details.PayloadDigest = strings.Repeat("0a", 32), &digest
				}
				if _, err := b.AddApart(records[i], frames[i], payload); err != nil {
					return err
				}
			}
			if part < 2 {
				return nil
			}
			if err := b.Set("retention", "P7Y"); err != nil {
				return err
			}
			return b.SetPending([]audit.Pending{
				{HandoffID: records[404].HandoffID, Receiver: "receiver", Sequence: 404, ReplyTo: "answers", Instance: "0123456789abcdef"},
				{HandoffID: records[406].HandoffID, Receiver: "receiver", Sequence: 406, ReplyTo: "answers", Instance: "0123456789abcdef", Running: true},
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// retain moves the messages of the first 400 records to files, and removes the first 200: records
// 601 to 603.
func retain(t *testing.T, s audit.Store) (directory string) {
	t.Helper()
	directory = t.TempDir()
	now := time.Now()
	l := audit.NewLog(s, nil)
	for _, before := range []time.Time{now.AddDate(-8, 0, 0), now.AddDate(0, 0, -30)} {
		if m, err := archive.Move(t.Context(), l, before, directory); err != nil || m.Messages != 100 || m.Files != 1 {
			t.Fatalf("%+v %v", m, err)
		}
	}
	if m, err := archive.Remove(t.Context(), l, now.AddDate(-8, 0, 0), now); err != nil || m.Records != 200 || m.Files != 1 {
		t.Fatalf("%+v %v", m, err)
	}
	return directory
}

func verify(t *testing.T, s audit.Store, checkpoints ...merkle.Checkpoint) (audit.Verified, []audit.Problem) {
	t.Helper()
	var problems []audit.Problem
	v, err := audit.Verify(t.Context(), s, audit.VerifyOptions{Checkpoints: checkpoints, Found: func(p audit.Problem) error {
		problems = append(problems, p)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return v, problems
}

func TestVerifyUnchanged(t *testing.T) {
	eachDatabase(t, func(t *testing.T, address string, _ *sql.DB) {
		s := open(t, address)
		if v, problems := verify(t, s); v.Size != 0 || len(problems) > 0 {
			t.Errorf("an empty log: %+v, %v", v, problems)
		}
		fill(t, s)
		v, problems := verify(t, s)
		if v.Size != 601 || v.Messages != 300 || len(problems) > 0 {
			t.Errorf("%+v, %v", v, problems)
		}
		var root merkle.Hash
		err := s.View(t.Context(), func(r audit.Reader) (err error) {
			root, err = merkle.Root(t.Context(), r, v.Size)
			return err
		})
		if err != nil || root != v.Root {
			t.Errorf("another root than that of the stored nodes (%v)", err)
		}
	})
}

// TestVerifyWhileRecordsAreAdded checks that records that other processes add meanwhile are not reported as
// gaps.
func TestVerifyWhileRecordsAreAdded(t *testing.T) {
	eachDatabase(t, func(t *testing.T, address string, _ *sql.DB) {
		s, other := open(t, address), open(t, address)
		fill(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		var writing sync.WaitGroup
		writing.Go(func() {
			for ctx.Err() == nil {
				err := audit.NewLog(other, nil).Append(t.Context(), func(b *audit.Batch) error {
					for range 700 {
						frame := []byte("message")
						if _, err := b.Add(audit.Record{Event: audit.Rejected, FrameDigest: sha256.Sum256(frame)}, frame); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
		for range 15 {
			if _, problems := verify(t, s); len(problems) > 0 {
				t.Error(problems)
			}
		}
		cancel()
		writing.Wait()
	})
}

// keys are the primary keys of the tables.
var keys = map[string][]string{
	"audit_record": {"sequence"}, "audit_message": {"sequence"}, "audit_personal": {"sequence"}, "audit_node": {"level", "position"},
	"audit_pending": {"handoff_id", "receiver"},
	"audit_archive": {"first"}, "audit_removal": {"before"},
}

// TestVerifyFindsEveryChange changes each column of each table by one bit or letter, its type, empties it,
// and fills it where it is NULL. Verify finds each change, and names the record or the row.
func TestVerifyFindsEveryChange(t *testing.T) {
	step := tier.Count(4, 1)
	eachDatabase(t, func(t *testing.T, address string, raw *sql.DB) {
		s := open(t, address)
		fill(t, s)
		retain(t, s)
		ctx := t.Context()
		tried, changed := 0, 0
		for _, at := range []struct{ table, where, named string }{
			{"audit_record", "sequence = 0", "record 0"}, {"audit_record", "sequence = 199", "record 199"},
			{"audit_record", "sequence = 200", "record 200"}, {"audit_record", "sequence = 201", "record 201"},
			{"audit_record", "sequence = 599", "record 599"},
			{"audit_message", "sequence = 400", "record 400"}, {"audit_message", "sequence = 598", "record 598"},
			{"audit_personal", "sequence = 408", "record 408"},
			{"audit_node", "level = 1 AND position = 1", "node 1 of level 1"},
			{"audit_record", "sequence = 600", "record 600"}, {"audit_record", "sequence = 603", "record 603"},
			{"audit_pending", "sequence = 404", "audit_pending"}, {"audit_pending", "sequence = 406", "audit_pending"},
			{"audit_archive", "first = 200", "audit_archive"}, {"audit_removal", "before = 200", "audit_removal"},
		} {
			names, values := row(t, raw, at.table, at.where)
			for i, name := range names {
				for _, value := range changes(values[i], !strings.HasPrefix(address, "postgres")) {
					if tried++; tried%step != 0 {
						continue
					}
					label := fmt.Sprintf("%s where %s: %s = %v", at.table, at.where, name, value)
					if !update(ctx, raw, at.table, names, values, name, value) {
						continue // the database does not have it
					}
					changed++
					_, problems := verify(t, s)
					if !slices.ContainsFunc(problems, func(p audit.Problem) bool {
						return strings.Contains(strings.ReplaceAll(p.Message, "records ", "record "), at.named)
					}) {
						t.Errorf("%s: found %v", label, problems)
					}
					replace(t, raw, at.table, names, values, name, value)
				}
			}
		}
		if _, problems := verify(t, s); len(problems) > 0 {
			t.Errorf("what was changed and changed back: %v", problems)
		}
		if changed < 150/step {
			t.Errorf("only %d changes", changed)
		}
	})
}

// row returns the names and values of the columns of a row.
func row(t *testing.T, db *sql.DB, table, where string) (names []string, values []any) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT * FROM "+table+" WHERE "+where)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, _ = rows.Columns()
	values = make([]any, len(names))
	to := make([]any, len(names))
	for i := range values {
		to[i] = &values[i]
	}
	if !rows.Next() {
		t.Fatalf("%s: no row where %s", table, where)
	}
	if err := rows.Scan(to...); err != nil {
		t.Fatal(err)
	}
	return names, values
}

// changes returns values to change a value to; if typed is false, also values of other types, which SQLite
// stores.
func changes(value any, typed bool) (list []any) {
	if typed {
		switch v := value.(type) {
		case int64:
			list = []any{float64(v) + 0.5, "x"}
		case string:
			list = []any{[]byte(v)}
		case []byte:
			list = []any{string(v), int64(1)}
		}
	}
	return append(list, changesOfType(value)...)
}

func changesOfType(value any) []any {
	switch v := value.(type) {
	case int64:
		return []any{v ^ 1, v ^ 1<<40, nil}
	case string:
		return []any{v[:len(v)-1] + string(v[len(v)-1]^1), v[1:], "", nil}
	case []byte:
		first, last := slices.Clone(v), slices.Clone(v)
		first[0] ^= 1
		last[len(v)-1] ^= 128
		return []any{first, last, v[1:], []byte{}, nil}
	default:
		return []any{int64(0), "", "x", []byte{}, []byte("sixteen letters!"), make([]byte, 32)}
	}
}

// update changes one column of a row, and reports whether the database accepted the change.
func update(ctx context.Context, db *sql.DB, table string, names []string, values []any, name string, value any) bool {
	where, args := whereKey(table, names, values)
	result, err := db.ExecContext(ctx, fmt.Sprintf("UPDATE %s SET %s = $1 WHERE %s", table, name, where), append([]any{value}, args...)...)
	if err != nil {
		return false
	}
	n, err := result.RowsAffected()
	return err == nil && n == 1
}

// whereKey returns the condition that selects a row, with parameters from $2 on.
func whereKey(table string, names []string, values []any) (where string, args []any) {
	var parts []string
	for i, name := range keys[table] {
		parts = append(parts, fmt.Sprintf("%s = $%d", name, i+2))
		args = append(args, values[slices.Index(names, name)])
	}
	return strings.Join(parts, " AND "), args
}

// replace restores a row after the change of a column.
func replace(t *testing.T, db *sql.DB, table string, names []string, values []any, name string, value any) {
	t.Helper()
	at := slices.Index(names, name)
	now := slices.Clone(values)
	now[at] = value
	if !update(t.Context(), db, table, names, now, name, values[at]) {
		t.Fatalf("%s: %s was not changed back from %v", table, name, value)
	}
}

func TestVerifyFindsRemovedRecords(t *testing.T) {
	eachDatabase(t, func(t *testing.T, address string, raw *sql.DB) {
		s := open(t, address)
		fill(t, s)
		whole, _ := verify(t, s)
		half := rootAt(t, s, 256)
		head := merkle.Checkpoint{Origin: "log", Size: whole.Size, Root: whole.Root}
		exec := func(statement string) {
			if _, err := raw.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		check := func(want string, checkpoints ...merkle.Checkpoint) {
			t.Helper()
			_, problems := verify(t, s, checkpoints...)
			if len(problems) == 0 || !strings.Contains(problems[0].Message, want) {
				t.Errorf("want %q, found %v", want, problems)
			}
		}
		if _, problems := verify(t, s, head, half); len(problems) > 0 {
			t.Fatal(problems)
		}
		other := head
		other.Root[0] ^= 1
		check("the log was rewritten from one of the records 256 to 600", other, half)

		exec("UPDATE audit_record SET sequence = -5 WHERE sequence = 100")
		check("has the sequence number -5")
		exec("UPDATE audit_record SET sequence = 4000000000000000000 WHERE sequence = -5")
		check("record 100 is missing")
		exec("UPDATE audit_record SET sequence = 100 WHERE sequence = 4000000000000000000")
		exec("UPDATE audit_record SET sequence = 9223372036854775807 WHERE sequence = 600")
		check("records 600 to 9223372036854775806 are missing")
		exec("UPDATE audit_record SET sequence = 600 WHERE sequence = 9223372036854775807")

		exec("UPDATE audit_record SET sequence = 1000 WHERE sequence = 7")
		exec("UPDATE audit_record SET sequence = 7 WHERE sequence = 8")
		exec("UPDATE audit_record SET sequence = 8 WHERE sequence = 1000")
		check("record 7 was changed")
		exec("UPDATE audit_record SET sequence = 1000 WHERE sequence = 7")
		exec("UPDATE audit_record SET sequence = 7 WHERE sequence = 8")
		exec("UPDATE audit_record SET sequence = 8 WHERE sequence = 1000")
		if _, problems := verify(t, s, head, half); len(problems) > 0 {
			t.Fatal(problems)
		}

		exec("DELETE FROM audit_record WHERE sequence >= 590")
		check("beside record 590, which does not exist")
		exec("DELETE FROM audit_message WHERE sequence >= 590")
		if _, problems := verify(t, s, half); len(problems) > 0 {
			t.Errorf("what a bare chain does not show: %v", problems)
		}
		check("the log was cut off: the checkpoint has 601 records, the log has 590", head)
		exec("DELETE FROM audit_record WHERE sequence BETWEEN 3 AND 5")
		check("records 3 to 5 are missing")
	})
}

func rootAt(t *testing.T, s audit.Store, size int64) (c merkle.Checkpoint) {
	t.Helper()
	c = merkle.Checkpoint{Origin: "log", Size: size}
	err := s.View(t.Context(), func(r audit.Reader) (err error) {
		c.Root, err = merkle.Root(t.Context(), r, size)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestVerifyFindsRemovedRows checks that verify detects each missing and each additional row beside the
// records.
func TestVerifyFindsRemovedRows(t *testing.T) {
	eachDatabase(t, func(t *testing.T, address string, raw *sql.DB) {
		s := open(t, address)
		fill(t, s)
		retain(t, s)
		for _, test := range []struct{ table, where, want string }{
			{"audit_archive", "first = 0", "the row of audit_archive for the records 0 to 199, which record 601 describes, is missing"},
			{"audit_archive", "first = 200", "the row of audit_archive for the records 200 to 399, which record 602 describes, is missing"},
			{"audit_removal", "before = 200", "the row of audit_removal for the records before 200, which record 603 describes, is missing"},
			{"audit_pending", "sequence = 404", "the message that record 404 accepted was not handed over, but its row of audit_pending is missing"},
			{"audit_personal", "sequence = 408", "the personal data beside record 408 is missing"},
			{"audit_message", "sequence = 500", "the message beside record 500 is missing"},
			{"audit_node", "level = 1 AND position = 1", "node 1 of level 1"},
			{"audit_record", "sequence = 600", "record 600 is missing"},
		} {
			names, values := row(t, raw, test.table, test.where)
			insert := fmt.Sprintf("INSERT INTO %s (%s) VALUES ($1", test.table, strings.Join(names, ","))
			for i := range names[1:] {
				insert += fmt.Sprintf(",$%d", i+2)
			}
			insert += ")"
			if _, err := raw.ExecContext(t.Context(), "DELETE FROM "+test.table+" WHERE "+test.where); err != nil {
				t.Fatal(err)
			}
			_, problems := verify(t, s)
			if !slices.ContainsFunc(problems, func(p audit.Problem) bool { return strings.Contains(p.Message, test.want) }) {
				t.Errorf("%s without the row where %s: found %v", test.table, test.where, problems)
			}
			if _, err := raw.ExecContext(t.Context(), insert, values...); err != nil {
				t.Fatal(err)
			}
		}
		if _, problems := verify(t, s); len(problems) > 0 {
			t.Errorf("what was removed and put back: %v", problems)
		}
		for _, test := range []struct{ insert, undo, want string }{
			{"INSERT INTO audit_archive SELECT 5, last, directory, file, sha256 FROM audit_archive WHERE first = 200", "DELETE FROM audit_archive WHERE first = 5", "no record confirms that the messages of the records 5 to 399 were moved"},
			{"INSERT INTO audit_removal VALUES (300)", "DELETE FROM audit_removal WHERE before = 300", "no record confirms that the records before 300 were removed"},
			{"UPDATE audit_pending SET sequence = 402 WHERE sequence = 404", "UPDATE audit_pending SET sequence = 404 WHERE sequence = 402", "was changed"},
			{"INSERT INTO audit_node SELECT 1, 2, hash FROM audit_node WHERE position = 1", "DELETE FROM audit_node WHERE position = 2", "the tree has no node 2 of level 1"},
			{"INSERT INTO audit_node SELECT 3, 0, hash FROM audit_node WHERE position = 1", "DELETE FROM audit_node WHERE level = 3", "the tree has no node 0 of level 3"},
		} {
			for _, statement := range []string{test.insert, test.undo} {
				if _, err := raw.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
				_, problems := verify(t, s)
				if found := slices.ContainsFunc(problems, func(p audit.Problem) bool { return strings.Contains(p.Message, test.want) }); found != (statement == test.insert) {
					t.Errorf("%s: found %v", statement, problems)
				}
			}
		}
	})
}

// TestVerifyKnowsWhatIsUnderWay checks that verify compares the messages to be handed over with the records, in
// any stretch of the log, and with records that are added meanwhile.
func TestVerifyKnowsWhatIsUnderWay(t *testing.T) {
	subject := strings.Repeat("0a", 32)
	accepted := audit.Record{Event: audit.Accepted, HandoffID: "h"}
	sealed := audit.Record{Event: audit.Accepted, HandoffID: "h", Details: audit.Details{Subject: subject}}
	handedOver := audit.Record{Event: audit.HandedOver, HandoffID: "h"}
	erased := audit.Record{Event: audit.Erased, Details: audit.Details{Subject: subject}}
	other := audit.Record{Event: audit.Rejected, HandoffID: "h"}
	first := int64(0)
	runs := audit.Record{Event: audit.HandedOver, HandoffID: "h", Details: audit.Details{Running: true, Concerns: &first}}
	ended := audit.Record{Event: audit.Completed, HandoffID: "h"}
	failed := audit.Record{Event: audit.ExecutionFailed, HandoffID: "h"}
	rolledBack := audit.Record{Event: audit.RolledBack, HandoffID: "h"}
	of := func(receiver string, r audit.Record) audit.Record { r.Receiver = receiver; return r }
	released := audit.Record{Event: audit.Accepted, HandoffID: "h", Details: audit.Details{By: "Ada"}}
	const missing, tooMany = "its row of audit_pending is missing", "no record accepted it, or it was already handed over"
	const twice = "record 2 accepts a message that record 0 had accepted, without a rollback in between"
	for name, tt := range map[string]struct {
		records []audit.Record
		pending int64 // sequence number, -1 for none
		want    string
		far     bool // also with many records in between
		running bool // the row of audit_pending is marked as running
		whose   string
		replyTo string
	}{
		"its sender may not know":          {records: []audit.Record{accepted, runs, ended}, running: true, replyTo: "sender", far: true},
		"an agent runs":                    {records: []audit.Record{accepted, runs}, running: true, far: true},
		"an agent runs, and nobody knows":  {records: []audit.Record{accepted, runs}, pending: -1, want: "has an agent that has not ended", far: true},
		"an agent runs, and it is hidden":  {records: []audit.Record{accepted, runs}, want: "without an agent, but it was handed over"},
		"no agent runs":                    {records: []audit.Record{accepted}, running: true, want: "with an agent, but no record has this handover"},
		"an agent has ended":               {records: []audit.Record{accepted, runs, ended}, pending: -1, far: true},
		"an agent has failed":              {records: []audit.Record{accepted, runs, failed, rolledBack}, pending: -1, far: true},
		"an agent has ended, and runs":     {records: []audit.Record{accepted, runs, ended}, running: true, want: tooMany, far: true},
		"an agent runs again":              {records: []audit.Record{accepted, runs, runs}, running: true, far: true},
		"an agent ends after a new one":    {records: []audit.Record{accepted, handedOver, rolledBack, accepted, ended}, pending: 3, far: true},
		"withdrawn":                        {records: []audit.Record{accepted, rolledBack}, pending: -1, far: true},
		"rolled back by its sender":        {records: []audit.Record{accepted, rolledBack}, far: true},
		"rolled back while an agent runs":  {records: []audit.Record{accepted, runs, rolledBack}, running: true, far: true},
		"withdrawn, and accepted again":    {records: []audit.Record{accepted, rolledBack, accepted}, pending: -1, want: "record 2 accepted", far: true},
		"another receiver's":               {records: []audit.Record{of("a", accepted), of("b", accepted), of("a", handedOver)}, pending: 1, whose: "b", far: true},
		"another receiver's, and nobody":   {records: []audit.Record{of("a", accepted), of("b", accepted), of("a", handedOver)}, pending: -1, want: "record 1 accepted", far: true},
		"another receiver's, the same row": {records: []audit.Record{of("a", accepted), of("b", accepted), of("a", handedOver), of("b", handedOver)}, pending: 1, whose: "b", want: tooMany},
		"handed over":                      {records: []audit.Record{accepted, handedOver}, pending: -1, want: "", far: true},
		"to be handed over":                {records: []audit.Record{accepted}, pending: 0, want: "", far: false},
		"nobody will hand it over":         {records: []audit.Record{accepted, other}, pending: -1, want: "record 0 accepted", far: false},
		"rolled back and accepted again":   {records: []audit.Record{accepted, handedOver, rolledBack, accepted}, pending: 3, want: "", far: true},
		"accepted again, and nobody":       {records: []audit.Record{accepted, handedOver, rolledBack, accepted}, pending: -1, want: "record 3 accepted", far: true},
		"accepted twice":                   {records: []audit.Record{accepted, handedOver, accepted}, pending: 2, want: twice, far: true},
		"accepted twice by one receiver":   {records: []audit.Record{of("a", accepted), of("a", handedOver), of("b", rolledBack), of("a", accepted)}, pending: 3, whose: "a", want: "record 3 accepts a message that record 0 had accepted"},
		"a copy each":                      {records: []audit.Record{of("a", accepted), of("a", handedOver), of("b", accepted), of("b", handedOver)}, pending: -1},
		"all copies were rolled back":      {records: []audit.Record{of("a", accepted), of("a", handedOver), rolledBack, of("a", accepted)}, pending: 3, whose: "a"},
		"a person has accepted it again":   {records: []audit.Record{accepted, handedOver, released}, pending: 2},
		"it would be handed over twice":    {records: []audit.Record{accepted, handedOver}, pending: 0, want: tooMany, far: false},
		"it would be handed over unasked":  {records: []audit.Record{other}, pending: 0, want: tooMany, far: false},
		"another record":                   {records: []audit.Record{accepted, handedOver, rolledBack, accepted}, pending: 0, want: "with record 0, but record 3 accepted it", far: false},
		"erased before it was handed over": {records: []audit.Record{sealed, erased}, pending: -1, want: "", far: true},
		"erased, and in flight":            {records: []audit.Record{sealed, erased}, pending: 0, want: "", far: false},
		"erased before it came":            {records: []audit.Record{erased, sealed}, pending: -1, want: missing, far: false},
	} {
		for _, between := range []int{0, 17_000} { // more than a stretch has
			if between > 0 && (!tt.far || tt.want == "" && !tier.Full()) {
				continue
			}
			t.Run(fmt.Sprint(name, between), func(t *testing.T) {
				t.Parallel()
				s := open(t, filepath.Join(t.TempDir(), "audit.db"))
				at := make([]int64, len(tt.records))
				err := audit.NewLog(s, nil).Append(t.Context(), func(b *audit.Batch) error {
					for i, r := range tt.records {
						var payload []byte
						if r.Event == audit.Accepted && r.Details.Subject != "" {
							payload = []byte("sealed")
							digest := audit.Hash(sha256.Sum256(payload))
							r.Details.PayloadDigest = &digest
						}
						stored, err := b.AddApart(r, nil, payload)
						if err != nil {
							return err
						}
						at[i] = stored.Sequence
						for range between {
							if _, err := b.Add(audit.Record{Event: audit.Completed}, nil); err != nil {
								return err
							}
						}
					}
					if tt.pending < 0 {
						return nil
					}
					return b.SetPending([]audit.Pending{{HandoffID: "h", Receiver: tt.whose, Sequence: at[tt.pending], Instance: "0123456789abcdef", Running: tt.running, ReplyTo: tt.replyTo}})
				})
				if err != nil {
					t.Fatal(err)
				}
				_, problems := verify(t, s)
				if between > 0 {
					for i := range problems {
						for k, n := range at {
							problems[i].Message = strings.ReplaceAll(problems[i].Message, fmt.Sprintf("record %d ", n), fmt.Sprintf("record %d ", k))
							problems[i].Message = strings.ReplaceAll(problems[i].Message, fmt.Sprintf("record %d:", n), fmt.Sprintf("record %d:", k))
						}
					}
				}
				if tt.want == "" && len(problems) > 0 || tt.want != "" && (len(problems) != 1 || !strings.Contains(problems[0].Message, tt.want)) {
					t.Errorf("found %v, want %q", problems, tt.want)
				}
			})
		}
	}
}

func TestMain(m *testing.M) { os.Exit(tier.Run(m)) }

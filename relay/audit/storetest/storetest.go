// Package storetest is the conformance test of implementations of [audit.Store].
package storetest

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
)

// postgresAddress is the address of the PostgreSQL server for tests.
const postgresAddress = "postgres://postgres@127.0.0.1:5432/test?sslmode=disable&connect_timeout=2"

// Postgres returns the address of a temporary schema in a PostgreSQL database. It skips the test if there is
// no server.
func Postgres(t testing.TB) string {
	name := made(t, "CREATE SCHEMA %s", "DROP SCHEMA %s CASCADE")
	return postgresAddress + "&search_path=" + url.QueryEscape(name)
}

// PostgresDatabase returns the address of a temporary database, for tests of things outside a schema.
func PostgresDatabase(t testing.TB) string {
	name := made(t, "CREATE DATABASE %s", "DROP DATABASE %s WITH (FORCE)")
	return strings.Replace(postgresAddress, "/test?", "/"+name+"?", 1)
}

// made creates an object, and returns its name, which is valid until the end of the test.
func made(t testing.TB, create, drop string) (name string) {
	db, err := sql.Open("pgx", postgresAddress)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.PingContext(t.Context()); err != nil {
		t.Skipf("no PostgreSQL at 127.0.0.1:5432: %v", err)
	}
	sum := sha256.Sum256(fmt.Append(nil, t.Name(), time.Now().UnixNano()))
	name = fmt.Sprintf("handoff_%x", sum[:8])
	if _, err := db.ExecContext(t.Context(), fmt.Sprintf(create, name)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		db, err := sql.Open("pgx", postgresAddress)
		if err == nil {
			_, err = db.ExecContext(context.Background(), fmt.Sprintf(drop, name))
			db.Close()
		}
		if err != nil {
			t.Error(err)
		}
	})
	return name
}

// Run tests a store. start creates a new one and returns a function that opens it, any number of times.
func Run(t *testing.T, start func(*testing.T) func() audit.Store) {
	for name, test := range map[string]func(*testing.T, func() audit.Store){
		"records come back as they were": comesBack,
		"a batch is added whole or not":  wholeOrNot,
		"filters":                        filters,
		"beginnings of ids":              beginnings,
		"several writers, one chain":     severalWriters,
		"messages in flight":             underWay,
		"settings":                       settings,
		"personal data apart":            apart,
		"outcomes":                       outcomes,
	} {
		t.Run(name, func(t *testing.T) { test(t, start(t)) })
	}
}

func appendAll(t *testing.T, s audit.Store, records ...audit.Record) (stored []audit.Stored) {
	t.Helper()
	err := audit.NewLog(s, nil).Append(t.Context(), func(b *audit.Batch) error {
		for _, r := range records {
			one, err := b.Add(r, nil)
			if err != nil {
				return err
			}
			stored = append(stored, one)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range stored {
		audittest.CheckSchema(t, &stored[i].Record)
	}
	return stored
}

func read(t *testing.T, s audit.Store, f audit.Filter) (list []audit.Stored) {
	t.Helper()
	err := s.View(t.Context(), func(r audit.Reader) (err error) {
		list, err = audit.List(r, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// text returns a record's JSON, which has all its members.
func text(t *testing.T, r audit.Stored) string {
	t.Helper()
	b, err := r.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + r.Hash.String()
}

func comesBack(t *testing.T, open func() audit.Store) {
	s := open()
	code := 3
	concerns := int64(0)
	full := audit.Record{
		Event: audit.Accepted, HandoffID: "6a0e7f5e-0d43-4a8e-9f0a-2d8a41c3f1aa", TaskID: "a task that is no UUID", ParentHandoffID: "fifteen letters",
		Sender: "sender", Receiver: "receiver 🙂", Reason: "SCHEMA_INVALID", Attempt: 2, CostSpentUSD: "0.10", CostRemainingUSD: "1e-3",
		PromptTokens: 1, CompletionTokens: 1 << 53, TraceID: strings.Repeat("0a", 16), Transport: "nats", LatencyMicros: 12, KeyID: "k",
		MessageDigest: sha256.Sum256([]byte("m")), MessageBytes: 1, FrameDigest: sha256.Sum256([]byte("f")),
		Details: audit.Details{
			Findings: []audit.Finding{{Rule: "schema/required", Severity: "error", Pointer: "/a~1b", Message: "\"quoted\"\u2028"}}, MoreFindings: 1,
			Concerns: &concerns, By: "someone", Explanation: "because", Allowed: []string{"safety/x"}, ExitCode: &code, DurationMicros: 5,
			Receivers: []string{"a", "b"}, Compressed: true, Commitments: []audit.Hash{{1}},
		},
	}
	want := appendAll(t, s, full, audit.Record{Event: audit.Erased})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got := read(t, open(), audit.Filter{})
	if len(got) != 2 {
		t.Fatalf("%d records, want 2", len(got))
	}
	for i := range got {
		if text(t, got[i]) != text(t, want[i]) {
			t.Errorf("record %d:\n%s\nwant\n%s", i, text(t, got[i]), text(t, want[i]))
		}
		if h, err := got[i].Record.Hash(); err != nil || h != got[i].Hash {
			t.Errorf("record %d: its hash is %v, want %v (%v)", i, got[i].Hash, h, err)
		}
	}
}

func wholeOrNot(t *testing.T, open func() audit.Store) {
	s := open()
	broken := errors.New("broken")
	err := audit.NewLog(s, nil).Append(t.Context(), func(b *audit.Batch) error {
		if _, err := b.Add(audit.Record{Event: audit.Accepted, HandoffID: "a"}, []byte("frame")); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	if list := read(t, s, audit.Filter{}); len(list) != 0 {
		t.Errorf("%d records of a batch that failed", len(list))
	}
}

func filters(t *testing.T, open func() audit.Store) {
	s := open()
	stored := appendAll(t, s,
		audit.Record{Event: audit.Accepted, HandoffID: "1", TaskID: "t", Sender: "a", Receiver: "b"},
		audit.Record{Event: audit.HandedOver, HandoffID: "1", TaskID: "t"},
		audit.Record{Event: audit.Rejected, HandoffID: "2", TaskID: "u", Sender: "b", Receiver: "c", Reason: "SCHEMA_INVALID"},
		audit.Record{Event: audit.Accepted, HandoffID: "3", TaskID: "t", Sender: "b", Receiver: "c"},
		audit.Record{Event: audit.Erased},
	)
	at := stored[0].RecordedAt
	for name, test := range map[string]struct {
		filter audit.Filter
		want   []int64
	}{
		"all":          {audit.Filter{}, []int64{0, 1, 2, 3, 4}},
		"task":         {audit.Filter{Tasks: []string{"t"}}, []int64{0, 1, 3}},
		"handoffs":     {audit.Filter{Handoffs: []string{"1", "3"}}, []int64{0, 1, 3}},
		"agent":        {audit.Filter{Agent: "c"}, []int64{2, 3}},
		"events":       {audit.Filter{Events: []audit.Event{audit.Rejected, audit.HandedOver}}, []int64{1, 2}},
		"reason":       {audit.Filter{Reason: "SCHEMA_INVALID"}, []int64{2}},
		"since":        {audit.Filter{Since: at.Add(time.Nanosecond)}, nil},
		"until":        {audit.Filter{Until: at}, nil},
		"between":      {audit.Filter{Since: at, Until: at.Add(time.Microsecond)}, []int64{0, 1, 2, 3, 4}},
		"from":         {audit.Filter{From: 2}, []int64{2, 3, 4}},
		"before":       {audit.Filter{Before: 2}, []int64{0, 1}},
		"between them": {audit.Filter{From: 1, Before: 3, Newest: true}, []int64{2, 1}},
		"newest":       {audit.Filter{Newest: true, Limit: 2}, []int64{4, 3}},
		"by task":      {audit.Filter{ByTask: true}, []int64{0, 1, 3, 2}},
		"hash":         {audit.Filter{Hash: stored[2].Hash.String()[len("sha256:"):]}, []int64{2}},
		"prefix":       {audit.Filter{Hash: stored[1].Hash.String()[len("sha256:"):][:15]}, []int64{1}},
		"no hash":      {audit.Filter{Hash: "xyz"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []int64
			for _, r := range read(t, s, test.filter) {
				got = append(got, r.Sequence)
				if r.Sequence > 0 && r.PreviousRecordHash != stored[r.Sequence-1].Hash {
					t.Errorf("record %d has another hash before it", r.Sequence)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// beginnings tests searches by prefixes of ids, in all stored forms.
func beginnings(t *testing.T, open func() audit.Store) {
	s := open()
	ids := []string{
		"6e7f936b-cafd-4624-8754-0bafc4e8acb3", "6E7F936B-CAFD-4624-8754-0BAFC4E8ACB4", "fffff36b-cafd-4624-8754-0bafc4e8acb3",
		"run-7", "run-8 of 15 char"[:15], "Run-9", "00616263-0000-4000-8000-000000000000", "abcdef", "ffffffff-ffff-ffff-ffff-ffffffffffff", "100%",
	}
	var records []audit.Record
	for i, id := range ids {
		r := audit.Record{Event: audit.Accepted, HandoffID: id, TaskID: "task"}
		if i%2 == 1 {
			r.HandoffID, r.TaskID = "handoff", id
		}
		records = append(records, r)
	}
	appendAll(t, s, records...)
	for prefix, want := range map[string][]int64{
		"6e7f": {0, 1}, "6E7F936B-CAFD": {0, 1}, "6e7f936b-cafd-4624-8754-0bafc4e8acb3": {0}, "6e7f936b-cafd-4624-8754-0bafc4e8acb30": nil, "6e7f936bcafd": nil,
		"ffff": {2, 8}, "f": {2, 8}, "run-": {3, 4}, "run-8 of 15 cha": {4}, "abc": {7}, "0061": {6}, "%": nil, "100%": {9}, "task": {0, 2, 4, 6, 8}, "\x00": nil,
	} {
		var got []int64
		for _, r := range read(t, s, audit.Filter{Prefix: prefix}) {
			got = append(got, r.Sequence)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", prefix, got, want)
		}
	}
}

// severalWriters adds records through several openings of a store concurrently: the chain must have no gap
// and no fork, and the stored nodes must match the tree.
func severalWriters(t *testing.T, open func() audit.Store) {
	const writers, batches, size = 4, 15, 7
	var running sync.WaitGroup
	for w := range writers {
		s := open()
		running.Go(func() {
			log := audit.NewLog(s, nil)
			for i := range batches {
				err := log.Append(t.Context(), func(b *audit.Batch) error {
					for k := range size {
						if _, err := b.Add(audit.Record{Event: audit.Accepted, HandoffID: fmt.Sprint(w, i, k)}, []byte{byte(k)}); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	s := open()
	builder := merkle.NewBuilder()
	previous, n := audit.Hash{}, int64(0)
	for _, r := range read(t, s, audit.Filter{}) {
		if hash, err := r.Record.Hash(); err != nil || r.Sequence != n || r.PreviousRecordHash != previous || hash != r.Hash {
			t.Fatalf("record %d does not continue the chain (%v)", n, err)
		}
		builder.Add(r.Hash)
		previous, n = r.Hash, n+1
	}
	if n != writers*batches*size {
		t.Errorf("%d records, want %d", n, writers*batches*size)
	}
	err := s.View(t.Context(), func(r audit.Reader) error {
		root, err := merkle.Root(t.Context(), r, n)
		if err == nil && root != builder.Root() {
			t.Error("the stored nodes differ from the nodes of the tree")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func underWay(t *testing.T, open func() audit.Store) {
	one, other := open(), open()
	name, err := one.Instance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = audit.NewLog(one, nil).Append(t.Context(), func(b *audit.Batch) error {
		return b.SetPending([]audit.Pending{
			{HandoffID: "a", Receiver: "r", Sequence: 1, Instance: name, ReplyTo: "answers"},
			{HandoffID: "a", Receiver: "s", Sequence: 2, Instance: "0123456789abcdef", Running: true},
			{HandoffID: "b", Receiver: "r", Sequence: 3, Instance: "0123456789abcdef"},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	// A database server needs a moment to notice that a process has gone.
	check := func(want string) {
		t.Helper()
		got := ""
		for range 100 {
			got = ""
			err := other.View(t.Context(), func(r audit.Reader) error {
				list, err := r.Pending()
				for _, p := range list {
					got += fmt.Sprintf("%s %s %d %t %t %s; ", p.HandoffID, p.Receiver, p.Sequence, p.Alive, p.Running, p.ReplyTo)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if got == want {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("got %q, want %q", got, want)
	}
	const rest = "a s 2 false true ; b r 3 false false ; "
	check("a r 1 true false answers; " + rest)
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	check("a r 1 false false answers; " + rest)
	err = audit.NewLog(other, nil).Append(t.Context(), func(b *audit.Batch) error {
		return b.ClearPending([]audit.Copy{{HandoffID: "a", Receiver: "r"}, {HandoffID: "b", Receiver: "another"}, {HandoffID: "c"}})
	})
	if err != nil {
		t.Fatal(err)
	}
	check(rest)
}

func settings(t *testing.T, open func() audit.Store) {
	s := open()
	l := audit.NewLog(s, nil)
	err := l.Append(t.Context(), func(b *audit.Batch) error { return b.Set("retention", "P7Y") })
	if err != nil {
		t.Fatal(err)
	}
	err = l.Append(t.Context(), func(b *audit.Batch) error { return b.Set("retention", "P1D") })
	if err == nil {
		t.Error("a setting was changed")
	}
	err = l.Append(t.Context(), func(b *audit.Batch) error { return errors.Join(b.Set("origin", "a"), b.Set("origin", "b")) })
	if err == nil {
		t.Error("a setting was made twice at once")
	}
	// A process that adds records without this program cannot change any either.
	appendAll(t, s, audit.Record{Event: audit.Configured, Details: audit.Details{Setting: &audit.Setting{Name: "retention", Value: "P1D"}}})
	err = s.View(t.Context(), func(r audit.Reader) error {
		all, err := audit.Settings(r)
		if len(all) != 1 || all["retention"] != "P7Y" {
			t.Errorf("got %v", all)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// apart tests that personal data is stored beside its record, and found by its subject.
func apart(t *testing.T, open func() audit.Store) {
	s := open()
	one, other := strings.Repeat("0a", 32), strings.Repeat("0b", 32)
	err := audit.NewLog(s, nil).Append(t.Context(), func(b *audit.Batch) error {
		for _, subject := range []string{one, other, "", one} {
			payload := []byte(nil)
			if subject != "" {
				payload = []byte("of " + subject)
			}
			if b.Next() == 3 {
				payload = nil // a duplicate has no personal data of its own
			}
			if _, err := b.AddApart(audit.Record{Event: audit.Accepted, Details: audit.Details{Subject: subject}}, []byte("frame"), payload); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if list := read(t, s, audit.Filter{Subject: one}); len(list) != 1 || list[0].Sequence != 0 {
		t.Errorf("of a subject: %+v", list)
	}
	if list := read(t, s, audit.Filter{Subject: "no hash"}); list != nil {
		t.Errorf("of nobody: %+v", list)
	}
	err = s.View(t.Context(), func(r audit.Reader) error {
		for sequence, want := range []string{"of " + one, "of " + other, "", ""} {
			payload, err := r.Payload(int64(sequence))
			if err != nil || string(payload) != want || (payload == nil) != (want == "") {
				t.Errorf("record %d: got %q, %v", sequence, payload, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// outcomes tests that the inspector's outcomes since a time are all that a filter finds in the log, even
// after clocks were set back.
func outcomes(t *testing.T, open func() audit.Store) {
	s := open()
	begin := time.Date(2026, 6, 12, 0, 0, 0, 0, time.UTC)
	const records, batch = 12_500, 125
	n := 0
	at := func(i int) time.Time {
		now := begin.Add(time.Duration(i) * time.Second)
		if i/batch%7 == 3 { // from another clock
			now = now.Add(-audit.MaxSkew + time.Second)
		}
		return now
	}
	log := audit.NewLog(s, func() time.Time { return at(n) })
	kinds := []audit.Record{
		{Event: audit.Accepted, Sender: "a", Receiver: "b", Transport: "nats", LatencyMicros: 12, Details: audit.Details{Compressed: true}},
		{Event: audit.HandedOver}, {Event: audit.Rejected, Sender: "a", Reason: "SCHEMA_INVALID"}, {Event: audit.RolledBack},
	}
	for n < records {
		err := log.Append(t.Context(), func(b *audit.Batch) error {
			for range batch {
				if _, err := b.Add(kinds[n%len(kinds)], nil); err != nil {
					return err
				}
				n++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, since := range []time.Time{{}, begin.Add(-time.Hour), at(700), at(4096), at(5000), at(8192).Add(time.Nanosecond), at(12_300), at(records), at(records).Add(time.Hour)} {
		var got, want []string
		err := s.Inspect(t.Context(), func(i audit.Inspector) error {
			return i.Outcomes(since, func(o *audit.Outcome) error {
				got = append(got, fmt.Sprintf("%+v", *o))
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range read(t, s, audit.Filter{Since: since, Events: []audit.Event{audit.Accepted, audit.Rejected, audit.RolledBack}}) {
			want = append(want, fmt.Sprintf("%+v", audit.Outcome{RecordedAt: r.RecordedAt, Event: r.Event, Sender: r.Sender, Receiver: r.Receiver, Reason: r.Reason, Transport: r.Transport, LatencyMicros: r.LatencyMicros, Details: r.Details}))
		}
		if !slices.Equal(got, want) {
			t.Errorf("since %v: %d outcomes, want %d", since, len(got), len(want))
		}
	}
}

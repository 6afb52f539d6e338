// Package sqlstore keeps an audit log in SQLite or PostgreSQL. The tables are described in
// docs/audit.md.
package sqlstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/database"
)

// A Store is an [audit.Store] in a database.
type Store struct {
	db      *database.DB
	archive string
}

// Options are the options of [Open].
type Options struct {
	Create bool // create the SQLite file, or the tables, if missing
	// Archive is the current directory of the archive files, "" for the one in which they were written.
	Archive string
	// Wipe overwrites removed data, so that the file keeps no trace of it.
	Wipe bool
}

// part is the name of the audit log's tables in errors and in handoff_version.
const part = "audit log"

// Open opens the store at an address: a path, "sqlite:PATH" or "postgres://…".
func Open(ctx context.Context, address string, o Options) (*Store, error) {
	db, err := database.Open(ctx, address, database.Options{Create: o.Create, Wipe: o.Wipe})
	if err != nil {
		return nil, err
	}
	if err := db.Migrate(ctx, part, versions, o.Create); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Store{db: db, archive: o.Archive}, nil
}

// Place returns the identity of the store's database: equal results mean the same database.
func (s *Store) Place(ctx context.Context) (string, error) { return s.db.Place(ctx) }

// Close implements [audit.Store].
func (s *Store) Close() error { return s.db.Close() }

// Instance implements [audit.Store].
func (s *Store) Instance(ctx context.Context) (string, error) { return s.db.Instance(ctx) }

// Stay keeps this process's instance, if any, visible to others until ctx is done, even if a connection is
// lost.
func (s *Store) Stay(ctx context.Context) { s.db.Stay(ctx) }

// Update implements [audit.Store].
func (s *Store) Update(ctx context.Context, f func(audit.Tx) error) error {
	err := s.db.Update(ctx, "audit", func(t *database.Tx) error { return f(tx{t, ctx, s.archive}) })
	if uncertain := (*database.UncertainError)(nil); errors.As(err, &uncertain) {
		return &audit.UncertainError{Err: uncertain.Err}
	}
	return err
}

// View implements [audit.Store].
func (s *Store) View(ctx context.Context, f func(audit.Reader) error) error {
	return s.db.View(ctx, func(t *database.Tx) error { return f(tx{t, ctx, s.archive}) })
}

type tx struct {
	*database.Tx
	ctx     context.Context
	archive string
}

func (t tx) Head() (h audit.Head, err error) {
	var last []byte
	err = t.QueryRow("SELECT sequence + 1, hash FROM audit_record ORDER BY sequence DESC LIMIT 1").Scan(&h.Size, &last)
	if errors.Is(err, sql.ErrNoRows) {
		return h, nil
	}
	if err == nil && len(last) != len(h.Last) {
		err = &RowError{h.Size - 1, "its hash is not valid"}
	}
	copy(h.Last[:], last)
	return h, err
}

// condition returns the WHERE condition of a filter, with its parameters.
func condition(f audit.Filter) (where string, args []any) {
	parts := []string{"event >= 0"} // without removed records
	add := func(part string, values ...any) {
		parts = append(parts, part)
		args = append(args, values...)
	}
	if f.From > 0 {
		add("sequence >= ?", f.From)
	}
	if f.Before > 0 {
		add("sequence < ?", f.Before)
	}
	if f.Prefix != "" {
		part, values := prefixCondition(f.Prefix)
		add(part, values...)
	}
	if f.ByTask {
		add("task_id IS NOT NULL")
	}
	if f.Hash != "" {
		from, to := hashRange(f.Hash)
		add("hash >= ? AND hash < ?", from, to)
	}
	for _, among := range []struct {
		column string
		ids    []string
	}{{"handoff_id", f.Handoffs}, {"task_id", f.Tasks}} {
		if len(among.ids) > 0 {
			add(among.column+" IN ("+database.Marks(len(among.ids))+")", packed(among.ids)...)
		}
	}
	if f.Agent != "" {
		add("(sender = ? OR receiver = ?)", f.Agent, f.Agent)
	}
	if len(f.Events) > 0 {
		numbers, rare, failed := make([]string, len(f.Events)), true, true
		for i, e := range f.Events {
			n := slices.Index(events, e)
			numbers[i], rare, failed = fmt.Sprint(n), rare && n >= firstRare, failed && n >= firstFailed && n <= lastFailed
		}
		add("event IN (" + strings.Join(numbers, ",") + ")")
		// This lets the database use a partial index of such events. A query for a handoff or a task must not
		// use the index of rare events: the handoff or task has fewer records.
		switch {
		case len(f.Handoffs) > 0:
		case len(f.Tasks) > 0 && failed:
			add(fmt.Sprintf("event BETWEEN %d AND %d", firstFailed, lastFailed))
		case len(f.Tasks) == 0 && rare:
			add(fmt.Sprintf("event >= %d", firstRare))
		}
	}
	if f.Reason != "" {
		add("reason = ?", f.Reason)
	}
	if f.Subject != "" {
		add("sequence IN (SELECT a.sequence FROM audit_personal AS a WHERE a.subject = ?)", packSubject(f.Subject))
	}
	if !f.Since.IsZero() {
		add("recorded_at >= ?", ceilMicro(f.Since))
	}
	if !f.Until.IsZero() {
		add("recorded_at < ?", ceilMicro(f.Until))
	}
	return strings.Join(parts, " AND "), args
}

// firstRare is the number of the first rare event: it and all later ones are in the index audit_record_rare.
const firstRare = 4

// firstFailed and lastFailed are the numbers of REJECTED and EXECUTION_FAILED, the events in the index
// audit_record_failed.
const (
	firstFailed = 6
	lastFailed  = 7
)

// prefixCondition returns the condition that an id begins with a prefix, with its parameters. Ids are stored
// as by packID.
func prefixCondition(prefix string) (string, []any) {
	type span struct {
		also     string // additional condition for the ids in the range
		from, to []byte
	}
	var spans []span
	lower := strings.ToLower(prefix)
	if from, to, ok := uuidRange(lower); ok {
		spans = append(spans, span{" AND length(%[1]s) = 16", from, to})
	}
	texts := []string{prefix, lower, strings.ToUpper(prefix)}
	slices.Sort(texts)
	for _, text := range slices.Compact(texts) {
		for _, before := range []string{"\x00", "\x01\x01"} {
			from := []byte(before + text)
			spans = append(spans, span{" AND length(%[1]s) <> 16", from, successor(from)})
		}
	}
	var parts []string
	var args []any
	for _, column := range []string{"handoff_id", "task_id"} {
		for _, s := range spans {
			parts = append(parts, fmt.Sprintf("%[1]s >= ? AND %[1]s < ?"+s.also, column))
			args = append(args, s.from, s.to)
		}
	}
	return "(" + strings.Join(parts, " OR ") + ")", args
}

// uuidRange returns the range of the stored UUIDs whose text begins with a prefix.
func uuidRange(prefix string) (from, to []byte, ok bool) {
	const first, last = "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"
	if len(prefix) > len(first) {
		return nil, nil, false
	}
	a, okA := parseUUID(prefix + first[len(prefix):])
	b, okB := parseUUID(prefix + last[len(prefix):])
	if !okA || !okB {
		return nil, nil, false
	}
	return a[:], successor(b[:]), true
}

// successor returns the least byte string greater than all that begin with b.
func successor(b []byte) []byte {
	b = slices.Clone(b)
	for len(b) > 0 && b[len(b)-1] == 0xff {
		b = b[:len(b)-1]
	}
	if len(b) == 0 {
		return bytes.Repeat([]byte{0xff}, 17) // greater than all ids
	}
	b[len(b)-1]++
	return b
}

// hashRange returns the range of the hashes that begin with hexadecimal digits: from is inclusive, to
// exclusive. The range is empty for other text.
func hashRange(digits string) (from, to []byte) {
	from, err := hex.DecodeString(digits + strings.Repeat("0", len(digits)%2))
	to, err2 := hex.DecodeString(digits + strings.Repeat("f", len(digits)%2))
	if err != nil || err2 != nil {
		return []byte{}, []byte{}
	}
	// A hash is shorter than the appended bytes.
	return from, append(to, bytes.Repeat([]byte{0xff}, len(audit.Hash{})+1)...)
}

// order returns the ORDER BY and LIMIT clauses of a filter.
func order(f audit.Filter) string {
	by := " ORDER BY "
	if f.ByTask {
		by += "task_id, "
	}
	if f.Prefix != "" {
		by += "+" // prevents the database from scanning all records in this order for a few of an id
	}
	by += "sequence"
	if f.Newest {
		by += " DESC"
	}
	return by
}

// packed returns ids in their stored form.
func packed(ids []string) []any {
	list := make([]any, len(ids))
	for i, id := range ids {
		list[i] = packID(id)
	}
	return list
}

// ceilMicro returns the first whole microsecond at or after a time.
func ceilMicro(t time.Time) int64 { return t.Add(time.Microsecond - 1).UnixMicro() }

func (t tx) Records(f audit.Filter) iter.Seq2[audit.Stored, error] {
	return func(yield func(audit.Stored, error) bool) {
		where, args := condition(f)
		query := "SELECT " + strings.Join(recordColumns, ",") + ", (SELECT p.hash FROM audit_record AS p WHERE p.sequence = r.sequence - 1) FROM audit_record AS r WHERE " + where + order(f)
		if f.Limit > 0 {
			query += fmt.Sprintf(" LIMIT %d", f.Limit)
		}
		rows, err := t.Query(query, args...)
		if err != nil {
			yield(audit.Stored{}, err)
			return
		}
		defer rows.Close() // read only: errors of Close do not matter
		var s scanner
		for rows.Next() {
			var r audit.Stored
			if err := s.scan(rows, &r); err != nil {
				yield(audit.Stored{}, err)
				return
			}
			if !yield(r, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(audit.Stored{}, err)
		}
	}
}

func (t tx) Frame(sequence int64) (frame []byte, err error) {
	err = t.QueryRow("SELECT frame FROM audit_message WHERE sequence = ?", sequence).Scan(&frame)
	if errors.Is(err, sql.ErrNoRows) {
		return t.archivedFrame(sequence)
	}
	return frame, err
}

func (t tx) Payload(sequence int64) (payload []byte, err error) {
	err = t.QueryRow("SELECT payload FROM audit_personal WHERE sequence = ?", sequence).Scan(&payload)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return payload, err
}

func (t tx) Pending(handoffs ...string) (list []audit.Pending, err error) {
	where := ""
	if len(handoffs) > 0 {
		where = " WHERE handoff_id IN (" + database.Marks(len(handoffs)) + ")"
	}
	rows, err := t.Query("SELECT handoff_id, receiver, sequence, instance, running, coalesce(reply_to, '') FROM audit_pending"+where+" ORDER BY sequence", packed(handoffs)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // read only: errors of Close do not matter
	for rows.Next() {
		var p audit.Pending
		var id []byte
		var running int64
		if err := rows.Scan(&id, &p.Receiver, &p.Sequence, &p.Instance, &running, &p.ReplyTo); err != nil {
			return nil, err
		}
		p.Running = running != 0
		var ok bool
		if p.HandoffID, ok = unpackID(id); !ok {
			return nil, &RowError{p.Sequence, "its row of audit_pending is not valid"}
		}
		list = append(list, p)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	alive := map[string]bool{}
	for i := range list {
		p := &list[i]
		if _, known := alive[p.Instance]; !known {
			if alive[p.Instance], err = t.Alive(p.Instance); err != nil {
				return nil, err
			}
		}
		p.Alive = alive[p.Instance]
	}
	return list, nil
}

// hashes returns the only column of a query.
func (t tx) hashes(query string, args ...any) (list []merkle.Hash, err error) {
	rows, err := t.Query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // read only: errors of Close do not matter
	for rows.Next() {
		var b sql.RawBytes
		if err := rows.Scan(&b); err != nil {
			return nil, err
		}
		if len(b) != len(merkle.Hash{}) {
			return nil, errors.New("a hash of the audit log is not valid")
		}
		list = append(list, merkle.Hash(b))
	}
	return list, rows.Err()
}

func (t tx) RecordHashes(_ context.Context, first, n int64) ([]merkle.Hash, error) {
	return t.hashes("SELECT hash FROM audit_record WHERE sequence >= ? AND sequence < ? ORDER BY sequence", first, first+n)
}

func (t tx) Nodes(_ context.Context, level int, first, n int64) ([]merkle.Hash, error) {
	return t.hashes("SELECT hash FROM audit_node WHERE level = ? AND position >= ? AND position < ? ORDER BY position", level, first, first+n)
}

func (t tx) Insert(entries []audit.Entry) error {
	records, frames := make([][]any, len(entries)), make([][]any, 0, len(entries))
	var personal [][]any
	for i := range entries {
		var err error
		if records[i], err = row(&entries[i].Stored); err != nil {
			return err
		}
		if entries[i].Frame != nil {
			frames = append(frames, []any{entries[i].Sequence, entries[i].Frame})
		}
		if entries[i].Payload != nil {
			personal = append(personal, []any{entries[i].Sequence, packSubject(entries[i].Details.Subject), entries[i].Payload})
		}
	}
	if err := t.Tx.Insert("audit_record", recordColumns, records); err != nil {
		return err
	}
	if err := t.Tx.Insert("audit_message", []string{"sequence", "frame"}, frames); err != nil {
		return err
	}
	return t.Tx.Insert("audit_personal", []string{"sequence", "subject", "payload"}, personal)
}

func (t tx) InsertNodes(nodes []merkle.Node) error {
	rows := make([][]any, len(nodes))
	for i, n := range nodes {
		rows[i] = []any{n.Level, n.Index, n.Hash[:]}
	}
	return t.Tx.Insert("audit_node", []string{"level", "position", "hash"}, rows)
}

func (t tx) SetPending(list []audit.Pending) error {
	rows := make([][]any, len(list))
	for i, p := range list {
		running := 0
		if p.Running {
			running = 1
		}
		rows[i] = []any{packID(p.HandoffID), p.Receiver, p.Sequence, p.Instance, running, text(p.ReplyTo), pendingDigest(p.HandoffID, p.Sequence, p.Instance, p.ReplyTo)}
	}
	return t.Tx.Insert("audit_pending", []string{"handoff_id", "receiver", "sequence", "instance", "running", "reply_to", "digest"}, rows)
}

func (t tx) ClearPending(copies []audit.Copy) error {
	for _, c := range copies {
		if err := t.Exec("DELETE FROM audit_pending WHERE handoff_id = ? AND receiver = ?", packID(c.HandoffID), c.Receiver); err != nil {
			return err
		}
	}
	return nil
}

// pendingDigest returns the digest of the columns of an audit_pending row that are not in records. Without
// replyTo it is the digest of version 1 of the tables.
func pendingDigest(handoff string, sequence int64, instance, replyTo string) []byte {
	values := []string{handoff, strconv.FormatInt(sequence, 10), instance}
	if replyTo != "" {
		values = append(values, replyTo)
	}
	return rowDigest(values...)
}

// rowDigest returns the digest of values that are in no record's hash: the SHA-256 of each value preceded by
// its length.
func rowDigest(values ...string) []byte {
	h := sha256.New()
	for _, v := range values {
		fmt.Fprintf(h, "%d:%s", len(v), v)
	}
	return h.Sum(nil)
}

package sqlstore

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unsafe"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/database"
)

// Inspect implements [audit.Store].
func (s *Store) Inspect(ctx context.Context, f func(audit.Inspector) error) error {
	return s.db.Scan(ctx, func(r database.Scanner) error { return f(inspector{r, ctx, s.archive, s.db.Postgres}) })
}

type inspector struct {
	database.Scanner
	ctx      context.Context
	archive  string
	postgres bool
}

// CheckIndexes implements [audit.Store].
func (s *Store) CheckIndexes(ctx context.Context, found func(problem string) error) (unchecked string, err error) {
	return s.db.CheckIndexes(ctx, tables, found)
}

// integer returns the single value of a query, if it has a row.
func (i inspector) integer(query string, args ...int64) (n int64, found bool, err error) {
	err = i.Scanner.Rows(func(v []database.Cell) error {
		n, found = v[0].Int, true
		return nil
	}, query, args...)
	return n, found, err
}

func (i inspector) LastRecord() (last int64, found bool, err error) {
	return i.integer("SELECT sequence FROM audit_record ORDER BY sequence DESC LIMIT 1")
}

func (i inspector) NextRecord(from int64) (next int64, found bool, err error) {
	return i.integer("SELECT sequence FROM audit_record WHERE sequence >= ? ORDER BY sequence LIMIT 1", from)
}

func (i inspector) Rows(first, end int64, f func(*audit.Row) error) error {
	var c columns
	var r audit.Row
	var err error
	if c.removed, err = i.removed(); err != nil {
		return err
	}
	if c.rejected, _, err = i.integer(rejectedQuery); err != nil {
		return err
	}
	return i.Scanner.Rows(func(v []database.Cell) error {
		c.cells, c.wrong = v, ""
		c.row(&r)
		return f(&r)
	}, "SELECT "+strings.Join(recordColumns, ",")+" FROM audit_record WHERE sequence >= ? AND sequence < ? ORDER BY sequence", first, end)
}

func (i inspector) Frames(first, end int64, f func(int64, []byte) error) error {
	err := i.Scanner.Rows(func(v []database.Cell) error {
		if v[1].Kind != database.Blob {
			return f(v[0].Int, nil)
		}
		return f(v[0].Int, v[1].Bytes)
	}, "SELECT sequence, frame FROM audit_message WHERE sequence >= ? AND sequence < ? ORDER BY sequence", first, end)
	if err != nil {
		return err
	}
	return i.archivedFrames(first, end, f)
}

func (i inspector) Nodes(level int, first, end int64, f func(merkle.Node) error) error {
	return i.Scanner.Rows(func(v []database.Cell) error {
		if v[0].Kind != database.Int {
			return nil // reported by Others
		}
		n := merkle.Node{Level: level, Index: v[0].Int}
		if hash := v[1].Bytes; v[1].Kind == database.Blob && len(hash) == len(n.Hash) {
			n.Hash = merkle.Hash(hash)
		}
		return f(n)
	}, "SELECT position, hash FROM audit_node WHERE level = ? AND position >= ? AND position < ? ORDER BY position", int64(level), first, end)
}

// columns converts the values of recordColumns to an [audit.Row]. wrong is the first value that this program
// cannot have written: each value has only one spelling, so that every change is detected.
type columns struct {
	cells   []database.Cell
	wrong   string
	removed int64 // records before this one may have been removed

	rejected int64 // records of rejected messages before this one may have been removed

	ids   [3][36]byte // texts of this row's ids
	trace []byte
}

func (c *columns) row(r *audit.Row) {
	*r = audit.Row{}
	r.Sequence = c.number(0, true)
	r.Hash = c.hash(1)
	if e := &c.cells[3]; e.Kind == database.Int && e.Int == removedEvent {
		r.Tombstone = true
		r.Problem = c.tombstone(r)
		return
	}
	r.RecordedAt = time.UnixMicro(c.number(2, true)).UTC()
	if event := c.number(3, true); event >= 0 && event < int64(len(events)) {
		r.Event = events[event]
	} else {
		c.no(3)
	}
	r.HandoffID, r.TaskID, r.ParentHandoffID = c.id(4, &c.ids[0]), c.id(5, &c.ids[1]), c.id(6, &c.ids[2])
	r.Sender, r.Receiver, r.Reason = c.text(7), c.text(8), finding.Reason(c.text(9))
	r.Attempt = int(c.number(10, false))
	r.CostSpentUSD, r.CostRemainingUSD = c.text(11), c.text(12)
	r.PromptTokens, r.CompletionTokens = c.number(13, false), c.number(14, false)
	c.trace = hex.AppendEncode(c.trace[:0], c.bytes(15))
	r.TraceID = view(c.trace)
	r.Transport = c.text(16)
	r.LatencyMicros = c.number(17, false)
	r.KeyID = c.text(18)
	r.MessageDigest = c.hash(19)
	r.MessageBytes = c.number(20, false)
	r.FrameDigest = c.hash(21)
	if details := c.text(22); details != "" {
		r.RawDetails = c.cells[22].Bytes
	}
	r.Problem = c.wrong
}

func (c *columns) no(i int) {
	if c.wrong == "" {
		c.wrong = fmt.Sprintf("its column %s has a value that cannot be valid", recordColumns[i])
	}
}

func (c *columns) number(i int, zero bool) int64 {
	switch v := &c.cells[i]; {
	case v.Kind == database.Int && (v.Int != 0 || zero):
		return v.Int
	case v.Kind == database.Null && !zero:
	default:
		c.no(i)
	}
	return 0
}

// text returns a text that is valid until the next row.
func (c *columns) text(i int) string {
	switch v := &c.cells[i]; {
	case v.Kind == database.Text && len(v.Bytes) > 0:
		return view(v.Bytes)
	case v.Kind == database.Null:
	default:
		c.no(i)
	}
	return ""
}

// view returns bytes as a string without copying. The bytes must not change while it is used.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func (c *columns) bytes(i int) []byte {
	switch v := &c.cells[i]; {
	case v.Kind == database.Blob && len(v.Bytes) > 0:
		return v.Bytes
	case v.Kind == database.Null:
	default:
		c.no(i)
	}
	return nil
}

func (c *columns) hash(i int) (h audit.Hash) {
	b := c.bytes(i)
	if b == nil {
		return h
	}
	if len(b) != len(h) || audit.Hash(b) == h {
		c.no(i)
		return h
	}
	return audit.Hash(b)
}

// id returns an id that is valid until the next row.
func (c *columns) id(i int, room *[36]byte) string {
	b := c.bytes(i)
	if len(b) == 16 {
		writeUUID(room, [16]byte(b))
		return view(room[:])
	}
	id, ok := unpackID(b)
	if b != nil && ok {
		packed, isBytes := packID(id).([]byte)
		ok = isBytes && string(packed) == string(b)
	}
	if !ok {
		c.no(i)
	}
	return id
}

// Payloads implements [audit.Inspector].
func (i inspector) Payloads(first, end int64, f func(sequence int64, subject string, payload []byte) error) error {
	return i.Scanner.Rows(func(v []database.Cell) error {
		if v[1].Kind != database.Blob || v[2].Kind != database.Blob {
			return f(v[0].Int, "", nil)
		}
		return f(v[0].Int, hex.EncodeToString(v[1].Bytes), v[2].Bytes)
	}, "SELECT sequence, subject, payload FROM audit_personal WHERE sequence >= ? AND sequence < ? ORDER BY sequence", first, end)
}

// Pending implements [audit.Inspector].
func (i inspector) Pending(f func(p audit.Pending, written bool) error) error {
	return i.Scanner.Rows(func(v []database.Cell) error {
		id, written := unpackID(v[0].Bytes)
		for at, kind := range []database.Kind{database.Blob, database.Text, database.Int, database.Text, database.Int} {
			written = written && v[at].Kind == kind
		}
		replyTo := string(v[5].Bytes)
		written = written && (v[4].Int == 0 || v[4].Int == 1) && v[6].Kind == database.Blob &&
			(v[5].Kind == database.Null || v[5].Kind == database.Text && replyTo != "") &&
			string(v[6].Bytes) == string(pendingDigest(id, v[2].Int, string(v[3].Bytes), replyTo))
		return f(audit.Pending{HandoffID: id, Receiver: string(v[1].Bytes), Sequence: v[2].Int, Running: v[4].Int == 1, ReplyTo: replyTo}, written)
	}, "SELECT handoff_id, receiver, sequence, instance, running, reply_to, digest FROM audit_pending ORDER BY sequence")
}

// Others implements [audit.Inspector].
func (i inspector) Others(f func(audit.Problem) error) error {
	row := func(format string, args ...any) error {
		return f(audit.Problem{Kind: audit.RowChanged, First: -1, Last: -1, Message: fmt.Sprintf(format, args...)})
	}
	last, found, err := i.LastRecord()
	if err != nil {
		return err
	}
	size := int64(0)
	switch {
	case found && last == math.MaxInt64:
		if err := row("a row of audit_record has the sequence number %d, which is not valid", last); err != nil {
			return err
		}
		size = last
	case found:
		size = last + 1
	}
	// Each condition can use the primary key.
	for _, outside := range []struct {
		where string
		at    int64
	}{{"sequence < ?", 0}, {"sequence >= ?", size}} {
		err := i.Scanner.Rows(func(v []database.Cell) error {
			return row("there is a message beside record %d, which does not exist", v[0].Int)
		}, "SELECT sequence FROM audit_message WHERE "+outside.where+" ORDER BY sequence LIMIT 100", outside.at)
		if err == nil {
			err = i.Scanner.Rows(func(v []database.Cell) error {
				return row("there is personal data beside record %d, which does not exist", v[0].Int)
			}, "SELECT sequence FROM audit_personal WHERE "+outside.where+" ORDER BY sequence LIMIT 100", outside.at)
		}
		if err != nil {
			return err
		}
	}
	stray := func(where string, args ...int64) error {
		return i.Scanner.Rows(func(v []database.Cell) error {
			if v[0].Kind != database.Int || v[1].Kind != database.Int {
				return row("audit_node has a row whose level or position is not an integer")
			}
			return row("the tree has no node %d of level %d", v[1].Int, v[0].Int)
		}, "SELECT level, position FROM audit_node WHERE "+where+" ORDER BY level, position LIMIT 100", args...)
	}
	level := int64(1)
	for width := int64(256); width <= size && width < math.MaxInt64/256; width *= 256 {
		if err := errors.Join(stray("level = ? AND position < ?", level, 0), stray("level = ? AND position >= ?", level, size/width)); err != nil {
			return err
		}
		level++
	}
	if err := errors.Join(stray("level < ?", 1), stray("level >= ?", level)); err != nil {
		return err
	}
	if !i.postgres { // PostgreSQL's columns are typed
		if err := stray("typeof(level) <> 'integer' AND level BETWEEN ? AND ? OR typeof(position) <> 'integer'", 1, level); err != nil {
			return err
		}
	}
	return i.otherRetention(row)
}

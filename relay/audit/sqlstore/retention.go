package sqlstore

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/archive"
	"github.com/eaapl/handoff/relay/internal/database"
)

// firstKept and lastKept are the numbers of the first and last event of the log itself. Their records are not
// removed.
const (
	firstKept = 14
	lastKept  = 16
)

// removedEvent is the value of the column event in removed records. Their columns sequence and hash are kept,
// message_digest is a digest of both, recorded_at is 0, and the others are NULL.
const removedEvent = int64(-1)

func tombstoneDigest(sequence int64, hash []byte) []byte {
	return rowDigest(strconv.FormatInt(sequence, 10), string(hash))
}

// tombstone returns the reason why this program cannot have removed a record, "" if it can.
func (c *columns) tombstone(r *audit.Row) string {
	if r.Sequence >= max(c.removed, c.rejected) {
		return "it was removed without a row of audit_removal"
	}
	for i := range c.cells {
		v := &c.cells[i]
		switch recordColumns[i] {
		case "sequence", "hash", "event":
		case "recorded_at":
			if v.Kind != database.Int || v.Int != 0 {
				c.no(i)
			}
		case "message_digest":
			if v.Kind != database.Blob || string(v.Bytes) != string(tombstoneDigest(r.Sequence, r.Hash[:])) {
				c.wrong = "its hash, the only remaining value, was changed"
			}
		default:
			if v.Kind != database.Null {
				c.no(i)
			}
		}
	}
	return c.wrong
}

var archiveColumns = []string{"first", "last", "directory", "file", "sha256"}

const archivesQuery = "SELECT first, last, directory, file, sha256 FROM audit_archive WHERE last >= ? AND first < ? ORDER BY first"

// path returns the path of an archive file.
func path(a audit.Archive, directory string) string {
	if directory == "" {
		directory = a.Directory
	}
	return filepath.Join(directory, filepath.Base(a.File))
}

func (t tx) Archives() ([]audit.Archive, error) { return t.archives(-1<<62, 1<<62) }

// archives returns the files for the records from first up to, but not including, end.
func (t tx) archives(first, end int64) (list []audit.Archive, err error) {
	rows, err := t.Query(archivesQuery, first, end)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // read only: errors of Close do not matter
	for rows.Next() {
		var a audit.Archive
		var sum []byte
		if err := rows.Scan(&a.First, &a.Last, &a.Directory, &a.File, &sum); err != nil {
			return nil, err
		}
		copy(a.Digest[:], sum)
		if t.archive != "" {
			a.Directory = t.archive
		}
		list = append(list, a)
	}
	return list, rows.Err()
}

// Negative numbers in audit_removal are bounds of removals of rejected messages only.
const (
	removedQuery  = "SELECT coalesce(max(before), 0) FROM audit_removal WHERE before > 0"
	rejectedQuery = "SELECT coalesce(-min(before), 0) FROM audit_removal WHERE before < 0"
)

// removed returns the number before which records were removed.
func (t tx) removed() (before int64, err error) {
	err = t.QueryRow(removedQuery).Scan(&before)
	return before, err
}

// archivedFrame returns a message from an archive file.
func (t tx) archivedFrame(sequence int64) (frame []byte, err error) {
	list, err := t.archives(sequence, sequence+1)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if removed, err := t.removed(); err != nil || sequence < removed {
		return nil, err
	}
	place := path(list[0], t.archive)
	f, err := archive.Open(t.ctx, place)
	if err != nil {
		return nil, unreadable(sequence, place, err)
	}
	defer f.Close() // read only
	err = f.Each(sequence, sequence+1, func(_ int64, b []byte) error { frame = b; return nil })
	if err != nil {
		return nil, unreadable(sequence, place, err)
	}
	return frame, nil
}

// unreadable returns the error for a message that cannot be read from its archive file.
func unreadable(sequence int64, path string, err error) error {
	damaged, failed := (*archive.DamagedError)(nil), (*fs.PathError)(nil)
	switch {
	case errors.As(err, &damaged):
		err = errors.New(damaged.Problem)
	case errors.As(err, &failed):
		err = failed.Err
	}
	return &audit.UnreadableError{Sequence: sequence, Path: path, Err: err}
}

func (t tx) Archive(a audit.Archive) error {
	err := t.Tx.Insert("audit_archive", archiveColumns, [][]any{{a.First, a.Last, a.Directory, a.File, a.Digest[:]}})
	if err != nil {
		return err
	}
	return t.Exec("DELETE FROM audit_message WHERE sequence >= ? AND sequence <= ?", a.First, a.Last)
}

// removeRows is the number of records that are read at once.
const removeRows = 1000

func (t tx) Remove(before int64) (removed int64, err error) {
	last, err := t.removed()
	if err != nil {
		return 0, err
	}
	err = t.QueryRow("SELECT count(*) FROM audit_record WHERE sequence >= ? AND sequence < ? AND event >= 0 AND event NOT BETWEEN ? AND ?", last, before, firstKept, lastKept).Scan(&removed)
	if err != nil || removed == 0 {
		return 0, err
	}
	if err := t.Tx.Insert("audit_removal", []string{"before"}, [][]any{{before}}); err != nil {
		return 0, err
	}
	for first := last; first < before; first += removeRows {
		end := min(first+removeRows, before)
		hashes, err := t.hashes("SELECT hash FROM audit_record WHERE sequence >= ? AND sequence < ? ORDER BY sequence", first, end)
		if err != nil {
			return 0, err
		}
		if int64(len(hashes)) != end-first {
			return 0, fmt.Errorf("of the records %d to %d, %d are missing: run handoff audit verify", first, end-1, end-first-int64(len(hashes)))
		}
		for i, h := range hashes {
			if err := t.bury(first+int64(i), h); err != nil {
				return 0, err
			}
		}
	}
	if err := t.Exec("DELETE FROM audit_personal WHERE sequence < ?", before); err != nil {
		return 0, err
	}
	return removed, t.Exec("DELETE FROM audit_message WHERE sequence < ?", before)
}

// bury reduces a record to its number and its hash.
func (t tx) bury(sequence int64, hash audit.Hash) error {
	return t.Exec(`UPDATE audit_record SET event = -1, recorded_at = 0, message_digest = ?, handoff_id = NULL, task_id = NULL, parent_id = NULL,
sender = NULL, receiver = NULL, reason = NULL, attempt = NULL, cost_spent = NULL, cost_remaining = NULL, prompt_tokens = NULL, completion_tokens = NULL,
trace_id = NULL, transport = NULL, latency = NULL, key_id = NULL, message_bytes = NULL, frame_digest = NULL, details = NULL WHERE sequence = ? AND event NOT BETWEEN ? AND ?`,
		tombstoneDigest(sequence, hash[:]), sequence, firstKept, lastKept)
}

func (t tx) RemoveOnly(before int64, sequences []int64) (int64, error) {
	if len(sequences) == 0 {
		return 0, nil
	}
	err := t.Exec("INSERT INTO audit_removal (before) VALUES (?) ON CONFLICT DO NOTHING", -before)
	if err != nil {
		return 0, err
	}
	for _, sequence := range sequences {
		hashes, err := t.hashes("SELECT hash FROM audit_record WHERE sequence >= ? AND sequence <= ?", sequence, sequence)
		if err == nil && len(hashes) != 1 {
			err = fmt.Errorf("record %d is missing: run handoff audit verify", sequence)
		}
		if err == nil {
			err = t.bury(sequence, hashes[0])
		}
		if err == nil {
			err = t.Exec("DELETE FROM audit_personal WHERE sequence = ?", sequence)
		}
		if err == nil {
			err = t.Exec("DELETE FROM audit_message WHERE sequence = ?", sequence)
		}
		if err != nil {
			return 0, err
		}
	}
	return int64(len(sequences)), nil
}

// archives returns the files for the records from first up to, but not including, end. Digest is zero in rows
// that this program cannot have written.
func (i inspector) archives(first, end int64) (list []audit.Archive, err error) {
	err = i.Scanner.Rows(func(v []database.Cell) error {
		a := audit.Archive{First: v[0].Int, Last: v[1].Int, Directory: string(v[2].Bytes), File: string(v[3].Bytes)}
		if v[1].Kind == database.Int && v[2].Kind == database.Text && v[3].Kind == database.Text && v[4].Kind == database.Blob && len(v[4].Bytes) == len(a.Digest) &&
			a.File == archive.Name(a.First, a.Last) && a.Directory != "" && !strings.Contains(a.Directory, "\x00") {
			a.Digest = audit.Hash(v[4].Bytes)
		}
		list = append(list, a)
		return nil
	}, archivesQuery, first, end)
	return list, err
}

// archivedFrames is the part of Frames for archive files. Missing and damaged files have no messages.
func (i inspector) archivedFrames(first, end int64, f func(int64, []byte) error) error {
	list, err := i.archives(first, end)
	if err != nil || len(list) == 0 {
		return err
	}
	removed, err := i.removed()
	if err != nil {
		return err
	}
	buried := map[int64]bool{} // records whose messages are still in the file
	err = i.Scanner.Rows(func(v []database.Cell) error {
		buried[v[0].Int] = true
		return nil
	}, "SELECT sequence FROM audit_record WHERE sequence >= ? AND sequence < ? AND event = ?", max(first, removed), end, removedEvent)
	if err != nil {
		return err
	}
	for _, a := range list {
		if a.Last < removed || a.Digest == (audit.Hash{}) {
			continue // the file is gone, or about to be; or its location is unknown
		}
		file, err := archive.Open(i.ctx, path(a, i.archive))
		if missing(err) {
			continue
		}
		if err != nil {
			return err
		}
		err = file.Each(first, end, func(sequence int64, frame []byte) error {
			if buried[sequence] {
				return nil
			}
			return f(sequence, frame)
		})
		if err := errors.Join(err, file.Close()); err != nil && !missing(err) {
			return err
		}
	}
	return nil
}

func missing(err error) bool {
	damaged := (*archive.DamagedError)(nil)
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, &damaged)
}

// removed returns the number before which records were removed.
func (i inspector) removed() (before int64, err error) {
	before, _, err = i.integer(removedQuery)
	return before, err
}

// Retention implements [audit.Inspector].
func (i inspector) Retention() (r audit.Retention, err error) {
	if r.Archives, err = i.archives(-1<<63, 1<<63-1); err != nil {
		return r, err
	}
	err = i.Scanner.Rows(func(v []database.Cell) error {
		r.Removals = append(r.Removals, v[0].Int)
		return nil
	}, "SELECT before FROM audit_removal ORDER BY before")
	if err != nil || len(r.Removals) == 0 {
		return r, err
	}
	last := max(r.Removals[len(r.Removals)-1], -r.Removals[0]) // the first may be negative
	r.Tombstones, _, err = i.integer("SELECT count(*) FROM audit_record WHERE sequence < ? AND event = ?", last, removedEvent)
	return r, err
}

// otherRetention is the part of Others for archive files and removals.
func (i inspector) otherRetention(row func(string, ...any) error) error {
	removed, err := i.removed()
	if err != nil {
		return err
	}
	list, err := i.archives(-1<<63, 1<<63-1)
	if err != nil {
		return err
	}
	for _, a := range list {
		if a.Last < removed || a.Digest == (audit.Hash{}) {
			continue // the file is gone, or another problem is reported
		}
		name := path(a, i.archive)
		damaged := (*archive.DamagedError)(nil)
		switch err := archive.Check(i.ctx, name, a.Digest); {
		case errors.Is(err, fs.ErrNotExist):
			if err := row("%s, with the messages of the records %d to %d, is missing", name, a.First, a.Last); err != nil {
				return err
			}
		case errors.As(err, &damaged):
			if err := row("%s, with the messages of the records %d to %d, was changed: %s", name, a.First, a.Last, damaged.Problem); err != nil {
				return err
			}
		case err != nil:
			return err
		}
	}
	return nil
}

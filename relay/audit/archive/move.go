package archive

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
)

// maxFile is the size of messages after which a new file begins, in bytes.
const maxFile = 64 << 20

// batch is the number of records that are read together.
const batch = 4096

// Moved is the result of [Move] and [Remove].
type Moved struct {
	Records  int64 // removed by Remove
	Messages int64 // moved by Move
	Files    int   // written, or removed
}

// boundary returns the number of the first record that is not older than a time. All records after it are
// kept, whatever their times: clocks may be set back.
func boundary(r audit.Reader, before time.Time) (int64, error) {
	for s, err := range r.Records(audit.Filter{Since: before, Limit: 1}) {
		return s.Sequence, err
	}
	head, err := r.Head()
	return head.Size, err
}

// Move moves the messages of records older than a time to files in a directory. A file is durable before its
// messages leave the log. A message that differs from its record is not moved, and causes an error.
func Move(ctx context.Context, l *audit.Log, before time.Time, directory string) (m Moved, err error) {
	directory, err = filepath.Abs(directory)
	if err != nil {
		return m, err
	}
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return m, err
	}
	s, next, end := l.Store(), int64(0), int64(0)
	err = s.View(ctx, func(r audit.Reader) error {
		files, err := r.Archives()
		for _, f := range files {
			next = max(next, f.Last+1)
		}
		if err == nil {
			end, err = boundary(r, before)
		}
		return err
	})
	for err == nil && next < end {
		var file audit.Archive
		var n int
		if file, n, err = write(ctx, s, directory, next, end); err != nil || n == 0 {
			break
		}
		err = l.Append(ctx, func(b *audit.Batch) error { return b.Archive(file) })
		if err == nil {
			m.Messages, m.Files, next = m.Messages+int64(n), m.Files+1, file.Last+1
		}
	}
	return m, err
}

// write writes one file with the messages of the records from first on, up to but not including end.
func write(ctx context.Context, s audit.Store, directory string, first, end int64) (a audit.Archive, frames int, err error) {
	w, err := newWriter(directory)
	if err != nil {
		return a, 0, err
	}
	defer w.abandon() // no effect on a finished file
	a = audit.Archive{First: first, Last: first - 1, Directory: directory}
	for a.Last+1 < end && w.size < maxFile && w.frames()+batch <= maxFrames {
		from, to := a.Last+1, min(a.Last+1+batch, end)
		err := s.Inspect(ctx, func(i audit.Inspector) error {
			digests := map[int64]audit.Hash{}
			if err := i.Rows(from, to, func(r *audit.Row) error { digests[r.Sequence] = r.FrameDigest; return nil }); err != nil {
				return err
			}
			return i.Frames(from, to, func(sequence int64, frame []byte) error {
				if sha256.Sum256(frame) != digests[sequence] {
					return fmt.Errorf("the message beside record %d is not the recorded one, and is not moved: run handoff audit verify", sequence)
				}
				return w.add(sequence, frame)
			})
		})
		if err != nil {
			return a, 0, err
		}
		a.Last = to - 1
	}
	if w.frames() == 0 {
		return a, 0, nil
	}
	a.File = Name(a.First, a.Last)
	a.Digest, err = w.finish(filepath.Join(directory, a.File))
	return a, w.frames(), err
}

// A RetentionError reports that records are too young to be removed.
type RetentionError struct {
	Retention string    // of the log, "" if not set
	Limit     time.Time // records from this time on must stay
}

func (e *RetentionError) Error() string {
	if e.Retention == "" {
		return "the audit log has no retention period, so nothing is removed"
	}
	return fmt.Sprintf("the audit log keeps records for %s: use a time before %s", finding.Quote(e.Retention), e.Limit.UTC().Format(time.RFC3339))
}

// removable returns the number of the first record to keep: the first that is not older than before or, if
// there is none, the last record. before must be outside the retention period, which is the first of the
// named settings that is set.
func removable(b *audit.Batch, before, now time.Time, names ...string) (int64, error) {
	settings, err := audit.Settings(b)
	if err != nil {
		return 0, err
	}
	retention := ""
	for _, name := range names {
		retention = cmp.Or(retention, settings[name])
	}
	if retention == "" {
		return 0, &RetentionError{}
	}
	period, err := audit.ParsePeriod(retention)
	if err != nil {
		return 0, err
	}
	if limit := period.Before(now); before.After(limit) {
		return 0, &RetentionError{retention, limit}
	}
	end, err := boundary(b, before)
	return min(end, b.Next()-1), err
}

// RemoveRejected removes the records, older than a time, of rejected messages without a verified signature
// ([audit.Batch.RemoveRejected]), with their messages. Archived files are unchanged. The time must be outside
// the retention period of rejected messages, or without one the general retention period.
func RemoveRejected(ctx context.Context, l *audit.Log, before, now time.Time) (m Moved, err error) {
	err = l.Append(ctx, func(b *audit.Batch) error {
		end, err := removable(b, before, now, audit.RejectedRetentionSetting, audit.RetentionSetting)
		if err == nil && end > 0 {
			m.Records, err = b.RemoveRejected(end)
		}
		return err
	})
	return m, err
}

// Remove removes the records older than a time, which must be outside the log's retention period, with their
// messages and archived files. The number and hash of each record are kept, so that chain and tree still
// verify. It keeps the last record, all records from the first one in flight on, and the records of the log
// itself.
func Remove(ctx context.Context, l *audit.Log, before, now time.Time) (m Moved, err error) {
	var gone []audit.Archive
	err = l.Append(ctx, func(b *audit.Batch) error {
		end, err := removable(b, before, now, audit.RetentionSetting)
		if err != nil {
			return err
		}
		pending, err := b.Pending()
		if err != nil {
			return err
		}
		for _, p := range pending {
			end = min(end, p.Sequence)
		}
		files, err := b.Archives()
		if err != nil {
			return err
		}
		for _, f := range files {
			if f.First < end && f.Last >= end { // files are only removed as a whole
				end = f.First
			}
		}
		for _, f := range files {
			if f.Last < end {
				gone = append(gone, f)
			}
		}
		if end > 0 {
			m.Records, err = b.Remove(end)
		}
		return err
	})
	if err != nil {
		return m, err
	}
	for _, f := range gone {
		// Not f.File: a manipulated row could name any file.
		switch err := os.Remove(filepath.Join(f.Directory, Name(f.First, f.Last))); {
		case err == nil:
			m.Files++
		case !errors.Is(err, fs.ErrNotExist):
			return m, err
		}
	}
	return m, nil
}

package sqlstore_test

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/archive"
)

// TestRetention checks that messages are moved to files and read from there, that old records can be removed,
// that chain and tree stay valid, and that a changed file is detected.
func TestRetention(t *testing.T) {
	eachDatabase(t, func(t *testing.T, address string, _ *sql.DB) {
		s := open(t, address)
		fill(t, s)
		whole, _ := verify(t, s)
		head, old := rootAt(t, s, whole.Size), rootAt(t, s, 150)
		directory := retain(t, s)
		v, problems := verify(t, s, head, old)
		if v.Size != whole.Size+3 || v.Messages != 200 || v.Tombstones != 200 || head.Root != whole.Root || len(problems) > 0 {
			t.Errorf("%+v %v", v, problems)
		}
		err := s.View(t.Context(), func(r audit.Reader) error {
			for sequence, want := range map[int64]string{0: "", 200: "message 100", 398: "message 199", 399: "", 400: "message 200"} {
				if frame, err := r.Frame(sequence); err != nil || string(frame) != want {
					t.Errorf("record %d has the message %q (%v)", sequence, frame, err)
				}
			}
			for one, err := range r.Records(audit.Filter{Limit: 1}) {
				if err != nil || one.Sequence != 200 || one.PreviousRecordHash == (audit.Hash{}) {
					t.Errorf("the first record is %+v (%v)", one, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}

		files, err := filepath.Glob(filepath.Join(directory, "*"))
		if err != nil || len(files) != 1 || filepath.Base(files[0]) != "messages-000000000200-000000000399.zst" {
			t.Fatalf("%v %v", files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(text); at += 97 {
			text[at] ^= 1
			if err := os.WriteFile(files[0], text, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, problems := verify(t, s); len(problems) == 0 {
				t.Errorf("byte %d of %d was changed, and nothing found", at, len(text))
			}
			text[at] ^= 1
		}
		if err := os.Remove(files[0]); err != nil {
			t.Fatal(err)
		}
		_, problems = verify(t, s)
		if len(problems) != 2 || !strings.Contains(problems[0].Message, "the messages beside records 200 to 398 are missing") || !strings.Contains(problems[1].Message, "is missing") {
			t.Errorf("found %v", problems)
		}
	})
}

// TestRetentionPeriod checks that no record within the retention period can be removed, by any method.
func TestRetentionPeriod(t *testing.T) {
	now := time.Now()
	s := open(t, filepath.Join(t.TempDir(), "audit.db"))
	l := audit.NewLog(s, nil)
	young := (*archive.RetentionError)(nil)
	if _, err := archive.Remove(t.Context(), l, now.AddDate(-100, 0, 0), now); !errors.As(err, &young) {
		t.Errorf("without a retention period: %v", err)
	}
	fill(t, s)
	if _, err := archive.Remove(t.Context(), l, now.AddDate(-7, 0, 1), now); !errors.As(err, &young) {
		t.Errorf("within the retention period: %v", err)
	}
	if m, err := archive.Remove(t.Context(), l, now.AddDate(-7, 0, 0), now); err != nil || m.Records != 200 {
		t.Errorf("%+v %v", m, err)
	}
	// The last record and messages in flight stay.
	if m, err := archive.Remove(t.Context(), l, now.AddDate(1, 0, 0), now.AddDate(8, 0, 0)); err != nil || m.Records != 204 {
		t.Errorf("%+v %v", m, err)
	}
	if v, problems := verify(t, s); v.Tombstones != 404 || len(problems) > 0 {
		t.Errorf("%+v %v", v, problems)
	}
}

// TestRetentionRemovesItsFiles checks that the removed file is the one that was written, even if its row was
// given another name since.
func TestRetentionRemovesItsFiles(t *testing.T) {
	for _, file := range []string{"other.txt", "../other.txt", "messages-000000000200-000000000399.zst"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			eachDatabase(t, func(t *testing.T, address string, raw *sql.DB) {
				s := open(t, address)
				fill(t, s)
				now := time.Now()
				l := audit.NewLog(s, nil)
				directory := filepath.Join(t.TempDir(), "files")
				if m, err := archive.Move(t.Context(), l, now.AddDate(-8, 0, 0), directory); err != nil || m.Files != 1 {
					t.Fatalf("%+v %v", m, err)
				}
				other := filepath.Join(directory, file)
				if err := os.WriteFile(other, []byte("of somebody"), 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := raw.ExecContext(t.Context(), "UPDATE audit_archive SET file = $1", file); err != nil {
					t.Fatal(err)
				}
				if m, err := archive.Remove(t.Context(), l, now.AddDate(-8, 0, 0), now); err != nil || m.Records != 200 || m.Files != 1 {
					t.Errorf("%+v %v", m, err)
				}
				if _, err := os.Stat(other); err != nil {
					t.Errorf("another file was removed: %v", err)
				}
				if _, err := os.Stat(filepath.Join(directory, archive.Name(0, 199))); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("the file of the messages is still there: %v", err)
				}
			})
		})
	}
}

// TestRetentionKeepsItsRecords checks that settings and moves are known after the records of that time were
// removed, and that the removal of one more record is detected.
func TestRetentionKeepsItsRecords(t *testing.T) {
	eachDatabase(t, func(t *testing.T, address string, raw *sql.DB) {
		s := open(t, address)
		now := time.Now()
		old := audit.NewLog(s, func() time.Time { return now.AddDate(-10, 0, 0) })
		err := old.Append(t.Context(), func(b *audit.Batch) error {
			for range 3 {
				if _, err := b.Add(audit.Record{Event: audit.Completed}, nil); err != nil {
					return err
				}
			}
			return b.Set("retention", "P7Y")
		})
		if err != nil {
			t.Fatal(err)
		}
		appendOne(t, s)
		l := audit.NewLog(s, nil)
		for range 2 {
			if _, err := archive.Remove(t.Context(), l, now.AddDate(-8, 0, 0), now); err != nil {
				t.Fatal(err)
			}
		}
		if v, problems := verify(t, s); v.Tombstones != 3 || v.Size != 8 || len(problems) > 0 {
			t.Errorf("%+v %v", v, problems)
		}
		err = s.View(t.Context(), func(r audit.Reader) error {
			all, err := audit.Settings(r)
			if all["retention"] != "P7Y" {
				t.Errorf("the settings are %v", all)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		// A removed record has its own digest, which anyone can compute.
		h := sha256.New()
		var hash []byte
		if err := raw.QueryRowContext(t.Context(), "SELECT hash FROM audit_record WHERE sequence = 3").Scan(&hash); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(h, "1:332:%s", hash)
		if _, err := raw.ExecContext(t.Context(), "UPDATE audit_record SET event = -1, recorded_at = 0, details = NULL, message_digest = $1 WHERE sequence = 3", h.Sum(nil)); err != nil {
			t.Fatal(err)
		}
		if _, problems := verify(t, s); len(problems) != 1 || problems[0].Message != "4 records are removed, but the records of removals count 3" {
			t.Errorf("found %v", problems)
		}
	})
}

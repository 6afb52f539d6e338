package sqlstore_test

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/archive"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
)

// fillRejected adds old records of rejected messages between others, of which the first seven may be removed
// early, and a new one.
func fillRejected(t *testing.T, s audit.Store, retention string) {
	t.Helper()
	frames, err := compress.NewEncoder(compress.EncoderOptions{Codec: compress.Zstd, Level: 1})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	concerns := func(n int64) audit.Details { return audit.Details{Concerns: &n} }
	rejected := func(key string) audit.Record {
		return audit.Record{Event: audit.Rejected, Reason: "SCHEMA_INVALID", KeyID: key, Attempt: 1}
	}
	letter := audit.Record{Event: audit.Rejected, Reason: "SIGNATURE_INVALID"}
	waits := audit.Record{Event: audit.DeadLettered, Reason: "SIGNATURE_INVALID", Details: concerns(2)}
	old := []audit.Record{
		rejected(""), rejected(""), letter, waits, // 0 to 3
		{Event: audit.Refused, Reason: "SIGNATURE_INVALID", Details: audit.Details{Explanation: "a revocation"}},
		{Event: audit.Unrecorded, Details: audit.Details{Unrecorded: 7, Explanation: "more"}},
		{Event: audit.Rejected, Reason: "INCOMPLETE_CONTEXT"}, // 6
		rejected("k1"), // stays: signed by a known key
		{Event: audit.Rejected, Reason: "SAFETY_VIOLATION"},
		{Event: audit.DeadLettered, Reason: "SAFETY_VIOLATION", Details: concerns(8)},
		letter, {Event: audit.DeadLettered, Reason: "SIGNATURE_INVALID", Details: concerns(10)}, // 10, 11
		{Event: audit.Released, Details: concerns(10)},
		{Event: audit.Revoked, HandoffID: "x", Reason: "REVOKED"},
	}
	for part, at := range []time.Time{now.AddDate(-1, 0, 0), now} {
		err := audit.NewLog(s, func() time.Time { return at }).Append(t.Context(), func(b *audit.Batch) error {
			if part == 1 {
				if retention != "" {
					if err := b.Set(audit.RejectedRetentionSetting, retention); err != nil {
						return err
					}
				}
				_, err := b.Add(rejected(""), nil)
				return err
			}
			for i, r := range old {
				text := fmt.Appendf(nil, "message %d", i)
				var frame []byte
				if r.Event == audit.Rejected {
					frame = frames.Append(nil, text)
					r.MessageBytes, r.FrameDigest, r.MessageDigest = int64(len(text)), audit.Hash(sha256.Sum256(frame)), audit.Hash(sha256.Sum256(text))
				}
				if _, err := b.Add(r, frame); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestRemoveRejected checks that records of rejected messages without a signature by a known key can be removed
// before others, in an append-only log and with archived messages, and that chain and tree stay valid.
func TestRemoveRejected(t *testing.T) {
	for _, moved := range []bool{false, true} {
		eachDatabase(t, func(t *testing.T, address string, raw *sql.DB) {
			s := open(t, address)
			fillRejected(t, s, "P30D")
			if _, err := raw.ExecContext(t.Context(), sqlstore.Triggers(strings.HasPrefix(address, "postgres:"))); err != nil {
				t.Fatal(err)
			}
			l, now := audit.NewLog(s, nil), time.Now()
			if moved {
				if _, err := archive.Move(t.Context(), l, now.AddDate(0, 0, -40), t.TempDir()); err != nil {
					t.Fatal(err)
				}
			}
			whole, problems := verify(t, s)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			young := (*archive.RetentionError)(nil)
			if _, err := archive.RemoveRejected(t.Context(), l, now.AddDate(0, 0, -29), now); !errors.As(err, &young) {
				t.Errorf("within the period: %v", err)
			}
			if _, err := archive.Remove(t.Context(), l, now.AddDate(0, 0, -31), now); !errors.As(err, &young) {
				t.Errorf("others: %v", err)
			}
			for _, want := range []int64{7, 0} {
				if m, err := archive.RemoveRejected(t.Context(), l, now.AddDate(0, 0, -31), now); err != nil || m.Records != want {
					t.Errorf("%+v %v, want %d", m, err, want)
				}
			}
			v, problems := verify(t, s, rootAt(t, s, whole.Size))
			if v.Size != whole.Size+1 || v.Tombstones != 7 || len(problems) > 0 {
				t.Errorf("%+v %v", v, problems)
			}
			err := s.View(t.Context(), func(r audit.Reader) error {
				list, err := audit.List(r, audit.Filter{Events: []audit.Event{audit.Rejected, audit.DeadLettered, audit.Refused, audit.Unrecorded}})
				if err == nil && len(list) != 6 {
					t.Errorf("%d are left", len(list))
				}
				if frame, err := r.Frame(8); err != nil || frame == nil {
					t.Errorf("the message of record 8: %v", err)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
			// No other record can be removed under this permission.
			if _, err := raw.ExecContext(t.Context(), "UPDATE audit_record SET event = -1 WHERE sequence = 13"); err == nil {
				t.Error("a revocation went")
			}
		})
	}
}

// TestRemoveRejectedFound checks that verify detects another record that was removed together with rejected
// messages, and missing records without a removal.
func TestRemoveRejectedFound(t *testing.T) {
	for name, change := range map[string]string{
		"another record": "",
		"no removal":     "DELETE FROM audit_removal",
		"another one":    "UPDATE audit_removal SET before = before - 1",
	} {
		t.Run(name, func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, address string, raw *sql.DB) {
				s := open(t, address)
				fillRejected(t, s, "P30D")
				now := time.Now()
				if _, err := archive.RemoveRejected(t.Context(), audit.NewLog(s, nil), now.AddDate(0, 0, -31), now); err != nil {
					t.Fatal(err)
				}
				var err error
				if change == "" { // as this program does it, but without a record
					err = s.Update(t.Context(), func(tx audit.Tx) error {
						_, err := tx.RemoveOnly(14, []int64{13})
						return err
					})
				} else {
					_, err = raw.ExecContext(t.Context(), change)
				}
				if err != nil {
					t.Fatal(err)
				}
				if _, problems := verify(t, s); len(problems) == 0 {
					t.Error("nothing was found")
				}
			})
		})
	}
}

// Package audittest creates audit logs for tests of packages that read them.
package audittest

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/compress/dictionary"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/schemas"
)

// New returns a new log in a SQLite file. The clock advances by one second for each batch.
func New(t testing.TB) *audit.Log {
	t.Helper()
	return Open(t, filepath.Join(t.TempDir(), "audit.db"))
}

// Open returns the log in a SQLite file, creating the file if necessary.
func Open(t testing.TB, path string) *audit.Log {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), path, sqlstore.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	now := time.Date(2026, 6, 12, 9, 30, 0, 0, time.UTC)
	return audit.NewLog(store, func() time.Time { now = now.Add(time.Second); return now })
}

// Add adds a record in its own batch, with a message, nil for none. The members of the message replace
// members of the record.
func Add(t testing.TB, l *audit.Log, r audit.Record, message []byte) (stored audit.Stored) {
	t.Helper()
	var frame []byte
	if message != nil {
		describe(t, &r, message)
		e, err := compress.NewEncoder(compress.EncoderOptions{Codec: compress.Zstd, Level: 3, Dictionary: dictionary.Builtin()})
		if err != nil {
			t.Fatal(err)
		}
		frame = e.Append(nil, message)
		r.FrameDigest = sha256.Sum256(frame)
	}
	err := l.Append(t.Context(), func(b *audit.Batch) (err error) {
		stored, err = b.Add(r, frame)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	CheckSchema(t, &stored.Record)
	return stored
}

// With calls use with a store of some records, in a temporary file. It is for examples, which have no
// [testing.TB].
func With(records []audit.Record, use func(context.Context, audit.Store) error) (err error) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ctx := context.Background()
	store, err := sqlstore.Open(ctx, filepath.Join(dir, "audit.db"), sqlstore.Options{Create: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	err = audit.NewLog(store, nil).Append(ctx, func(b *audit.Batch) error {
		for _, r := range records {
			if _, err := b.Add(r, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return use(ctx, store)
}

// A T is a test, or a property test of package rapid.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// CheckSchema fails the test if a record does not match its JSON Schema.
func CheckSchema(t T, r *audit.Record) {
	t.Helper()
	schema, err := validate.EmbeddedSchema(schemas.AuditRecord)
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range schema.Check(d.Root()) {
		t.Errorf("record %d: %s: %s", r.Sequence, f.Pointer, f.Message)
	}
}

// describe fills a record with the members of a canonical message.
func describe(t testing.TB, r *audit.Record, message []byte) {
	t.Helper()
	d, err := jsonstream.Parse(jsonstream.NewRaw(message), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	root := d.Root()
	cost := root.Get("costTracking")
	r.HandoffID, r.TaskID, r.ParentHandoffID = root.Get("handoffId").Text(), root.Get("taskId").Text(), root.Get("parentHandoffId").Text()
	r.Sender, r.Receiver = root.Get("fromAgent").Get("agentId").Text(), root.Get("toAgent").Get("agentType").Text()
	r.CostSpentUSD, r.CostRemainingUSD = string(cost.Get("costSpentSoFarUSD").Raw()), string(cost.Get("costBudgetRemainingUSD").Raw())
	r.PromptTokens = count(cost.Get("tokenSpent").Get("prompt"))
	r.CompletionTokens = count(cost.Get("tokenSpent").Get("completion"))
	for _, to := range root.Get("receiverList").Elements() {
		r.Details.Receivers = append(r.Details.Receivers, to.Get("agentType").Text())
	}
	r.MessageDigest, r.MessageBytes = sha256.Sum256(message), int64(len(message))
}

func count(v jsonstream.Value) int64 {
	if v.Kind() != jsonstream.Number {
		return 0
	}
	d := jsonstream.ParseDecimal(v.Raw())
	n, _ := d.Count()
	return int64(n)
}

package evidence_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/evidence"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/audit/storetest"
)

// TestScriptIsDocumented checks that the script in an archive is the one that docs/proving.md explains and
// package merkle tests.
func TestScriptIsDocumented(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("verify-record.sh")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "proving.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```sh\n"+string(script)+"```") {
		t.Error("verify-record.sh is not the script of docs/proving.md")
	}
}

func ExampleWrite() {
	ctx := context.Background()
	directory, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(directory)
	store, err := sqlstore.Open(ctx, filepath.Join(directory, "audit.db"), sqlstore.Options{Create: true})
	if err != nil {
		panic(err)
	}
	defer store.Close()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	none := merkle.NewBuilder()
	note, err := merkle.SignCheckpoint(merkle.Checkpoint{Origin: "example.com/audit", Root: none.Root()}, "example.com/audit", key)
	if err != nil {
		panic(err)
	}
	err = store.View(ctx, func(r audit.Reader) error {
		return evidence.Write(ctx, io.Discard, r, "a task", note, key.Public().(ed25519.PublicKey))
	})
	fmt.Println(err)
	// Output: the audit log has no record of task "a task"
}

// TestChangedMessage checks that only the recorded message is evidence, even if its digest is keyed because its
// personal data is stored separately.
func TestChangedMessage(t *testing.T) {
	t.Parallel()
	l := audittest.New(t)
	frame, payload := []byte("a frame"), []byte("sealed")
	digest := audit.Hash(sha256.Sum256(payload))
	for i, recorded := range []string{"a frame", "another"} {
		r := audit.Record{
			Event: audit.Rejected, TaskID: recorded, FrameDigest: sha256.Sum256([]byte(recorded)),
			Details: audit.Details{Subject: strings.Repeat("0a", 32), PayloadDigest: &digest},
		}
		err := l.Append(t.Context(), func(b *audit.Batch) error {
			_, err := b.AddApart(r, frame, payload)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		err = l.Store().View(t.Context(), func(r audit.Reader) error {
			root, err := merkle.Root(t.Context(), r, int64(i)+1)
			if err != nil {
				return err
			}
			key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
			note, err := merkle.SignCheckpoint(merkle.Checkpoint{Origin: "log", Size: int64(i) + 1, Root: root}, "log", key)
			if err != nil {
				return err
			}
			return evidence.Write(t.Context(), io.Discard, r, recorded, note, key.Public().(ed25519.PublicKey))
		})
		if changed := err != nil && strings.Contains(err.Error(), "the message beside record 1 is not the recorded one"); changed != (i == 1) || err != nil && !changed {
			t.Errorf("%s: %v", recorded, err)
		}
	}
}

// TestDatabases checks that an archive has the records up to the checkpoint, and their messages, from every
// database: PostgreSQL answers no other query while it sends records.
func TestDatabases(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]func(*testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "audit.db") },
		"PostgreSQL": func(t *testing.T) string { return storetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := sqlstore.Open(t.Context(), address(t), sqlstore.Options{Create: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { store.Close() })
			l := audit.NewLog(store, nil)
			for _, id := range []string{"h1", "h2", "h3"} {
				audittest.Add(t, l, audit.Record{Event: audit.Accepted}, fmt.Appendf(nil, `{"handoffId":%q,"taskId":"t"}`, id))
			}
			var archive bytes.Buffer
			err = store.View(t.Context(), func(r audit.Reader) error {
				root, err := merkle.Root(t.Context(), r, 2)
				if err != nil {
					return err
				}
				key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
				note, err := merkle.SignCheckpoint(merkle.Checkpoint{Origin: "log", Size: 2, Root: root}, "log", key)
				if err != nil {
					return err
				}
				return evidence.Write(t.Context(), &archive, r, "t", note, key.Public().(ed25519.PublicKey))
			})
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for files := tar.NewReader(&archive); ; {
				header, err := files.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, header.Name)
			}
			want := []string{
				"README.txt", "checkpoint", "log.pem", "verify-record.sh",
				"records/0.json", "records/0.tlog-proof", "messages/0.json", "messages/0.canonical",
				"records/1.json", "records/1.tlog-proof", "messages/1.json", "messages/1.canonical",
				"report.json", "report.txt", "SHA256SUMS",
			}
			if diff := cmp.Diff(want, names); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

package evidence_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/audit"
	"github.com/eaapl/handoff/pkg/audit/audittest"
	"github.com/eaapl/handoff/pkg/audit/evidence"
	"github.com/eaapl/handoff/pkg/audit/sqlstore"
	"github.com/eaapl/handoff/pkg/audit/tree"
)

// The script in an archive is the one that docs/proving.md explains and package tree tests.
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
	none := tree.NewBuilder()
	note, err := tree.SignCheckpoint(tree.Checkpoint{Origin: "example.com/audit", Root: none.Root()}, "example.com/audit", key)
	if err != nil {
		panic(err)
	}
	err = store.View(ctx, func(r audit.Reader) error {
		return evidence.Write(ctx, io.Discard, r, "a task", note, key.Public().(ed25519.PublicKey), nil)
	})
	fmt.Println(err)
	// Output: no record of task "a task"
}

// A message that is not the recorded one is no evidence, also where the digest of the message is
// keyed, since its personal data is apart.
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
			root, err := tree.Root(t.Context(), r, int64(i)+1)
			if err != nil {
				return err
			}
			key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
			note, err := tree.SignCheckpoint(tree.Checkpoint{Origin: "log", Size: int64(i) + 1, Root: root}, "log", key)
			if err != nil {
				return err
			}
			return evidence.Write(t.Context(), io.Discard, r, recorded, note, key.Public().(ed25519.PublicKey),
				func(frame []byte, _ int64) ([]byte, error) { return frame, nil })
		})
		if changed := err != nil && strings.Contains(err.Error(), "the message beside record 1 is not the one that was recorded"); changed != (i == 1) || err != nil && !changed {
			t.Errorf("%s: %v", recorded, err)
		}
	}
}

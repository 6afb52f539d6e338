package macp

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// TestHeldFile checks that a file has one holder at a time, and that an abandoned lock has no effect.
func TestHeldFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "s.json")
	if err := os.WriteFile(filepath.Join(dir, ".s.json.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := holdFile(cli.NewGlobals(), file, io.Discard) // the lock file of a killed process
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan *heldFile)
	go func() {
		second, err := holdFile(cli.NewGlobals(), file, io.Discard)
		if err != nil {
			t.Error(err)
		}
		got <- second
	}()
	select {
	case <-got:
		t.Fatal("two holders of a file")
	case <-time.After(50 * time.Millisecond):
	}
	first.release()
	(<-got).release()
}

// TestHeldFileChanged appends to a transcript, without a lock, while it is rewritten, and checks that the file is
// kept with the appended text.
func TestHeldFileChanged(t *testing.T) {
	const before, added = "{}\n", "{\"b\":2}\n"
	path := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := holdFile(cli.NewGlobals(), path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer h.release()
	text, codec, err := h.read(jsonstream.Limits{MaxBytes: 1 << 20, MaxDepth: 100})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(before+added), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.replace(codec, text); err == nil || !strings.HasSuffix(err.Error(), "changed while it was read: it is left unchanged") {
		t.Errorf("got %v", err)
	}
	now, err := os.ReadFile(path)
	if err != nil || string(now) != before+added {
		t.Errorf("the file has %q, %v", now, err)
	}
}

// TestCreateExisting checks that a new transcript does not replace a file that was created in the meantime.
func TestCreateExisting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	out, err := cli.NewGlobals().OpenAs(claim.AsData, compress.None, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	out.Check = func() error { return output.Unchanged(path, nil) }
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(nil); err == nil || !strings.Contains(err.Error(), "was written by another process in the meantime") {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "theirs" {
		t.Errorf("the file has %q, %v", text, err)
	}
}

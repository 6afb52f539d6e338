//go:build unix

package rooted_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/relay/cmd/rooted"
)

// TestPipe opens a pipe without a writer, which could block forever.
func TestPipe(t *testing.T) {
	f, root, _ := folders(t)
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Open("pipe"); err == nil {
		t.Error("a pipe was opened")
	}
	if _, err := rooted.Open([]string{filepath.Join(root, "pipe")}, compress.ReaderOptions{}); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("a pipe in the place of a folder: %v", err)
	}
}

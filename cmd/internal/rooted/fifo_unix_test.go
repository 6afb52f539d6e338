//go:build unix

package rooted_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipe opens a pipe that nobody writes to, which would wait forever.
func TestPipe(t *testing.T) {
	f, root, _ := folders(t)
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Open("pipe"); err == nil {
		t.Error("a pipe was opened")
	}
}

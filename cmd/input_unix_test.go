//go:build unix

package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestDirectoryOfSpecialFiles checks that a directory cannot make a run wait for a pipe, or
// read a device.
func TestDirectoryOfSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "a.json"), 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	if err := os.Symlink(os.DevNull, filepath.Join(dir, "b.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "c.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	list := newGlobals().directory(dir)
	if len(list) != 3 || list[2].err != nil {
		t.Fatalf("got %d sources: %v", len(list), list)
	}
	for _, s := range list[:2] {
		if s.err == nil || !strings.HasPrefix(s.err.Error(), "is not a regular file") {
			t.Errorf("%s: got error %v", s.name, s.err)
		}
	}
}

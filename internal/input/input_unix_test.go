//go:build unix

package input

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/eaapl/handoff/internal/claim"
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
	list := (&Reader{Claims: &claim.Set{}}).Directory(dir)
	if len(list) != 3 || list[2].Err != nil {
		t.Fatalf("got %d sources: %v", len(list), list)
	}
	for _, s := range list[:2] {
		if s.Err == nil || !strings.HasPrefix(s.Err.Error(), "is not a regular file") {
			t.Errorf("%s: got error %v", s.Name, s.Err)
		}
	}
}

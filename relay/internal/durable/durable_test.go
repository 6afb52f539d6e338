package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/eaapl/handoff/relay/internal/durable"
)

// TestCreate checks that no file is left on a full disk, and that no file is overwritten.
func TestCreate(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	full := func(f *os.File) error {
		if _, err := f.WriteString("half of i"); err != nil {
			return err
		}
		return syscall.ENOSPC
	}
	if err := durable.Create(path, full); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half of the file is there: %v", err)
	}
	whole := func(f *os.File) error { _, err := f.WriteString("it"); return err }
	if err := errors.Join(durable.Create(path, whole), durable.SyncFolder(folder)); err != nil {
		t.Fatal(err)
	}
	if err := durable.Create(path, full); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the error is %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "it" {
		t.Errorf("the file is %q (%v)", text, err)
	}
}

//go:build unix

package output

import (
	"os"
	"testing"

	"github.com/eaapl/handoff/internal/claim"
)

// A temporary file is not readable for more users than the file that it replaces.
func TestTemporaryPermissions(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.json", []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod("a.json", 0o600); err != nil {
		t.Fatal(err)
	}
	old, err := os.Stat("a.json")
	if err != nil {
		t.Fatal(err)
	}
	out, err := (&Files{Claims: &claim.Set{}}).Create("a.json", old)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(out.File.Name())
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v", info.Mode())
	}
	if err := out.Discard(); err != nil {
		t.Fatal(err)
	}
}

// A group other than that of the old file gets no more rights than others have.
func TestOwnerNotPermitted(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.json", []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod("a.json", 0o664); err != nil {
		t.Fatal(err)
	}
	old, err := os.Stat("a.json")
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("a.json")
	if err != nil {
		t.Fatal(err)
	}
	f.Close() // to make changing its owner fail
	if mode := keepOwner(f, old); mode != 0o644 {
		t.Errorf("the mode is %v", mode)
	}
}

//go:build unix

package output

import (
	"io/fs"
	"os"
	"path/filepath"
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
	before := fs.FileMode(0) // the mode of the new file before it is set
	atOwner := watchedInfo{old, func() {
		for _, name := range temporariesIn(t) {
			info, err := os.Stat(name)
			if err != nil {
				t.Error(err)
				return
			}
			before = info.Mode().Perm()
		}
	}}
	out, err := (&Files{Claims: &claim.Set{}}).Create("a.json", atOwner)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(out.File.Name())
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 || before&0o077 != 0 {
		t.Errorf("the mode is %v, and was %v before", info.Mode(), before)
	}
	if err := out.Discard(); err != nil {
		t.Fatal(err)
	}
}

// A watchedInfo calls a function when it is asked for its owner.
type watchedInfo struct {
	fs.FileInfo
	asked func()
}

func (w watchedInfo) Sys() any {
	w.asked()
	return w.FileInfo.Sys()
}

// temporariesIn returns the names of the temporary files in the working directory.
func temporariesIn(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(temporaryPrefix + "*" + temporarySuffix)
	if err != nil {
		t.Fatal(err)
	}
	return names
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

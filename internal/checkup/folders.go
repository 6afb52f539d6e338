package checkup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
)

// Folders checks the folders that the program writes to.
func Folders() []Check {
	var checks []Check
	for _, f := range []struct{ kind, path string }{
		{"state folder", cli.StateDir()},
		{"working folder", "."},
		{"temporary folder", os.TempDir()},
	} {
		if f.path == "" {
			continue
		}
		path, err := filepath.Abs(f.path)
		if err != nil {
			path = f.path
		}
		checks = append(checks, Check{Kind: f.kind, Place: path, Look: func(_ context.Context, r *Result) error { return LookAtFolder(path, r) }})
	}
	return checks
}

// LookAtFolder checks that a folder can be written to or created, and reports its free space.
func LookAtFolder(path string, r *Result) error {
	const little = 100 << 20
	there := path
	info, err := os.Stat(there)
	for errors.Is(err, fs.ErrNotExist) && filepath.Dir(there) != there {
		there = filepath.Dir(there)
		info, err = os.Stat(there)
	}
	switch {
	case err != nil:
		return term.PlainError(err)
	case !info.IsDir():
		return fmt.Errorf("%s: is not a directory", there)
	case !mayWrite(there):
		return fmt.Errorf("%s: cannot be written to", there)
	}
	if free, ok := freeSpace(there); ok {
		if r.Free = free; free < little {
			r.Notes = append(r.Notes, "little space is left")
		}
	}
	if there != path {
		return ErrAbsent
	}
	return nil
}

package settings

import (
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/internal/yamldoc"
)

// A configFile is a configuration file as it was read, once: what is approved is what is
// used.
type configFile struct {
	path   string // as configPlace returns it: a link is not what it leads to
	text   []byte
	unsafe string // why nobody but its author should believe it, "" if somebody may
	// unapproved says why only what is harmless may be set by it; "" if anything may.
	unapproved string
}

// readConfig reads a configuration file. The error names it.
func readConfig(path string) (configFile, error) {
	f := configFile{path: path}
	if err := f.read(); err != nil {
		return configFile{}, fmt.Errorf("%s: %w", term.Visible(path), term.PlainError(err))
	}
	return f, nil
}

// configPlace returns the place of a configuration file, which need not be there: an absolute
// path without links of directories.
func configPlace(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(absolute)); err == nil {
		absolute = filepath.Join(dir, filepath.Base(absolute))
	}
	return absolute, nil
}

func (f *configFile) read() (err error) {
	if f.path, err = configPlace(f.path); err != nil {
		return err
	}
	file, err := regular.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close() // read only: nothing can be lost
	info, err := file.Stat()
	if err != nil {
		return err
	}
	f.unsafe = unsafeFile(info)
	f.text, err = io.ReadAll(io.LimitReader(file, yamldoc.MaxBytes+1))
	return err
}

// unsafeFile says why others may have written a file, "" if only the user or the
// system's administrator can have.
func unsafeFile(info fs.FileInfo) string {
	switch {
	case ownedByAnother(info):
		return "owned by another user"
	case writableByOthers(info):
		return fmt.Sprintf("writable by others (mode %04o)", info.Mode().Perm())
	default:
		return ""
	}
}

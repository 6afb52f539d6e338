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

// A configFile is a configuration file that is read once, so that the approved content is the used content.
type configFile struct {
	path   string // from configPlace: a link differs from its target
	text   []byte
	unsafe string // why the file may have been written by others, "" if it cannot
	// unapproved explains why the file may set only harmless values; "" if it may set any.
	unapproved string
}

// readConfig reads a configuration file. Errors name it.
func readConfig(path string) (configFile, error) {
	f := configFile{path: path}
	if err := f.read(); err != nil {
		return configFile{}, fmt.Errorf("%s: %w", term.Visible(path), term.PlainError(err))
	}
	return f, nil
}

// configPlace returns the absolute path of a configuration file, which need not exist, with links of
// directories resolved.
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

// unsafeFile returns the reason why others may have written a file, "" if only the user or the system's
// administrator can have.
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

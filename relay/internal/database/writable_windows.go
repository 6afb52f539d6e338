package database

import (
	"errors"
	"io/fs"
	"os"
)

// writable reports whether this process may write to a file; for a folder that is unknown.
func writable(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return !errors.Is(err, fs.ErrPermission)
	}
	return f.Close() == nil
}

// Package durable writes files that are complete and durable on return.
package durable

import (
	"errors"
	"os"
)

// Create creates a new file, with mode 0600. It returns nil when the file's content is durable; for the
// durability of its name use [SyncFolder]. After an error there is no such file.
func Create(path string, write func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // the first error is more useful
	}
	return err
}

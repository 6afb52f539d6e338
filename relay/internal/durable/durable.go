// Package durable writes files that are on the disk, whole, once that has returned.
package durable

import (
	"errors"
	"os"
)

// Create makes a file that is not there yet, with mode 0600. It returns nil when what write has
// written is on the disk, but for the name of the file, for which there is [SyncFolder]. After
// an error there is no such file.
func Create(path string, write func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // if that fails too, the first error says why
	}
	return err
}

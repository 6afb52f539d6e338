//go:build unix

package durable

import (
	"errors"
	"os"
)

// SyncFolder returns when the names in a folder are on the disk.
func SyncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

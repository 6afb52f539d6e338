//go:build unix

package output

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// SyncFolder returns when the names in a folder are durably on the disk.
func SyncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(SyncOpened(f), f.Close())
}

// SyncOpened is [SyncFolder] for an open folder.
func SyncOpened(folder *os.File) error { return folder.Sync() }

// Unsyncable reports whether an error of [SyncFolder] means that the folder cannot be synced at all: it is
// writable but not readable, or its file system does not support it.
func Unsyncable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP)
}

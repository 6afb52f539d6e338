//go:build !unix

package output

import "os"

// SyncFolder does nothing: NTFS journals names and has no call to wait for the
// journal.
func SyncFolder(string) error { return nil }

// SyncOpened does nothing.
func SyncOpened(*os.File) error { return nil }

// Unsyncable returns false: no folder is synced.
func Unsyncable(error) bool { return false }

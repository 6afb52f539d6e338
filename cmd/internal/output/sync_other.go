//go:build !unix

package output

// SyncFolder does nothing: NTFS writes names to its journal, and has no call to wait for that.
func SyncFolder(string) error { return nil }

func unsyncable(error) bool { return false }

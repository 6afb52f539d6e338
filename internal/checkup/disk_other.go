//go:build !linux && !darwin && !freebsd && !windows

package checkup

// freeSpace says that it does not know.
func freeSpace(string) (int64, bool) { return 0, false }

// mayWrite reports nothing against it.
func mayWrite(string) bool { return true }

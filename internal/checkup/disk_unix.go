//go:build linux || darwin || freebsd

package checkup

import "golang.org/x/sys/unix"

// freeSpace returns the number of bytes available to this user in the file system of dir.
func freeSpace(dir string) (int64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}

// mayWrite reports whether this process may create files in dir.
func mayWrite(dir string) bool { return unix.Access(dir, unix.W_OK) == nil }

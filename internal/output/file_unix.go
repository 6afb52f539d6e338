//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package output

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// lockTemporary locks a new temporary file as long as it is open, and reports whether
// it is still there. A file system without locks has no locked files, and none that
// others remove.
func lockTemporary(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false
	}
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(mine, there)
}

// removeAbandoned removes a temporary file that no living process has locked.
func removeAbandoned(path string) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return // another user's
	}
	defer f.Close() // read only: nothing can be lost
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		os.Remove(path) // what another user owns may have to stay
	}
}

// keepOwner gives a file the owner and the group of the one that it replaces, as far as
// that is permitted, and returns the permissions that it may have: a group that comes
// instead has no more rights than everybody has.
func keepOwner(f *os.File, old fs.FileInfo) fs.FileMode {
	mode := old.Mode().Perm()
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok || f.Chown(int(was.Uid), int(was.Gid)) == nil || f.Chown(-1, int(was.Gid)) == nil {
		return mode
	}
	return mode&^0o070 | mode&0o070&(mode<<3)
}

// otherNames returns how many further names (hard links) a file has.
func otherNames(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Nlink) - 1
	}
	return 0
}

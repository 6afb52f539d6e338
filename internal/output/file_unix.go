//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package output

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// lockTemporary locks a new temporary file until it is closed, and reports whether the file still exists. On
// a file system without locks, no process removes the temporary files of another.
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

// removeAbandoned removes a temporary file that no process has locked.
func removeAbandoned(path string) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return // owned by another user
	}
	defer f.Close() // read only: nothing can be lost
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		os.Remove(path) // fails for some files of other users
	}
}

// keepOwner sets the owner and group of a file to old's, as far as permitted, and returns the file's
// permissions: if the group differs, it gets no more rights than everyone.
func keepOwner(f *os.File, old fs.FileInfo) fs.FileMode {
	mode := old.Mode().Perm()
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok || f.Chown(int(was.Uid), int(was.Gid)) == nil || f.Chown(-1, int(was.Gid)) == nil {
		return mode
	}
	return mode&^0o070 | mode&0o070&(mode<<3)
}

// otherNames returns the number of additional names (hard links) of a file.
func otherNames(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Nlink) - 1
	}
	return 0
}

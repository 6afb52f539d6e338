//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package output

import (
	"io/fs"
	"os"
	"time"
)

// lockTemporary has nothing to do: an open file cannot be removed.
func lockTemporary(*os.File) bool { return true }

// removeAbandoned removes a temporary file that no process has open. The age is for one
// that has just been closed, and is about to be renamed.
func removeAbandoned(path string) {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > time.Minute {
		os.Remove(path) // it stays if it is open
	}
}

// keepOwner returns the permissions of a file that replaces another one.
func keepOwner(_ *os.File, old fs.FileInfo) fs.FileMode { return old.Mode().Perm() }

// otherNames is not known without opening the file.
func otherNames(fs.FileInfo) int { return 0 }

//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package output

import (
	"io/fs"
	"os"
	"time"
)

// lockTemporary does nothing: an open file cannot be removed.
func lockTemporary(*os.File) bool { return true }

// removeAbandoned removes a temporary file that no process has open. It checks the age because a file that
// has just been closed may be about to be renamed.
func removeAbandoned(path string) {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > time.Minute {
		os.Remove(path) // fails if the file is open
	}
}

// keepOwner returns the permissions for a file that replaces old.
func keepOwner(_ *os.File, old fs.FileInfo) fs.FileMode { return old.Mode().Perm() }

// otherNames returns 0: the number is unknown without opening the file.
func otherNames(fs.FileInfo) int { return 0 }

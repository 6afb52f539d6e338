//go:build unix

package settings

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByAnother reports whether the owner of a file is neither the user nor the system's administrator, who
// can do anything in any case.
func ownedByAnother(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid()
}

// writableByOthers reports whether everyone may write to a file.
func writableByOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o002 != 0 }

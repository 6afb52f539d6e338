//go:build unix

package database

import "golang.org/x/sys/unix"

// writable reports whether this process may write to a file or a folder.
func writable(path string) bool { return unix.Access(path, unix.W_OK) == nil }

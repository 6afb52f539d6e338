//go:build !unix

package settings

import "io/fs"

// ownedByAnother returns false: the mode of a file does not reflect access lists.
func ownedByAnother(fs.FileInfo) bool { return false }

// writableByOthers returns false for the same reason.
func writableByOthers(fs.FileInfo) bool { return false }

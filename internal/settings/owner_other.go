//go:build !unix

package settings

import "io/fs"

// ownedByAnother reports nothing: the mode of a file says nothing of access lists.
func ownedByAnother(fs.FileInfo) bool { return false }

// writableByOthers reports nothing, for the same reason.
func writableByOthers(fs.FileInfo) bool { return false }

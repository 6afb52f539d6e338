//go:build unix

package tier

import "syscall"

// usualUmask sets a umask with which files are readable by everyone.
func usualUmask() { syscall.Umask(0o022) }

//go:build unix

package tier

import "syscall"

// usualUmask makes files readable by all, where they are meant to be.
func usualUmask() { syscall.Umask(0o022) }

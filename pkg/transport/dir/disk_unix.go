//go:build unix

package dir

import "golang.org/x/sys/unix"

// noFollow: what is opened is no link, and opening does not wait for whoever writes to it.
const noFollow = unix.O_NOFOLLOW | unix.O_NONBLOCK

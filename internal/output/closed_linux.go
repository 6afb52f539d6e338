package output

import (
	"os"
	"syscall"
)

// closedStdout reports whether the process seems to have been started without a standard
// output. The Go runtime has then opened the null device in its place, for reading and
// writing, and writing to that would look like success. A shell's >/dev/null is for
// writing only. Others open it like the runtime; where they pass it on as stdin or stderr
// too, it is one open file, which is never the runtime's doing.
func closedStdout() bool {
	stdout := os.Stdout.Fd()
	if flags, ok := fileFlags(stdout); !ok || flags&syscall.O_ACCMODE != syscall.O_RDWR {
		return false
	}
	info, err := os.Stdout.Stat()
	if err != nil {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null) && !sameOpenFile(stdout, os.Stdin.Fd()) && !sameOpenFile(stdout, os.Stderr.Fd())
}

func fileFlags(fd uintptr) (uintptr, bool) {
	flags, _, failed := syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_GETFL, 0)
	return flags, failed == 0
}

// sameOpenFile reports whether two descriptors are of one open file: then they have their
// flags in common. O_APPEND means nothing to the null device, which fd is.
func sameOpenFile(fd, other uintptr) bool {
	before, ok := fileFlags(fd)
	was, also := fileFlags(other)
	if !ok || !also {
		return false
	}
	set := func(flags uintptr) bool {
		_, _, failed := syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_SETFL, flags)
		return failed == 0
	}
	if !set(before ^ syscall.O_APPEND) {
		return false
	}
	is, _ := fileFlags(other)
	set(before)
	return is != was
}

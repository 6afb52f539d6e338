package output

import (
	"os"
	"syscall"
)

// closedStdout reports whether the process seems to have been started without a standard output. Then the Go
// runtime has opened the null device instead, for reading and writing, and writing to it would look like
// success. A shell's >/dev/null is write-only. Other programs open it like the runtime, but if they pass it
// on as stdin or stderr, too, all of these share one open file, which does not happen in the runtime.
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

// sameOpenFile reports whether two descriptors refer to one open file, and so share their flags. It toggles
// O_APPEND, which has no effect on the null device fd.
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

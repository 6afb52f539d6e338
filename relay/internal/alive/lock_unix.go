//go:build unix

package alive

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/eaapl/handoff/internal/regular"
)

// createLocked creates a file that is locked while it is open.
func createLocked(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(&fs.PathError{Op: "flock", Path: path, Err: err}, f.Close(), os.Remove(path))
	}
	return f, nil
}

// isLocked reports whether a process has a file from createLocked open.
func isLocked(path string) (bool, error) {
	f, err := regular.OpenNamed(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close() // read only; also releases the lock
	err = unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

package alive

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"

	"github.com/eaapl/handoff/internal/regular"
)

// createLocked creates a file that no other process can open while it is open.
func createLocked(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	handle, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE|windows.DELETE, windows.FILE_SHARE_DELETE, nil, windows.CREATE_NEW, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// isLocked reports whether a process has a file from createLocked open.
func isLocked(path string) (bool, error) {
	f, err := regular.OpenNamed(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, windows.ERROR_SHARING_VIOLATION):
		return true, nil
	case err != nil:
		return false, err
	}
	return false, f.Close()
}

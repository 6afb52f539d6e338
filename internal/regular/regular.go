// Package regular opens regular files, and nothing else. A pipe or a device that stands where a
// file was expected is an error at once, and a file system that does not answer keeps nobody
// waiting for ever.
package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNot is the error of a directory, a pipe, a socket or a device.
var ErrNot = errors.New("is not a regular file")

// errDirectory is that of a directory.
var errDirectory error = directory{}

type directory struct{}

func (directory) Error() string        { return "is a directory, and not a regular file" }
func (directory) Is(target error) bool { return target == ErrNot }

// Check returns why a file is not a regular one, nil if it is.
func Check(info fs.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return errDirectory
	default:
		return ErrNot
	}
}

// Open opens a regular file for reading. For anything else the error wraps [ErrNot], and nothing was
// waited for.
func Open(path string) (*os.File, error) { return open(os.Stat, path, 0) }

// OpenNamed is Open for the file of this name itself: a symbolic link is not a regular file.
func OpenNamed(path string) (*os.File, error) { return open(os.Lstat, path, noFollow) }

func open(stat func(string) (fs.FileInfo, error), path string, flags int) (*os.File, error) {
	info, err := stat(path) // first: opening a device may do something
	if err != nil {
		return nil, err
	}
	if err := Check(info); err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlock|flags, 0)
	if err != nil {
		return nil, err
	}
	return Opened(f)
}

// Opened returns a file that was opened without waiting for it, with [NonBlock], if it is a regular one. Otherwise it
// is closed.
func Opened(f *os.File) (*os.File, error) {
	info, err := f.Stat()
	if err == nil {
		if err = Check(info); err == nil {
			return f, nil
		}
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: err}
	}
	return nil, errors.Join(err, f.Close())
}

// NonBlock is the flag with which a file is opened that may be a pipe, so that nobody waits for the
// other side.
const NonBlock = nonBlock

// ReadFile returns the content of a regular file.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only: nothing can be lost
	return io.ReadAll(f)
}

// DirFS returns the files below a directory, as [os.DirFS] does, of which regular ones and directories
// can be opened.
func DirFS(dir string) fs.FS { return folder{os.DirFS(dir), dir} }

type folder struct {
	all fs.FS
	dir string
}

func (f folder) Open(name string) (fs.File, error) {
	info, err := fs.Stat(f.all, name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return f.all.Open(name)
	}
	file, err := Open(filepath.Join(f.dir, filepath.FromSlash(name)))
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		failed.Path = name
	}
	if err != nil {
		return nil, err
	}
	return file, nil
}

func (f folder) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(f.all, name) }
func (f folder) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(f.all, name) }

// Package regular opens only regular files. It rejects pipes and devices without blocking, and limits the
// time to wait for a file system.
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

// errDirectory is the error of a directory.
var errDirectory error = directory{}

type directory struct{}

func (directory) Error() string        { return "is a directory, and not a regular file" }
func (directory) Is(target error) bool { return target == ErrNot }

// Check returns an error if a file is not regular.
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

// Open opens a regular file for reading. For anything else, it returns an error that wraps [ErrNot] without
// blocking.
func Open(path string) (*os.File, error) { return open(os.Stat, path, 0) }

// OpenNamed is Open, but rejects symbolic links.
func OpenNamed(path string) (*os.File, error) { return open(os.Lstat, path, noFollow) }

func open(stat func(string) (fs.FileInfo, error), path string, flags int) (*os.File, error) {
	info, err := stat(path) // first, since opening a device may have an effect
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

// Opened returns a file that was opened with [NonBlock] if it is regular. Otherwise it closes the file.
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

// NonBlock is the flag for opening a file that may be a pipe without waiting for the other end.
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

// DirFS returns the files below a directory, as [os.DirFS] does. Only regular files and directories can be
// opened.
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

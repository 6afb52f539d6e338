// Package rooted reads and writes files only in given folders: neither ".." nor a symbolic link leads out of
// them.
package rooted

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
)

// A folder is one allowed folder.
type folder struct {
	path string // absolute
	root *os.Root
}

// Folders are the allowed folders. They are safe for concurrent use.
type Folders struct {
	list   []folder
	unpack compress.ReaderOptions
	sync   func(*os.File) error // syncs a folder
}

// Open opens folders. unpack has the limits for compressed files. The caller closes them.
func Open(paths []string, unpack compress.ReaderOptions) (*Folders, error) {
	f := &Folders{unpack: unpack, sync: output.SyncOpened}
	for _, path := range paths {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		root, err := openRoot(absolute)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		f.list = append(f.list, folder{absolute, root})
	}
	return f, nil
}

// openRoot opens a folder. os.OpenRoot would block if the path is a named pipe.
func openRoot(path string) (*os.Root, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("is not a folder")}
	}
	return os.OpenRoot(path)
}

// Close closes the folders.
func (f *Folders) Close() error {
	var errs []error
	for _, d := range f.list {
		errs = append(errs, d.root.Close())
	}
	return errors.Join(errs...)
}

// in returns the folders that may contain a path, each with the path below it: for an absolute path its
// parent folders, otherwise all.
func (f *Folders) in(path string) (list []folder, below []string) {
	for _, d := range f.list {
		rest := path
		if filepath.IsAbs(path) {
			var err error
			if rest, err = filepath.Rel(d.path, path); err != nil {
				continue
			}
		}
		if filepath.IsLocal(rest) {
			list, below = append(list, d), append(below, rest)
		}
	}
	return list, below
}

// errOutside returns the error for a path outside all folders.
func (f *Folders) errOutside(path string) error {
	var names []string
	for _, d := range f.list {
		names = append(names, term.Visible(d.path))
	}
	return fmt.Errorf("%s: it is outside the permitted folders: use a path below %s", term.Visible(path), strings.Join(names, " or "))
}

// Open opens a file, in the first folder that has it, and decompresses it if it is compressed.
func (f *Folders) Open(path string) (io.ReadCloser, error) {
	list, below := f.in(path)
	if list == nil {
		return nil, f.errOutside(path)
	}
	var first error
	for i, d := range list {
		file, err := open(d.root, below[i])
		if err == nil {
			return packedFile{compress.NewReader(file, f.unpack), file}, nil
		}
		if first == nil || errors.Is(first, fs.ErrNotExist) {
			first = err
		}
	}
	return nil, f.plain(path, first)
}

// open opens a regular file: opening another kind may block forever or have side effects.
func open(root *os.Root, path string) (*os.File, error) {
	info, err := root.Stat(path)
	if err != nil {
		return nil, err
	}
	if regular.Check(info) != nil {
		return nil, errNoFile
	}
	f, err := root.OpenFile(path, os.O_RDONLY|regular.NonBlock, 0)
	if err != nil {
		return nil, err
	}
	if f, err = regular.Opened(f); errors.Is(err, regular.ErrNot) { // replaced in the meantime
		return nil, errNoFile
	}
	return f, err
}

var errNoFile = errors.New("not a file: name a regular file")

// plain returns an error of os.Root in plain words.
func (f *Folders) plain(path string, err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		if e.Err.Error() == "path escapes from parent" { // os does not export it
			return f.errOutside(path)
		}
		err = e.Err
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return fmt.Errorf("%s: %w", term.Visible(path), err)
}

// packedFile is a file being decompressed.
type packedFile struct {
	*compress.Reader
	file io.Closer
}

func (u packedFile) Close() error { return errors.Join(u.Reader.Close(), u.file.Close()) }

// Write writes a file atomically in the first folder that has its directory. It returns nil when both the
// content and the name are durable; if only the name may not be, the error wraps [output.ErrUnsynced]. The
// name must be allowed for output of tools, even after following links to its directory: not hidden, and not
// one from which agents and other programs read instructions.
func (f *Folders) Write(path string, content []byte, overwrite bool) error {
	list, below := f.in(path)
	if list == nil {
		return f.errOutside(path)
	}
	at := 0
	for i, d := range list {
		if info, err := d.root.Stat(filepath.Dir(below[i])); err == nil && info.IsDir() {
			at = i
			break
		}
	}
	name := filepath.Clean(below[at])
	if err := list[at].checkName(name); err != nil {
		return err
	}
	err := write(list[at].root, name, content, overwrite)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: the file already exists: choose another name, or set overwrite", term.Visible(path))
	}
	if err != nil {
		return f.plain(path, err)
	}
	return f.syncName(list[at].root, name)
}

// write writes a file under a temporary name, and then renames it.
func write(root *os.Root, path string, content []byte, overwrite bool) (err error) {
	if info, err := root.Lstat(path); err == nil {
		if !overwrite {
			return fs.ErrExist
		}
		if !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
			return errNoFile
		}
	}
	temporary := filepath.Join(filepath.Dir(path), ".handoff-"+rand.Text())
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if failure := root.Remove(temporary); failure != nil && !errors.Is(failure, fs.ErrNotExist) {
			err = errors.Join(err, failure)
		}
	}()
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if overwrite {
		err = root.Rename(temporary, path)
	} else if err = root.Link(temporary, path); err == nil { // fails if the name was taken in the meantime
		err = root.Remove(temporary)
	}
	return err
}

// syncName makes the name of a file durable, where the system supports that. The error wraps
// [output.ErrUnsynced].
func (f *Folders) syncName(root *os.Root, path string) error {
	folder, err := root.Open(filepath.Dir(path))
	if err == nil {
		err = errors.Join(f.sync(folder), folder.Close())
	}
	if err != nil && !output.Unsyncable(err) {
		return fmt.Errorf("%s: %w: its folder: %w", term.Visible(path), output.ErrUnsynced, term.PlainError(err))
	}
	return nil
}

// checkName is [checkName] for a path below the folder, and for the real path of its directory.
func (d folder) checkName(below string) error {
	if err := checkName(below); err != nil {
		return err
	}
	base, err := filepath.EvalSymlinks(d.path)
	if err != nil {
		return err
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(d.path, filepath.Dir(below)))
	if err != nil {
		return nil // nothing can be written there
	}
	real, err := filepath.Rel(base, filepath.Join(dir, filepath.Base(below)))
	if err != nil || !filepath.IsLocal(real) {
		return nil // nothing can be written there
	}
	return checkName(real)
}

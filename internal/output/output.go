// Package output writes files atomically, and appends to files that other processes also append to.
package output

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
)

// Files are the outputs of a run.
type Files struct {
	Claims   *claim.Set
	Warnings io.Writer // stderr
	// SyncFolder returns when the names in a folder are durably on the disk.
	SyncFolder func(folder string) error
	temporaries
}

// A File is an output: standard output, or a file that appears only when it is complete.
type File struct {
	*bufio.Writer
	packed *compress.Writer // after the buffer, nil for plain data
	Stdout bool
	File   *os.File
	Target string       // the final path of the file; "" if it is written in place
	Old    fs.FileInfo  // the previous file at Target, nil for none
	Check  func() error // if not nil: returns an error if the file must not replace its target
	All    *Files       // of the run
	disk   *os.File     // standard output, if it is a file
}

const outputBuffer = 64 << 10

// Open opens the output of -o for a report; "" and "-" mean stdout. The output is compressed if its name has
// the suffix. The caller must close it; an unfinished file leaves no trace.
func (all *Files) Open(path string, stdout io.Writer) (*File, error) {
	return all.OpenAs(claim.AsOutput, CodecOf(path), path, stdout)
}

// OpenData is [Files.Open] for the main output of a run. It may replace input messages, and stdout must not
// be closed.
func (all *Files) OpenData(path string, stdout io.Writer) (*File, error) {
	return all.OpenAs(claim.AsData, CodecOf(path), path, stdout)
}

// OpenPart is [Files.OpenData] for a result from which the input messages cannot be restored, such as a page
// about them: a file must not replace them.
func (all *Files) OpenPart(path string, stdout io.Writer) (*File, error) {
	if path == "" || path == "-" {
		return all.OpenData(path, stdout)
	}
	return all.Open(path, stdout)
}

// CodecOf returns the codec for a file name.
func CodecOf(path string) compress.Codec {
	for _, codec := range compress.Codecs() {
		if strings.HasSuffix(path, codec.Suffix()) {
			return codec
		}
	}
	return compress.None
}

// OpenAs returns an output for the use AsData or AsOutput that is compressed with codec, regardless of its
// name.
func (all *Files) OpenAs(as claim.Use, codec compress.Codec, path string, stdout io.Writer) (*File, error) {
	if path == "" || path == "-" {
		if as == claim.AsData && stdout == io.Writer(os.Stdout) && closedStdout() {
			return nil, errClosedStdout
		}
		if err := all.Claims.Standard("standard output", stdout, claim.AsOutput); err != nil {
			return nil, err
		}
		o := &File{Writer: all.Buffered("standard output", stdout), Stdout: true, All: all}
		if f, ok := stdout.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				o.disk = f
			}
		}
		return o, nil
	}
	target, err := followLinks(path)
	if err != nil {
		return nil, Error(path, err)
	}
	if err := all.Claims.File(path, target, as); err != nil {
		return nil, err
	}
	info, err := os.Stat(target)
	if err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory", path)
	}
	if err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, Error(path, err)
		}
		o := &File{Writer: all.Buffered(path, f), File: f, All: all}
		return o, o.pack(codec, path)
	}
	o, err := all.Create(target, info)
	if err != nil {
		return nil, err
	}
	o.Old = info
	return o, o.pack(codec, path)
}

// FlushDurably is Flush and, if standard output is a file, returns when the data is durably on the disk.
func (o *File) FlushDurably() error {
	if err := o.Flush(); err != nil || o.disk == nil {
		return err
	}
	if err := o.disk.Sync(); err != nil {
		return Error("standard output", err)
	}
	return nil
}

// WriteData writes the main output of a run, using [Files.OpenData].
func (all *Files) WriteData(path string, stdout io.Writer, text []byte) error {
	out, err := all.OpenData(path, stdout)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return out.Close(err)
}

var errClosedStdout = errors.New("standard output is closed, or is the null device opened for reading and writing: redirect it to a file, or discard it with >/dev/null")

// followLinks resolves the symbolic links of path, which need not exist: a link is kept, and its target is
// replaced or created.
func followLinks(path string) (string, error) {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved, nil
	}
	if _, err := os.Stat(path); err == nil {
		return path, nil // such as /dev/fd/1, whose target may have no path
	}
	for range 40 {
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil
		}
		if !filepath.IsAbs(link) {
			dir, _ := filepath.Split(path)
			link = dir + link // not cleaned: dir may contain links, too
		}
		path = link
	}
	return "", errors.New("too many symbolic links")
}

// Create returns an output that becomes the file path when it is closed, with the permissions and owner of
// like, or the defaults if like is nil.
func (all *Files) Create(path string, like fs.FileInfo) (*File, error) {
	mode := fs.FileMode(0o666) // before the umask
	if like != nil {
		mode = like.Mode().Perm() & 0o600
	}
	dir, _ := filepath.Split(path)
	f, err := all.createTemporary(dir, mode)
	if err != nil {
		return nil, Error(path, err)
	}
	o := &File{Writer: all.Buffered(path, f), File: f, Target: path, All: all}
	if like != nil {
		if err := f.Chmod(keepOwner(f, like)); err != nil {
			return nil, o.Close(Error(path, err))
		}
	}
	return o, nil
}

// Unchanged returns an error if a file no longer matches before, its info when it was read (nil for no file).
// Replacing it then would lose the changes of other processes.
func Unchanged(path string, before fs.FileInfo) error {
	now, err := os.Lstat(path)
	switch {
	case before == nil && errors.Is(err, fs.ErrNotExist):
		return nil
	case before == nil:
		return fmt.Errorf("%s: was written by another process in the meantime: it is left unchanged", path)
	case err != nil || !os.SameFile(now, before) || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime()):
		return fmt.Errorf("%s: changed while it was read: it is left unchanged", path)
	}
	return nil
}

// pack compresses the output. Flushing does not flush the compressor's current block.
func (o *File) pack(codec compress.Codec, path string) error {
	if codec == compress.None {
		return nil
	}
	encoder, err := compress.NewEncoder(compress.EncoderOptions{Codec: codec})
	if err != nil {
		return o.Close(err)
	}
	o.packed = compress.NewWriter(namedWriter{path, o.File, o.All.Claims}, encoder, compress.Unknown)
	o.Writer.Reset(o.packed)
	return nil
}

// A namedWriter reports errors with the output's name instead of the temporary file's name.
type namedWriter struct {
	name   string
	w      io.Writer
	claims *claim.Set
}

func (all *Files) Buffered(name string, w io.Writer) *bufio.Writer {
	return bufio.NewWriterSize(namedWriter{name, w, all.Claims}, outputBuffer)
}

func (n namedWriter) Write(p []byte) (int, error) {
	if err := n.claims.Check(); err != nil {
		return 0, err
	}
	written, err := n.w.Write(p)
	if err != nil {
		err = Error(n.name, err)
	}
	return written, err
}

func Error(path string, err error) error {
	return fmt.Errorf("%s: cannot be written: %w", path, term.PlainError(err))
}

// finish flushes the buffers and moves the file to its target.
func (o *File) finish() error {
	if err := o.All.Claims.Check(); err != nil {
		return err
	}
	if err := o.Flush(); err != nil {
		return err
	}
	if o.packed != nil {
		if err := o.packed.Close(); err != nil {
			return err
		}
	}
	if o.Target != "" {
		return o.replace()
	}
	if o.File != nil {
		if err := o.File.Close(); err != nil {
			return Error(o.File.Name(), err)
		}
	}
	return nil
}

// replace moves the file to its target.
func (o *File) replace() error {
	if err := o.File.Sync(); err != nil {
		return Error(o.Target, err)
	}
	if o.Check == nil && o.All.Claims.Has(o.Old, claim.AsMessages) {
		o.Check = func() error { return Unchanged(o.Target, o.Old) }
	}
	if o.Check != nil {
		if err := o.Check(); err != nil {
			return err
		}
	}
	if runtime.GOOS == "windows" { // Windows does not rename open files; elsewhere, the lock is kept
		o.File.Close() // it is durably on the disk
	}
	if err := os.Rename(o.File.Name(), o.Target); err != nil {
		return Error(o.Target, err)
	}
	o.All.Finished(o.File.Name())
	o.File.Close() // it is durably on the disk
	o.All.WarnOfLinks(o.Target, o.Old)
	return o.All.SyncName(o.Target)
}

// ErrUnsynced reports that a file was replaced, but that a power failure may undo that.
var ErrUnsynced = errors.New("is written, but a power failure may undo that")

// SyncName returns when the name of a file is durably on the disk, or immediately if that is not supported.
// The error wraps [ErrUnsynced].
func (all *Files) SyncName(path string) error {
	folder := filepath.Dir(path)
	if err := all.SyncFolder(folder); err != nil && !Unsyncable(err) {
		return fmt.Errorf("%s: %w: its folder %s: %w", path, ErrUnsynced, folder, term.PlainError(err))
	}
	return nil
}

// WarnOfLinks warns that a replaced file has other names.
func (all *Files) WarnOfLinks(path string, old fs.FileInfo) {
	if old == nil {
		return
	}
	if n := otherNames(old); n > 0 {
		term.Warn(all.Warnings, fmt.Sprintf("%s: had %s (hard links), which keep the old content", path, term.Plural(n, "other name")))
	}
}

// Discard removes the unfinished file.
func (o *File) Discard() error {
	if o.packed != nil {
		o.packed.Discard()
	}
	if o.Target == "" {
		return nil
	}
	defer o.All.Finished(o.File.Name())
	o.File.Close() // it may be closed already, and is removed in any case
	return os.Remove(o.File.Name())
}

// Close finishes the output if err is nil, and discards it otherwise. Data written to standard output
// remains.
func (o *File) Close(err error) error {
	if err == nil {
		err = o.finish()
	} else if o.Stdout {
		_ = o.Flush() // err is more important
	}
	if err != nil {
		_ = o.Discard() // err is more important
	}
	return err
}

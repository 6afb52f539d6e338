// Package output writes files that appear when they are whole or not at all, and appends to
// files that other processes append to as well.
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

// Files are what a run writes.
type Files struct {
	Claims   *claim.Set
	Warnings io.Writer // where they go, which is stderr
	// SyncFolder returns when the names in a folder are on the disk.
	SyncFolder func(folder string) error
	temporaries
}

// An File is where data goes: standard output, or a file that appears only
// when everything has been written.
type File struct {
	*bufio.Writer
	packed *compress.Writer // after the buffer, nil for plain data
	Stdout bool
	File   *os.File
	Target string       // where file goes in the end; "" if it is written in place
	Old    fs.FileInfo  // what was at target, nil for nothing
	Check  func() error // if not nil: why file may not go to its target
	All    *Files       // of the run
	disk   *os.File     // standard output, if it is a file
}

const outputBuffer = 64 << 10

// Open returns the output that -o names for a report; "" and "-" mean stdout.
// It is compressed where the name says so. The caller ends it with close; what was
// not finished leaves no trace.
func (all *Files) Open(path string, stdout io.Writer) (*File, error) {
	return all.OpenAs(claim.AsOutput, CodecOf(path), path, stdout)
}

// OpenData is openOutput for what the run is there to make. It may take the place of
// messages that are read, and stdout must not be closed.
func (all *Files) OpenData(path string, stdout io.Writer) (*File, error) {
	return all.OpenAs(claim.AsData, CodecOf(path), path, stdout)
}

// CodecOf returns the codec that a file's name promises.
func CodecOf(path string) compress.Codec {
	for _, codec := range compress.Codecs() {
		if strings.HasSuffix(path, codec.Suffix()) {
			return codec
		}
	}
	return compress.None
}

// OpenAs returns an output for a use, asData or asOutput, that is compressed with
// codec, whatever the name.
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

// FlushDurably is Flush, and for standard output that is a file, what was written is safely
// on the disk.
func (o *File) FlushDurably() error {
	if err := o.Flush(); err != nil || o.disk == nil {
		return err
	}
	if err := o.disk.Sync(); err != nil {
		return Error("standard output", err)
	}
	return nil
}

// WriteData writes what the run is there to make to the output that [Files.OpenData] opens.
func (all *Files) WriteData(path string, stdout io.Writer, text []byte) error {
	out, err := all.OpenData(path, stdout)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return out.Close(err)
}

var errClosedStdout = errors.New("standard output is closed, or the null device opened for reading too: redirect it to a file, or discard it with >/dev/null")

// followLinks returns the file that a path leads to, which need not be there: a link
// stays one, and what it leads to is replaced or made.
func followLinks(path string) (string, error) {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved, nil
	}
	if _, err := os.Stat(path); err == nil {
		return path, nil // such as /dev/fd/1, which leads to something without a path
	}
	for range 40 {
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil
		}
		if !filepath.IsAbs(link) {
			dir, _ := filepath.Split(path)
			link = dir + link // not cleaned: dir may have links, too
		}
		path = link
	}
	return "", errors.New("too many symbolic links")
}

// Create returns the output that becomes the file path in the end, with the
// permissions and the owner of like, or those of any new file if that is nil.
func (all *Files) Create(path string, like fs.FileInfo) (*File, error) {
	mode := fs.FileMode(0o666) // without what the umask takes away
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

// Unchanged returns an error if a file is not any more what it was before it was read,
// where nil is no file: what others have written to it would be lost.
func Unchanged(path string, before fs.FileInfo) error {
	now, err := os.Lstat(path)
	switch {
	case before == nil && errors.Is(err, fs.ErrNotExist):
		return nil
	case before == nil:
		return fmt.Errorf("%s: was written by another process meanwhile, and stays", path)
	case err != nil || !os.SameFile(now, before) || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime()):
		return fmt.Errorf("%s: changed while it was read, and stays", path)
	}
	return nil
}

// pack makes the output a compressed one. Flushing leaves to the compressor what
// it has not finished.
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

// A namedWriter says in its errors what could not be written, in place of the
// temporary file's name.
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

// finish writes out what is buffered and puts the file in its place.
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

// replace puts the file in its place.
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
	if runtime.GOOS == "windows" { // which does not rename open files; others keep the lock
		o.File.Close() // it is on the disk
	}
	if err := os.Rename(o.File.Name(), o.Target); err != nil {
		return Error(o.Target, err)
	}
	o.All.Finished(o.File.Name())
	o.File.Close() // it is on the disk
	o.All.WarnOfLinks(o.Target, o.Old)
	return o.All.SyncName(o.Target)
}

// ErrUnsynced reports a file that is in its place, but perhaps not after a power failure.
var ErrUnsynced = errors.New("is written, but a power failure may undo that")

// SyncName returns when the name of a file is on the disk, or at once where that cannot be
// had. The error wraps [ErrUnsynced].
func (all *Files) SyncName(path string) error {
	folder := filepath.Dir(path)
	if err := all.SyncFolder(folder); err != nil && !Unsyncable(err) {
		return fmt.Errorf("%s: %w: its folder %s: %w", path, ErrUnsynced, folder, term.PlainError(err))
	}
	return nil
}

// WarnOfLinks warns that a file which was replaced has further names.
func (all *Files) WarnOfLinks(path string, old fs.FileInfo) {
	if old == nil {
		return
	}
	if n := otherNames(old); n > 0 {
		term.Warn(all.Warnings, fmt.Sprintf("%s: had %s (hard links), which keep the old content", path, term.Plural(n, "other name")))
	}
}

// Discard takes back a file that is not to appear.
func (o *File) Discard() error {
	if o.packed != nil {
		o.packed.Discard()
	}
	if o.Target == "" {
		return nil
	}
	defer o.All.Finished(o.File.Name())
	o.File.Close() // it may be closed already, and goes away in any case
	return os.Remove(o.File.Name())
}

// Close finishes the output if err is nil, and discards it otherwise. What was written to
// standard output stays.
func (o *File) Close(err error) error {
	if err == nil {
		err = o.finish()
	} else if o.Stdout {
		_ = o.Flush() // err says more
	}
	if err != nil {
		_ = o.Discard() // the same
	}
	return err
}

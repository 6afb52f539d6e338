package cmd

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/term"

	"github.com/eaapl/handoff/pkg/compress"
)

// outputs are what a run writes.
type outputs struct {
	claims *claims
	temporaries
}

// An output is where data goes: standard output, or a file that appears only
// when everything has been written.
type output struct {
	*bufio.Writer
	packed *compress.Writer // behind the buffer, nil for plain data
	stdout bool
	file   *os.File
	target string       // where file goes in the end; "" if it is written in place
	old    fs.FileInfo  // what was at target, nil for nothing
	check  func() error // if not nil: why file may not go to its target
	all    *outputs     // of the run
}

const outputBuffer = 64 << 10

// openOutput returns the output that -o names for a report; "" and "-" mean stdout.
// It is compressed where the name says so. The caller ends it with close; what was
// not finished leaves no trace.
func (all *outputs) openOutput(path string, stdout io.Writer) (*output, error) {
	return all.openOutputAs(asOutput, codecOf(path), path, stdout)
}

// openData is openOutput for what the run is there to make. It may take the place of
// messages that are read, and stdout must not be closed.
func (all *outputs) openData(path string, stdout io.Writer) (*output, error) {
	return all.openOutputAs(asData, codecOf(path), path, stdout)
}

// codecOf returns the codec that a file's name promises.
func codecOf(path string) compress.Codec {
	for _, codec := range compress.Codecs() {
		if strings.HasSuffix(path, codec.Suffix()) {
			return codec
		}
	}
	return compress.None
}

// openOutputAs returns an output for a use, asData or asOutput, that is compressed with
// codec, whatever the name.
func (all *outputs) openOutputAs(as use, codec compress.Codec, path string, stdout io.Writer) (*output, error) {
	if path == "" || path == "-" {
		if as == asData && stdout == io.Writer(os.Stdout) && closedStdout() {
			return nil, errClosedStdout
		}
		if err := all.claims.standard("standard output", stdout, asOutput); err != nil {
			return nil, err
		}
		return &output{Writer: all.buffered("standard output", stdout), stdout: true, all: all}, nil
	}
	target, err := followLinks(path)
	if err != nil {
		return nil, outputError(path, err)
	}
	if err := all.claims.file(path, target, as); err != nil {
		return nil, err
	}
	info, err := os.Stat(target)
	if err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory", path)
	}
	if err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, outputError(path, err)
		}
		o := &output{Writer: all.buffered(path, f), file: f, all: all}
		return o, o.pack(codec, path)
	}
	o, err := all.createOutput(target, info)
	if err != nil {
		return nil, err
	}
	o.old = info
	return o, o.pack(codec, path)
}

// writeData writes to stdout what the run is there to make.
func (all *outputs) writeData(stdout io.Writer, text []byte) error {
	out, err := all.openData("", stdout)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return out.close(err)
}

var errClosedStdout = errors.New("standard output is closed, or the null device opened for reading too: redirect it, or name a file with -o (-o /dev/null discards the data)")

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

// createOutput returns the output that becomes the file path in the end, with the
// permissions and the owner of like, or those of any new file if that is nil.
func (all *outputs) createOutput(path string, like fs.FileInfo) (*output, error) {
	mode := fs.FileMode(0o666) // without what the umask takes away
	if like != nil {
		mode = like.Mode().Perm() & 0o600
	}
	dir, _ := filepath.Split(path)
	f, err := all.createTemporary(dir, mode)
	if err != nil {
		return nil, outputError(path, err)
	}
	o := &output{Writer: all.buffered(path, f), file: f, target: path, all: all}
	if like != nil {
		if err := f.Chmod(keepOwner(f, like)); err != nil {
			return nil, o.close(outputError(path, err))
		}
	}
	return o, nil
}

// unchanged returns an error if a file is not any more what it was before it was read,
// where nil stands for no file: what others have written to it would be lost.
func unchanged(path string, before fs.FileInfo) error {
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
func (o *output) pack(codec compress.Codec, path string) error {
	if codec == compress.None {
		return nil
	}
	encoder, err := compress.NewEncoder(compress.EncoderOptions{Codec: codec})
	if err != nil {
		return o.close(err)
	}
	o.packed = compress.NewWriter(namedWriter{path, o.file, o.all.claims}, encoder)
	o.Writer.Reset(o.packed)
	return nil
}

// A namedWriter says in its errors what could not be written, in place of the
// temporary file's name.
type namedWriter struct {
	name   string
	w      io.Writer
	claims *claims
}

func (all *outputs) buffered(name string, w io.Writer) *bufio.Writer {
	return bufio.NewWriterSize(namedWriter{name, w, all.claims}, outputBuffer)
}

func (n namedWriter) Write(p []byte) (int, error) {
	if err := n.claims.check(); err != nil {
		return 0, err
	}
	written, err := n.w.Write(p)
	if err != nil {
		err = outputError(n.name, err)
	}
	return written, err
}

func outputError(path string, err error) error {
	return fmt.Errorf("%s: cannot be written: %w", path, plainError(err))
}

// finish writes out what is buffered and puts the file in its place.
func (o *output) finish() error {
	err := cmp.Or(o.all.claims.check(), o.Flush())
	if err == nil && o.packed != nil {
		err = o.packed.Close()
	}
	if err == nil && o.target != "" {
		err = o.replace()
	} else if err == nil && o.file != nil {
		if err = o.file.Close(); err != nil {
			err = outputError(o.file.Name(), err)
		}
	}
	if err != nil {
		return cmp.Or(err, o.discard())
	}
	return nil
}

// replace puts the file in its place.
func (o *output) replace() error {
	if err := o.file.Sync(); err != nil {
		return outputError(o.target, err)
	}
	if o.check == nil && o.all.claims.has(o.old, asMessages) {
		o.check = func() error { return unchanged(o.target, o.old) }
	}
	if o.check != nil {
		if err := o.check(); err != nil {
			return err
		}
	}
	if runtime.GOOS == "windows" { // which does not rename open files; others keep the lock
		o.file.Close() // it is on the disk
	}
	if err := os.Rename(o.file.Name(), o.target); err != nil {
		return outputError(o.target, err)
	}
	o.all.finished(o.file.Name())
	o.file.Close() // it is on the disk
	warnOfLinks(o.target, o.old)
	return nil
}

// warnOfLinks tells that a file which was replaced has further names.
func warnOfLinks(path string, old fs.FileInfo) {
	if old == nil {
		return
	}
	if n := otherNames(old); n > 0 {
		warn(os.Stderr, fmt.Sprintf("%s: had %s (hard links), which keep the old content", path, plural(n, "other name")))
	}
}

// discard takes back a file that is not to appear.
func (o *output) discard() error {
	if o.target == "" {
		return nil
	}
	defer o.all.finished(o.file.Name())
	o.file.Close() // it may be closed already, and goes away in any case
	return os.Remove(o.file.Name())
}

// close finishes the output if err is nil, and discards it otherwise.
func (o *output) close(err error) error {
	if err == nil {
		return o.finish()
	}
	if o.stdout {
		return cmp.Or(err, o.Flush())
	}
	return cmp.Or(err, o.discard())
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalWidth returns the width of a stream in columns: 80 where it is not a
// terminal, or a narrower one.
func terminalWidth(stream any) int {
	if f, ok := stream.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return max(width, 80)
		}
	}
	return 80
}

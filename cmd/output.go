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
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/term"

	"github.com/eaapl/handoff/pkg/compress"
)

// An output is where data goes: standard output, or a file that appears only
// when everything has been written.
type output struct {
	*bufio.Writer
	packed *compress.Writer // behind the buffer, nil for plain data
	stdout bool
	file   *os.File
	target string // where file goes in the end; "" if it is written in place
}

const outputBuffer = 64 << 10

// openOutput returns the output that -o names; "" and "-" mean stdout. It is
// compressed where the name says so. The caller ends it with close; what was not
// finished leaves no trace.
func openOutput(path string, stdout io.Writer) (*output, error) {
	return openOutputAs(codecOf(path), path, stdout)
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

// openOutputAs is openOutput for data that is to be compressed with codec,
// whatever the name.
func openOutputAs(codec compress.Codec, path string, stdout io.Writer) (*output, error) {
	if path == "" || path == "-" {
		return &output{Writer: buffered("standard output", stdout), stdout: true}, nil
	}
	// A link stays one: what it leads to is what is replaced.
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	mode := fs.FileMode(0o644)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s: is a directory", path)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, outputError(path, err)
		}
		o := &output{Writer: buffered(path, f), file: f}
		return o, o.pack(codec, path)
	case err == nil:
		mode = info.Mode().Perm()
	}
	o, err := createOutput(path, mode)
	if err != nil {
		return nil, err
	}
	return o, o.pack(codec, path)
}

// createOutput returns the output that becomes the file path in the end, in the
// place of one that is there, with the permissions mode.
func createOutput(path string, mode fs.FileMode) (*output, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, outputError(path, err)
	}
	unfinished.Store(f.Name(), nil)
	o := &output{Writer: buffered(path, f), file: f, target: path}
	if err := f.Chmod(mode); err != nil {
		return nil, o.close(outputError(path, err))
	}
	return o, nil
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
	o.packed = compress.NewWriter(namedWriter{path, o.file}, encoder)
	o.Writer.Reset(o.packed)
	return nil
}

// A namedWriter says in its errors what could not be written, in place of the
// temporary file's name.
type namedWriter struct {
	name string
	w    io.Writer
}

func buffered(name string, w io.Writer) *bufio.Writer {
	return bufio.NewWriterSize(namedWriter{name, w}, outputBuffer)
}

func (n namedWriter) Write(p []byte) (int, error) {
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
	err := o.Flush()
	if err == nil && o.packed != nil {
		err = o.packed.Close()
	}
	if err != nil {
		return cmp.Or(err, o.discard())
	}
	if o.file == nil {
		return nil
	}
	if o.target != "" {
		err = o.file.Sync()
	}
	err = errors.Join(err, o.file.Close())
	if err == nil && o.target != "" {
		err = os.Rename(o.file.Name(), o.target)
	}
	if err != nil {
		return cmp.Or(outputError(cmp.Or(o.target, o.file.Name()), err), o.discard())
	}
	unfinished.Delete(o.file.Name())
	return nil
}

// discard takes back a file that is not to appear.
func (o *output) discard() error {
	if o.target == "" {
		return nil
	}
	unfinished.Delete(o.file.Name())
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

// unfinished are the names of temporary files, for an interrupt to remove.
var unfinished sync.Map

func removeUnfinished() {
	for name := range unfinished.Range {
		os.Remove(name.(string)) // the process ends: there is nobody to tell
	}
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

// writeJSON writes v as one line of JSON.
func writeJSON(w io.Writer, v any) error {
	text, err := json.Marshal(v, json.Deterministic(true), jsontext.EscapeForHTML(false))
	if err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

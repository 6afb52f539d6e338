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
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/term"
)

// An output is where data goes: standard output, or a file that appears only
// when everything has been written.
type output struct {
	*bufio.Writer
	stdout bool
	file   *os.File
	target string // where file goes in the end; "" if it is written in place
}

const outputBuffer = 64 << 10

// openOutput returns the output that -o names; "" and "-" mean stdout. The
// caller ends it with close; what was not finished leaves no trace.
func openOutput(path string, stdout io.Writer) (*output, error) {
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
		return &output{Writer: buffered(path, f), file: f}, nil
	case err == nil:
		mode = info.Mode().Perm()
	}
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
	if err := o.Flush(); err != nil {
		return cmp.Or(err, o.discard())
	}
	if o.file == nil {
		return nil
	}
	var err error
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

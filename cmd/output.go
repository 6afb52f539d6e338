package cmd

import (
	"bufio"
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
// caller ends it with finish; what is not finished leaves no trace.
func openOutput(path string, stdout io.Writer) (*output, error) {
	if path == "" || path == "-" {
		return &output{Writer: bufio.NewWriterSize(stdout, outputBuffer), stdout: true}, nil
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
		return &output{Writer: bufio.NewWriterSize(f, outputBuffer), file: f}, nil
	case err == nil:
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, outputError(path, err)
	}
	unfinished.Store(f.Name(), nil)
	o := &output{Writer: bufio.NewWriterSize(f, outputBuffer), file: f, target: path}
	if err := f.Chmod(mode); err != nil {
		return nil, errors.Join(outputError(path, err), o.discard())
	}
	return o, nil
}

func outputError(path string, err error) error {
	return fmt.Errorf("%s: cannot be written: %w", path, plainError(err))
}

// finish writes out what is buffered and puts the file in its place.
func (o *output) finish() error {
	err := o.Flush()
	if o.file == nil {
		return err
	}
	if o.target == "" {
		if err = errors.Join(err, o.file.Close()); err != nil {
			return outputError(o.file.Name(), err)
		}
		return nil
	}
	if err == nil {
		err = o.file.Sync()
	}
	err = errors.Join(err, o.file.Close())
	if err == nil {
		err = os.Rename(o.file.Name(), o.target)
	}
	if err != nil {
		return errors.Join(outputError(o.target, err), o.discard())
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
		return errors.Join(err, o.Flush())
	}
	return errors.Join(err, o.discard())
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

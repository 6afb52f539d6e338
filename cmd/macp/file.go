package macp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A heldFile is a file that other processes of this program do not change at the same time. A separate file
// is locked, as the file itself is replaced.
type heldFile struct {
	*cli.Globals
	path string // after resolving links
	lock *lockedfile.File
	old  fs.FileInfo // the file when it was read, nil if it did not exist
}

// holdFile waits until no other process holds a file, which need not exist. It prints a note to stderr if
// that takes long. The lock is on a file next to it. The system releases the lock when the process ends, so a
// lock file left behind does no harm.
func holdFile(g *cli.Globals, path string, stderr io.Writer) (*heldFile, error) {
	waiting := fmt.Sprintf("handoff: %s: waiting for another process that is writing to it\n", term.Visible(path))
	long := time.AfterFunc(time.Second, func() { fmt.Fprint(stderr, waiting) })
	defer long.Stop()
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
	f, _, err := output.OpenLocked(name, 0o666)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be locked: %w", term.Visible(path), term.PlainError(err))
	}
	return &heldFile{Globals: g, path: path, lock: f}, nil
}

// release releases the file for other processes.
func (h *heldFile) release() {
	os.Remove(h.lock.Name()) // fails on some systems while it is open; then the file stays
	h.lock.Close()           // nothing was written to it
}

// read returns the file's content and its codec.
func (h *heldFile) read(limits jsonstream.Limits) ([]byte, compress.Codec, error) {
	info, err := os.Stat(h.path)
	if err != nil {
		return nil, compress.None, term.PlainError(err)
	}
	h.old = info
	s := h.Found(h.path, info)
	codec, err := s.CodecInPlace()
	if err != nil {
		return nil, codec, err
	}
	content, err := s.Open(func(int) {})
	if err != nil {
		return nil, codec, err
	}
	defer content.Close() // read only: nothing can be lost
	text, err := input.MessageBound(limits).ReadAll(content)
	return text, codec, err
}

// replace rewrites the file atomically.
func (h *heldFile) replace(codec compress.Codec, text []byte) error {
	out, err := h.OpenAs(claim.AsData, codec, h.path, nil)
	if err != nil {
		return err
	}
	out.Check = func() error { return output.Unchanged(h.path, h.old) }
	_, err = out.Write(text)
	return out.Close(err)
}

// create writes a new file.
func (h *heldFile) create(text []byte) error {
	if _, err := os.Lstat(h.path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: already exists, and is not overwritten: name another file", term.Visible(h.path))
	}
	return h.replace(output.CodecOf(h.path), text)
}

// readBytes returns the content of a file or standard input, without decompressing it.
func readBytes(g *cli.Globals, path string, stdin io.Reader) ([]byte, error) {
	s, err := g.File(path, stdin)
	if err != nil {
		return nil, err
	}
	in, closeFile, err := s.Raw()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(s.Name), err)
	}
	defer closeFile() // read only: nothing can be lost
	data, err := input.MessageBound(g.Limits).ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(s.Name), err)
	}
	return data, nil
}

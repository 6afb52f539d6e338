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

// A heldFile is a file that other processes of this program leave alone while they
// would change it. The file itself cannot be locked, as it is replaced.
type heldFile struct {
	*cli.Globals
	path string // what a link leads to
	lock *lockedfile.File
	old  fs.FileInfo // the file when it was read, nil if it was not there
}

// holdFile waits for a file, which need not be there, until no other process holds it,
// and says so on stderr if that takes long. The lock is a file next to it; the system
// releases it if the process ends, however it ends, so that one which is left
// does no harm.
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

// release lets the next process have the file.
func (h *heldFile) release() {
	os.Remove(h.lock.Name()) // some systems cannot while it is open: then it stays
	h.lock.Close()           // nothing was written to it
}

// read returns the file's content, and what it is compressed with.
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

// replace rewrites the file, all of it or nothing.
func (h *heldFile) replace(codec compress.Codec, text []byte) error {
	out, err := h.OpenAs(claim.AsData, codec, h.path, nil)
	if err != nil {
		return err
	}
	out.Check = func() error { return output.Unchanged(h.path, h.old) }
	_, err = out.Write(text)
	return out.Close(err)
}

// create writes a file that is not there yet.
func (h *heldFile) create(text []byte) error {
	if _, err := os.Lstat(h.path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: is there already, and is not overwritten: name another file", term.Visible(h.path))
	}
	return h.replace(output.CodecOf(h.path), text)
}

// readBytes returns a file's content, or standard input's, as it is.
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

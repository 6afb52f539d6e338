package about

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
)

// install writes a file for another program. It replaces an existing file only if that begins with begin, as
// every version of the file does.
func install(g *cli.Globals, path, begin string, text []byte) error {
	old, err := regular.Open(path)
	if err == nil {
		first := make([]byte, len(begin))
		n, err := io.ReadFull(old, first)
		old.Close() // read only: nothing can be lost
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("%s: cannot be read: %w", path, term.PlainError(err))
		}
		if !bytes.Equal(first[:n], []byte(begin)) {
			return fmt.Errorf("%s: exists, and was not written by handoff: move it first", path)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: cannot be read: %w", path, term.PlainError(err))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return output.Error(path, err)
	}
	return g.WriteData(path, nil, text)
}

// errNoHome reports that the user's directories are unknown.
var errNoHome = errors.New("the home directory is unknown: set HOME")

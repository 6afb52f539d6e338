package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/pkg/compress"
)

// ClaimArchive claims the file of --archive for appending uncompressed entries: its content must not be
// compressed, and its name must not have an ending for compressed files.
func (g *Globals) ClaimArchive(path string) error {
	if codec := output.CodecOf(path); codec != compress.None {
		return fmt.Errorf("--archive %s: the name is one of %s data, but entries are not compressed: use another name", path, codec)
	}
	if err := g.ClaimAppended("--archive", path); err != nil {
		return err
	}
	content, err := input.Source{Path: path, Unpacking: g.Unpacking}.Open(func(int) {})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it will be created
	}
	if err != nil {
		return fmt.Errorf("--archive %s: %w", path, err)
	}
	codec := content.Codec()
	content.Close() // read only: nothing can be lost
	if codec != compress.None {
		return fmt.Errorf("--archive %s: is %s data, but entries are not compressed: decompress it first, or use another file", path, codec)
	}
	return nil
}

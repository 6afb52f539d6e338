package trim

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/trim"
)

// maxUnpacked is the maximum size of a compressed archive's content, which is held in memory, in bytes.
const maxUnpacked = 256 << 20

// openArchive opens an archive written by trim. It returns a function that closes it.
func openArchive(g *cli.Globals, path string) (*trim.Archive, func() error, error) {
	if err := g.Reader.Claims.File(path, path, claim.AsInput); err != nil {
		return nil, nil, err
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, term.PlainError(err))
	}
	text, err := unpacked(f, g.Unpacking)
	if err == nil {
		var archive *trim.Archive
		if archive, err = trim.NewArchive(text); err == nil {
			return archive, f.Close, nil
		}
	}
	return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, term.PlainError(err)), f.Close())
}

// unpacked returns the decompressed text of a file, or the file itself if it is not compressed.
func unpacked(f *os.File, options compress.ReaderOptions) (io.ReaderAt, error) {
	content := compress.NewReader(f, options)
	defer content.Close() // read only: nothing can be lost
	start := bufio.NewReader(content)
	if _, err := start.Peek(1); err != nil && err != io.EOF {
		return nil, err
	}
	if content.Codec() == compress.None {
		return f, nil
	}
	text, err := io.ReadAll(io.LimitReader(start, maxUnpacked+1))
	if err == nil && len(text) > maxUnpacked {
		err = fmt.Errorf("it contains more than %d bytes, too many for %s data: decompress it first", maxUnpacked, content.Codec())
	}
	return bytes.NewReader(text), err
}

package cmd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/eaapl/handoff/cmd/internal/claim"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/trim"
)

// checkArchive returns why entries cannot be appended to a file.
func (g *globals) checkArchive(path string) error {
	if codec := output.CodecOf(path); codec != compress.None {
		return fmt.Errorf("--archive %s: this is a name for %s data, and entries are appended as they are: use another name", path, codec)
	}
	if err := g.ClaimAppended("--archive", path); err != nil {
		return err
	}
	content, err := input.Source{Path: path, Unpacking: g.Unpacking}.Open(func(int) {})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is made
	}
	if err != nil {
		return fmt.Errorf("--archive %s: %w", path, err)
	}
	codec := content.Codec()
	content.Close() // read only: nothing can be lost
	if codec != compress.None {
		return fmt.Errorf("--archive %s: is %s data, and entries are appended as they are: decompress it first, or use another file", path, codec)
	}
	return nil
}

// A trimArchive finds the entries of an archive that trim has written, without
// holding them in memory, unless it is compressed.
type trimArchive struct {
	text    io.ReaderAt
	close   func() error
	entries map[string][]span // by their digests, in the order of the text
}

// mostUnpacked is how many bytes a compressed archive may hold, which are held in memory.
const mostUnpacked = 256 << 20

// A span is where a line stands in a text, in bytes.
type span struct{ offset, length int64 }

func (g *globals) openArchive(path string) (*trimArchive, error) {
	if err := g.Reader.Claims.File(path, path, claim.AsInput); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, term.PlainError(err))
	}
	a := &trimArchive{f, f.Close, map[string][]span{}}
	if err := a.read(f, g.Unpacking); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, term.PlainError(err)), f.Close())
	}
	return a, nil
}

func (a *trimArchive) read(f *os.File, unpacking compress.ReaderOptions) error {
	content := compress.NewReader(f, unpacking)
	defer content.Close() // read only: nothing can be lost
	lines := bufio.NewReaderSize(content, 1<<20)
	if _, err := lines.Peek(1); err != nil && err != io.EOF {
		return err
	}
	if content.Codec() == compress.None {
		return a.index(lines)
	}
	text, err := io.ReadAll(io.LimitReader(lines, mostUnpacked+1))
	if err != nil {
		return err
	}
	if len(text) > mostUnpacked {
		return fmt.Errorf("it holds more than %d bytes, too many to look through as %s data: decompress it first", mostUnpacked, content.Codec())
	}
	a.text = bytes.NewReader(text)
	return a.index(bufio.NewReaderSize(bytes.NewReader(text), 1<<20))
}

// index learns where the entries are. A line that is none is of another program,
// or was not written to its end.
func (a *trimArchive) index(lines *bufio.Reader) error {
	var offset int64
	for {
		start, sum, length := offset, "", int64(0)
		for first := true; ; first = false {
			part, err := lines.ReadSlice('\n')
			length += int64(len(part))
			if first {
				sum = trim.EntryDigest(part)
			}
			if err == bufio.ErrBufferFull {
				continue
			}
			if err == io.EOF {
				return nil // what ends without a line end was cut off
			}
			if err != nil {
				return err
			}
			break
		}
		offset += length
		if sum != "" {
			a.entries[sum] = append(a.entries[sum], span{start, length})
		}
	}
}

// find returns the entry with a digest for the message with this handoffId, the
// latest if there are several; nil if there is none.
func (a *trimArchive) find(sum, handoffID string) (*trim.Entry, error) {
	spans := a.entries[sum]
	for i := len(spans) - 1; i >= 0; i-- {
		line := make([]byte, spans[i].length)
		if _, err := a.text.ReadAt(line, spans[i].offset); err != nil {
			return nil, term.PlainError(err)
		}
		entry, err := trim.ParseEntry(line)
		if err != nil {
			return nil, fmt.Errorf("the archive was changed: %w", err)
		}
		if entry.HandoffID == handoffID {
			return entry, nil
		}
	}
	return nil, nil
}

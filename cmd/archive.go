package cmd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/trim"
)

// appendLocked appends to a file what is safely on the disk when it returns. Any
// number of processes may do so at once; after an error nothing was appended.
func appendLocked(path string, text []byte) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: cannot be written: %w", path, plainError(err))
		}
	}()
	f, err := lockedfile.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	last := []byte{'\n'}
	if end > 0 {
		if _, err := f.ReadAt(last, end-1); err != nil {
			return err
		}
	}
	if last[0] != '\n' { // a process that was killed left half a line
		text = append([]byte{'\n'}, text...)
	}
	return appendAt(f, text, end)
}

// appendAt writes text at the end of a file, all of it or nothing, and returns when
// it is safely on the disk.
func appendAt(f *lockedfile.File, text []byte, end int64) error {
	if _, err := f.WriteAt(text, end); err != nil {
		return errors.Join(err, f.Truncate(end))
	}
	return f.Sync()
}

// checkArchive returns why entries cannot be appended to a file, in a run that reads the
// messages that args name and writes them to output, if that is a file.
func checkArchive(path, output string, args []string) error {
	if codec := codecOf(path); codec != compress.None {
		return fmt.Errorf("--archive %s: this is a name for %s data, and entries are appended as they are: use another name", path, codec)
	}
	archive, err := os.Stat(path)
	if err != nil || !archive.Mode().IsRegular() {
		return nil // it is made, or writing to it says what is wrong
	}
	content, err := source{path: path}.open(func(int) {})
	if err != nil {
		return fmt.Errorf("--archive %s: %w", path, err)
	}
	codec := content.Codec()
	content.Close() // read only: nothing can be lost
	if codec != compress.None {
		return fmt.Errorf("--archive %s: is %s data, and entries are appended as they are: decompress it first, or use another file", path, codec)
	}
	others := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "-" })
	list := []source{{path: output}}
	if len(others) > 0 {
		list = append(list, sources(others, nil, nil)...)
	}
	for _, s := range list {
		if other, err := os.Stat(s.path); err == nil && os.SameFile(archive, other) {
			return fmt.Errorf("--archive %s: messages are read from it or written to it, too: use another file", path)
		}
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

func openArchive(path string) (*trimArchive, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, plainError(err))
	}
	a := &trimArchive{f, f.Close, map[string][]span{}}
	if err := a.read(f); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, plainError(err)), f.Close())
	}
	return a, nil
}

func (a *trimArchive) read(f *os.File) error {
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
			return nil, plainError(err)
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
